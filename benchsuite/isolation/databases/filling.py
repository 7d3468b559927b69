"""Fills the throw-away database from the project's fixtures and management commands."""

from collections.abc import Callable

from django.core.management import CommandError, call_command

from benchsuite.core.exceptions import DatabaseError, NobodyWaits, last_line
from benchsuite.core.specs import DatabaseSpec
from benchsuite.core.specs.database import shown_command


def fill(database: DatabaseSpec, begin: Callable[[str], None]) -> None:
    """Raises DatabaseError with the message of the fixture or command that failed; `begin` is told
    what comes next.
    """
    if database.fixtures:
        begin(f"load fixture {', '.join(database.fixtures)}")
        try:
            call_command("loaddata", *database.fixtures, database="default", verbosity=0)
        except CommandError as error:
            names = ", ".join(database.fixtures)
            raise DatabaseError(f"--fixture={names} could not be loaded: {error}") from error
    for words in database.commands:
        begin(f"fill by {shown_command(words)}")
        _call(words)


def _call(words: list[str]) -> None:
    said = ""
    try:
        call_command(*words)
    except CommandError as error:
        said = str(error) or "CommandError"
    except NobodyWaits:
        raise
    except SystemExit as error:
        if error.code:
            said = error.code if isinstance(error.code, str) else f"it ended with {error.code}"
    except Exception as error:  # noqa: BLE001 - a project's own command
        said = last_line(error)
    if said:
        raise DatabaseError(f"--fill={shown_command(words)} failed: {said}")
