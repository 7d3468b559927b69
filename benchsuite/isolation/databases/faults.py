"""Explains in one sentence what is wrong with a database server, and what to do."""

from collections.abc import Mapping
from pathlib import Path
from traceback import extract_tb
from typing import Any

import django

from benchsuite.core.refusals import SQLITE, Refusal, first_line, where, why
from benchsuite.pythons.interpreter import PACKAGE

_DRIVERS = {"MySQLdb", "oracledb", "psycopg", "psycopg2", "psycopg_pool"}
_ELSEWHERE = "or have the databases made elsewhere: --database=postgres://user@host/name"


def explain(error: BaseException, entry: Mapping[str, Any]) -> str:
    """One sentence for an error while creating databases on the server of a DATABASES entry."""
    place, user, words = where(entry), entry.get("USER") or "of this process", first_line(error)
    match why(error):
        case Refusal.FORBIDDEN:
            return (
                f"The user {user} may not create databases on {place}, and a run makes a "
                f"throw-away one; allow it: {_permission(entry)}; {_ELSEWHERE}"
            )
        case Refusal.PASSWORD_WANTED:
            return (
                f"The database server {place} wants a password for {user}, and none was given "
                "(none is stored with a run); put it into PGPASSWORD, ~/.pgpass, DATABASE_URL or "
                "the URL of --database."
            )
        case Refusal.NOT_LET_IN:
            return f"The database server {place} does not let {user} in: {words}"
        case Refusal.FULL:
            room = _room(entry)
            return f"There is no space left for the throw-away database {room}, or lower --rows."
        case Refusal.NO_CONNECTION_LEFT:
            return (
                f"The database server {place} has no connection left; end others, or raise "
                "max_connections."
            )
        case Refusal.ABSENT:
            return (
                f"The user {user} may not connect to the database postgres on {place}, from which "
                f'others are made; allow it: GRANT CONNECT ON DATABASE postgres TO "{user}"; '
                f"{_ELSEWHERE}"
            )
        case Refusal.UNREACHABLE:
            return f"The database server {place} can't be reached ({words}); start it, {_ELSEWHERE}"
    return f"The throw-away database could not be made on {place}: {words}"


def too_early(error: BaseException) -> str:
    """One sentence for a project that queries its database at start, before there are tables."""
    frames = [one for one in extract_tb(error.__traceback__) if not _is_library(one.filename)]
    where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "the project"
    return (
        f"The project can't start on an empty database: {where} needs what only `migrate` creates "
        f"({first_line(error)}); `migrate` would fail there in a fresh deployment too, so delay "
        "the query until the tables exist."
    )


def _is_library(filename: str) -> bool:
    """Whether this is a file of Django, benchsuite or a database driver."""
    path = Path(filename)
    ours = any(path.is_relative_to(one) for one in (django.__path__[0], PACKAGE))
    return ours or filename.startswith("<") or bool(_DRIVERS & set(path.parts))


def _room(entry: Mapping[str, Any]) -> str:
    """Where the database is, and how to get more space."""
    place = where(entry)
    if place == SQLITE:
        folder = Path(str(entry.get("NAME") or "")).parent
        return f"in {folder}; make room, set TMPDIR to a folder on another disk"
    return f"on {place}; make room"


def _permission(entry: Mapping[str, Any]) -> str:
    user = entry.get("USER") or "your_user"
    if "mysql" in str(entry.get("ENGINE")):
        return rf"GRANT ALL ON `bench\_%`.* TO '{user}'"
    return f'ALTER ROLE "{user}" CREATEDB'
