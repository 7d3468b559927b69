"""Says in one sentence what is wrong with a database server, and what to do."""

import errno
from collections.abc import Iterator, Mapping
from pathlib import Path
from traceback import extract_tb
from typing import Any

import django

from benchsuite.importing import PACKAGE

_UNREACHABLE = (
    "connection refused",
    "connection failed",
    "could not connect",
    "could not translate host name",
    "failed to resolve host",
    "name or service not known",
    "no such file or directory",
    "timeout expired",
    "timed out",
)
_DRIVERS = {"MySQLdb", "oracledb", "psycopg", "psycopg2", "psycopg_pool"}
SQLITE = "SQLite"
_FULL = ("disk is full", "no space left on device")
_ELSEWHERE = "or have the databases made elsewhere: --database=postgres://user@host/name"


def explain(error: BaseException, entry: Mapping[str, Any]) -> str:
    """One sentence for an error met while making databases on the server of a DATABASES entry."""
    errors = list(_chain(error))
    states = {getattr(one, "sqlstate", None) for one in errors}
    numbers = {one.args[0] for one in errors if one.args and isinstance(one.args[0], int)}
    text = " ".join(str(one) for one in errors).lower()
    where, user = _where(entry), entry.get("USER") or "of this process"
    if "42501" in states or "permission denied to create database" in text or 1044 in numbers:
        return (
            f"The user {user} may not create databases on {where}, and a run makes a throw-away "
            f"one; allow it: {_permission(entry)}; {_ELSEWHERE}"
        )
    if "no password supplied" in text or "using password: no" in text:
        return (
            f"The database server {where} wants a password of {user}, and none was given (none is "
            "stored with a run); put it into PGPASSWORD, ~/.pgpass or DATABASE_URL, or into the "
            "URL of --database."
        )
    if states & {"28P01", "28000"} or 1045 in numbers or "authentication failed" in text:
        return f"The database server {where} does not let {user} in: {_first_line(errors)}"
    if states & {"53100"} or errno.ENOSPC in numbers or any(words in text for words in _FULL):
        return (
            f"There is no space left for the throw-away database {_place(entry)}, or lower --rows."
        )
    if "53300" in states or "too many clients" in text:
        return (
            f"The database server {where} has no connection left; end others, or raise "
            "max_connections."
        )
    if "3D000" in states or 'database "bench_' in text:
        return (
            f"The user {user} may not connect to the database postgres on {where}, from which "
            f'others are made; allow it: GRANT CONNECT ON DATABASE postgres TO "{user}"; '
            f"{_ELSEWHERE}"
        )
    if {2002, 2003} & numbers or any(words in text for words in _UNREACHABLE):
        return (
            f"The database server {where} can't be reached ({_first_line(errors)}); start it, "
            f"{_ELSEWHERE}"
        )
    return f"The throw-away database could not be made on {where}: {_first_line(errors)}"


def too_early(error: BaseException) -> str:
    """One sentence for a project that asks its database while it is being set up, before there are
    tables.
    """
    frames = [one for one in extract_tb(error.__traceback__) if not _is_library(one.filename)]
    where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "the project"
    return (
        f"The project can't start on an empty database: {where} asks for what only `migrate` makes "
        f"({_first_line(list(_chain(error)))}); a fresh deployment's `migrate` would fail there "
        "too, so make it wait for the tables."
    )


def _is_library(filename: str) -> bool:
    """Whether this is a file of Django, of ours, or of a database's driver."""
    path = Path(filename)
    ours = any(path.is_relative_to(one) for one in (django.__path__[0], PACKAGE))
    return ours or filename.startswith("<") or bool(_DRIVERS & set(path.parts))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error and what it came from; Django turns some into SystemExit."""
    while error is not None:
        if not isinstance(error, SystemExit):
            yield error
        error = error.__cause__ or error.__context__


def _first_line(errors: list[BaseException]) -> str:
    for error in errors:
        if text := str(error).strip():
            return text.splitlines()[0].rstrip(".")
    return type(errors[0]).__name__ if errors else "Django gave up; see its log"


def _place(entry: Mapping[str, Any]) -> str:
    """Where it is, and how there would be more room."""
    where = _where(entry)
    if where == SQLITE:
        folder = Path(str(entry.get("NAME") or "")).parent
        return f"in {folder}; make room, set TMPDIR to a folder on another disk"
    return f"on {where}; make room"


def _where(entry: Mapping[str, Any]) -> str:
    if "sqlite" in str(entry.get("ENGINE")) or "spatialite" in str(entry.get("ENGINE")):
        return SQLITE
    host = entry.get("HOST") or "localhost"
    if str(host).startswith("/"):
        return f"{host} (socket)"
    return f"{host}:{entry.get('PORT') or 'default port'}"


def _permission(entry: Mapping[str, Any]) -> str:
    user = entry.get("USER") or "your_user"
    if "mysql" in str(entry.get("ENGINE")):
        return rf"GRANT ALL ON `bench\_%`.* TO '{user}'"
    return f'ALTER ROLE "{user}" CREATEDB'
