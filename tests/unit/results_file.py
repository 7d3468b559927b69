"""A database of results in a file, for real faults: locks, a full disk, its end."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management import call_command
from django.db import connections

ALIAS = "default"


@contextmanager
def results_in(file: Path, template: Path) -> Iterator[None]:
    """Results go into this file; `template` is the migrated one, made where it is missing.

    SQLite waits for locks as shortly as it can: they stay.
    """
    before = connections[ALIAS]
    options = {**before.settings_dict, "NAME": str(file), "OPTIONS": {"timeout": 0.05}}
    connections[ALIAS] = type(before)(options, ALIAS)
    try:
        if template.exists():
            shutil.copy(template, file)
        else:
            call_command("migrate", "benchsuite", verbosity=0)
            connections[ALIAS].close()
            shutil.copy(file, template)
        yield
    finally:
        connections[ALIAS].close()
        connections[ALIAS] = before
