"""What a database error means, for any database and driver."""

import errno
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

SQLITE = "SQLite"
MIGRATE = "python manage.py migrate"


class Refusal(Enum):
    """Why a database refuses a request."""

    FORBIDDEN = "{which} does not allow that to the user {user} ({line}); grant the right."
    PASSWORD_WANTED = (
        "{server} wants a password for {user}, and {setting} has none; write it there, or into "
        "PGPASSWORD or ~/.pgpass."
    )
    NOT_LET_IN = "{server} does not let the user {user} in ({line}); correct {setting}."
    FULL = "{which} has no space left ({line}); make room on its disk."
    NO_CONNECTION_LEFT = "{server} has no connection left; end others, or raise max_connections."
    ABSENT = "{which} does not exist; create it, and run: {migrate}"
    UNMIGRATED = "{which} lacks the tables of this version ({line}); run: {migrate}"
    NO_DATABASE = (
        "{which} is damaged or no database ({line}); move that file or name another one in "
        "{setting}, and run: {migrate}"
    )
    NOT_OPENED = (
        "{which} can't be opened ({line}); name a file in an existing folder that this user may "
        "write, and run: {migrate}"
    )
    READ_ONLY = (
        "{which} is read-only ({line}); make it writable for this user, for a file with its "
        "folder, or name another in {setting}."
    )
    BUSY = "{which} is locked ({line}); end the program that holds it, or wait for it."
    UNREACHABLE = "{server} can't be reached ({line}); start it, or correct {setting}."
    NOT_NAMED = "{setting} names no database; name one there, and run: {migrate}"
    OTHER = "{which} refused ({line}); check that it is up, and that you have run: {migrate}"


_SIGNS: Mapping[Refusal, tuple[str | int, ...]] = {
    Refusal.FORBIDDEN: (
        *("42501", 1044, 1142),
        *("permission denied to create database", "permission denied for"),
    ),
    Refusal.PASSWORD_WANTED: ("no password supplied", "using password: no"),
    Refusal.NOT_LET_IN: (
        *("28P01", "28000", 1045),
        *("authentication failed", "no pg_hba.conf entry", 'fatal:  role "'),
    ),
    Refusal.FULL: ("53100", errno.ENOSPC, "disk is full", "no space left on device"),
    Refusal.NO_CONNECTION_LEFT: ("53300", 1040, "too many clients"),
    Refusal.ABSENT: ("3D000", 1049, 'database "bench_', 'fatal:  database "'),
    Refusal.UNMIGRATED: (
        *("42P01", "42703", 1146, 1054),
        *("no such table", "no such column", "has no column named"),
    ),
    Refusal.NO_DATABASE: ("file is not a database", "is malformed"),
    Refusal.NOT_OPENED: ("unable to open database file",),
    Refusal.READ_ONLY: ("25006", 1290, 1836, "readonly database"),
    Refusal.BUSY: ("55P03", 1205, "is locked"),
    Refusal.UNREACHABLE: (
        *("08000", "08001", "08003", "08006", "57P01", "57P03", 2002, 2003, 2006, 2013),
        *("connection refused", "connection failed", "could not connect"),
        *("could not translate host name", "couldn't get a connection", "failed to resolve host"),
        *("name or service not known", "no such file or directory", "timeout expired"),
        *("server closed the connection", "the connection is closed", "timed out"),
    ),
    Refusal.NOT_NAMED: ("please supply the engine value",),
}
"""By PostgreSQL's states, MySQL's numbers, words of any database. The first match counts: drivers
report any end of a connection as "connection failed"."""


def why(error: BaseException) -> Refusal:
    errors = list(_chain(error))
    codes = {getattr(one, "sqlstate", None) for one in errors}
    codes |= {one.args[0] for one in errors if one.args and isinstance(one.args[0], int)}
    text = " ".join(str(one) for one in errors).lower()
    for refusal, signs in _SIGNS.items():
        words = (sign for sign in signs if isinstance(sign, str) and sign.islower())
        if codes & set(signs) or any(sign in text for sign in words):
            return refusal
    return Refusal.OTHER


def sentence(error: BaseException, entry: Mapping[str, Any], alias: str = "default") -> str:
    """One sentence for a refusal by the database of a DATABASES entry: which, why, what to do."""
    refusal, place = why(error), where(entry)
    name = str(entry.get("NAME") or "without a name")
    return refusal.value.format(
        which=f"The database {name if place == SQLITE else f'{name} on {place}'}",
        server=f"The database server {place}",
        user=entry.get("USER") or "of this process",
        line=first_line(error),
        setting=f"DATABASES[{alias!r}]",
        migrate=MIGRATE if alias == "default" else f"{MIGRATE} --database={alias}",
    )


def first_line(error: BaseException) -> str:
    """The first line of the error or its first cause with a message."""
    errors = list(_chain(error))
    for cause in errors:
        if text := str(cause).strip():
            return text.splitlines()[0].rstrip(".")
    return type(errors[0]).__name__ if errors else "Django gave up; see its log"


def where(entry: Mapping[str, Any]) -> str:
    """Host and port, or that it is SQLite."""
    if "sqlite" in str(entry.get("ENGINE")) or "spatialite" in str(entry.get("ENGINE")):
        return SQLITE
    host = entry.get("HOST") or "localhost"
    if str(host).startswith("/"):
        return f"{host} (socket)"
    return f"{host}:{entry.get('PORT') or 'default port'}"


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error and its causes; Django turns some into SystemExit."""
    while error is not None:
        if not isinstance(error, SystemExit):
            yield error
        error = error.__cause__ or error.__context__
