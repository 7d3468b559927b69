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
            name = entry.get("USER") or "your_user"
            permission = f'ALTER ROLE "{name}" CREATEDB'
            if "mysql" in str(entry.get("ENGINE")):
                permission = rf"GRANT ALL ON `bench\_%`.* TO '{name}'"
            return (
                f"The user {user} may not create databases on {place}, and a run makes a "
                f"throw-away one; allow it: {permission}; {_ELSEWHERE}"
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
            room = f"on {place}; make room"
            if place == SQLITE:
                folder = Path(str(entry.get("NAME") or "")).parent
                room = f"in {folder}; make room, set TMPDIR to a folder on another disk"
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
    where = "the project"
    for frame in extract_tb(error.__traceback__):
        path = Path(frame.filename)
        ours = any(path.is_relative_to(folder) for folder in (django.__path__[0], PACKAGE))
        if not (ours or frame.filename.startswith("<") or _DRIVERS & set(path.parts)):
            where = f"{frame.filename}:{frame.lineno}"
    return (
        f"The project can't start on an empty database: {where} needs what only `migrate` creates "
        f"({first_line(error)}); `migrate` would fail there in a fresh deployment too, so delay "
        "the query until the tables exist."
    )
