"""Databases that can't be asked, each broken in earnest."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import connections
from django.db.utils import load_backend

ALIAS = "default"

Entry = Mapping[str, Any]


def sqlite(path: Path | str) -> dict[str, Any]:
    engine = "django.db.backends.sqlite3"
    return {"ENGINE": engine, "NAME": str(path), "OPTIONS": {"timeout": 0.05}}


def no_database(place: Path) -> Entry:
    (place / "letter.sqlite3").write_bytes(b"This is no database at all. " * 400)
    return sqlite(place / "letter.sqlite3")


def a_folder(place: Path) -> Entry:
    (place / "folder.sqlite3").mkdir()
    return sqlite(place / "folder.sqlite3")


def no_folder(place: Path) -> Entry:
    return sqlite(place / "nowhere" / "results.sqlite3")


def unmigrated(place: Path) -> Entry:
    return sqlite(place / "empty.sqlite3")


def nobody_listens(place: Path) -> Entry:
    engine = "django.db.backends.postgresql"
    return {"ENGINE": engine, "NAME": "results", "HOST": str(place), "PORT": "5999", "OPTIONS": {}}


def not_named(place: Path) -> Entry:
    """As Django has it where there are no DATABASES."""
    return {"ENGINE": "django.db.backends.dummy", "NAME": ""}


BROKEN: dict[Callable[[Path], Entry], tuple[str, str]] = {
    no_database: ("letter.sqlite3 is damaged or no database", "run: python manage.py migrate"),
    a_folder: ("folder.sqlite3 can't be opened (", "name a file in an existing folder"),
    no_folder: ("results.sqlite3 can't be opened (", "name a file in an existing folder"),
    unmigrated: ("empty.sqlite3", "python manage.py migrate"),
    not_named: ("DATABASES['default'] names no database", "name one there"),
    nobody_listens: ("(socket) can't be reached", "start it"),
}
"""What is said of each, and what is to be done."""


@contextmanager
def asked_instead(entry: Entry) -> Iterator[None]:
    """The default connection is one of this entry."""
    before = connections[ALIAS]
    settings = {**before.settings_dict, "USER": "", "PASSWORD": "", **entry}
    connections[ALIAS] = load_backend(settings["ENGINE"]).DatabaseWrapper(settings, ALIAS)
    try:
        yield
    finally:
        connections[ALIAS].close()
        connections[ALIAS] = before
