"""Sets Django up on databases that have no tables yet."""

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import django
import django.db
from django.apps import AppConfig

from benchsuite.core.exceptions import DatabaseError
from benchsuite.isolation.databases.faults import too_early


class Readying:
    """`set_up()` first, then, when the tables are there, `again()`.

    An app may ask for its tables in `AppConfig.ready()`: where it was installed long ago they are
    always there. The apps that miss them are made ready a second time, after the migrations.
    """

    def __init__(self) -> None:
        self._missed: list[Callable[[], None]] = []

    def set_up(self) -> None:
        """From here on the project's own code runs, if only by being imported."""
        create = AppConfig.create

        def patient(entry: str) -> AppConfig:
            config = create(entry)
            self._bear_with(config)
            return config

        try:
            with patch.object(AppConfig, "create", patient):
                django.setup()
        except django.db.Error as error:
            raise DatabaseError(too_early(error)) from error

    def again(self) -> None:
        """Makes those ready that could not be; raises what they raise now."""
        missed, self._missed = self._missed, []
        for ready in missed:
            ready()

    def _bear_with(self, config: Any) -> None:
        ready = config.ready

        def bearing() -> None:
            try:
                ready()
            except django.db.Error:
                self._missed.append(ready)

        config.ready = bearing
