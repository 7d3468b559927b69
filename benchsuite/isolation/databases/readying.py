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

    An app may query its tables in `AppConfig.ready()`: in an old installation they always exist.
    Apps that fail without them get a second `ready()` after the migrations.
    """

    def __init__(self, begin: Callable[[str], None]) -> None:
        """`begin` is told whose `ready()` comes next."""
        self._begin = begin
        self._missed: list[Callable[[], None]] = []

    def set_up(self) -> None:
        """From here on the project's own code runs, if only because it is imported."""
        create = AppConfig.create
        self._begin("load the project")

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
        """Calls `ready()` again where it failed; raises what it raises now."""
        missed, self._missed = self._missed, []
        for ready in missed:
            ready()

    def _bear_with(self, config: Any) -> None:
        if type(config).ready is AppConfig.ready:
            return
        own = config.ready

        def ready() -> None:
            self._begin(f"ready() of {config.name}")
            own()

        def bearing() -> None:
            try:
                ready()
            except django.db.Error:
                self._missed.append(ready)

        config.ready = bearing
