"""What a database error means, for any database and driver."""

import errno
from collections.abc import Collection, Iterator, Mapping
from enum import Enum, auto
from pathlib import Path
from typing import Any, NamedTuple

SQLITE = "SQLite"
MIGRATE = "python manage.py migrate"


class Refusal(Enum):
    """Why a database refuses a request."""

    FORBIDDEN = auto()
    PASSWORD_WANTED = auto()
    NOT_LET_IN = auto()
    FULL = auto()
    NO_CONNECTION_LEFT = auto()
    ABSENT = auto()
    UNMIGRATED = auto()
    NO_DATABASE = auto()
    NOT_OPENED = auto()
    READ_ONLY = auto()
    BUSY = auto()
    UNREACHABLE = auto()
    NOT_NAMED = auto()
    OTHER = auto()


class _Signs(NamedTuple):
    """Signs of a refusal: PostgreSQL's states, MySQL's numbers, words of any."""

    refusal: Refusal
    states: Collection[str] = ()
    numbers: Collection[int] = ()
    words: Collection[str] = ()


_SIGNS = (
    _Signs(
        Refusal.FORBIDDEN,
        ("42501",),
        (1044, 1142),
        ("permission denied to create database", "permission denied for"),
    ),
    _Signs(Refusal.PASSWORD_WANTED, words=("no password supplied", "using password: no")),
    _Signs(
        Refusal.NOT_LET_IN,
        ("28P01", "28000"),
        (1045,),
        ("authentication failed", "no pg_hba.conf entry", 'fatal:  role "'),
    ),
    _Signs(Refusal.FULL, ("53100",), (errno.ENOSPC,), ("disk is full", "no space left on device")),
    _Signs(Refusal.NO_CONNECTION_LEFT, ("53300",), (1040,), ("too many clients",)),
    _Signs(Refusal.ABSENT, ("3D000",), (1049,), ('database "bench_', 'fatal:  database "')),
    _Signs(
        Refusal.UNMIGRATED,
        ("42P01", "42703"),
        (1146, 1054),
        ("no such table", "no such column", "has no column named"),
    ),
    _Signs(Refusal.NO_DATABASE, words=("file is not a database", "is malformed")),
    _Signs(Refusal.NOT_OPENED, words=("unable to open database file",)),
    _Signs(Refusal.READ_ONLY, ("25006",), (1290, 1836), ("readonly database",)),
    _Signs(Refusal.BUSY, ("55P03",), (1205,), ("is locked",)),
    _Signs(
        Refusal.UNREACHABLE,
        ("08000", "08001", "08003", "08006", "57P01", "57P03"),
        (2002, 2003, 2006, 2013),
        (
            "connection refused",
            "connection failed",
            "could not connect",
            "could not translate host name",
            "couldn't get a connection",
            "failed to resolve host",
            "name or service not known",
            "no such file or directory",
            "server closed the connection",
            "the connection is closed",
            "timeout expired",
            "timed out",
        ),
    ),
    _Signs(Refusal.NOT_NAMED, words=("please supply the engine value",)),
)
"""The first match counts: drivers report any end of a connection as "connection failed"."""


def why(error: BaseException) -> Refusal:
    errors = list(_chain(error))
    states = {getattr(one, "sqlstate", None) for one in errors}
    numbers = {one.args[0] for one in errors if one.args and isinstance(one.args[0], int)}
    text = " ".join(str(one) for one in errors).lower()
    for refusal, its_states, its_numbers, words in _SIGNS:
        if states & set(its_states) or numbers & set(its_numbers):
            return refusal
        if any(word in text for word in words):
            return refusal
    return Refusal.OTHER


def sentence(error: BaseException, entry: Mapping[str, Any], alias: str = "default") -> str:
    """One sentence for a refusal by the database of a DATABASES entry: which, why, what to do."""
    line, user = first_line(error), entry.get("USER") or "of this process"
    which = f"The database {_name(entry)}"
    server = f"The database server {where(entry)}"
    setting = f"DATABASES[{alias!r}]"
    migrate = MIGRATE if alias == "default" else f"{MIGRATE} --database={alias}"
    match why(error):
        case Refusal.FORBIDDEN:
            return f"{which} does not allow that to the user {user} ({line}); grant the right."
        case Refusal.PASSWORD_WANTED:
            return (
                f"{server} wants a password for {user}, and {setting} has none; write it there, or "
                "into PGPASSWORD or ~/.pgpass."
            )
        case Refusal.NOT_LET_IN:
            return f"{server} does not let the user {user} in ({line}); correct {setting}."
        case Refusal.FULL:
            return f"{which} has no space left ({line}); make room on its disk."
        case Refusal.NO_CONNECTION_LEFT:
            return f"{server} has no connection left; end others, or raise max_connections."
        case Refusal.ABSENT:
            return f"{which} does not exist; create it, and run: {migrate}"
        case Refusal.UNMIGRATED:
            return f"{which} lacks the tables of this version ({line}); run: {migrate}"
        case Refusal.NO_DATABASE:
            return (
                f"{which} is damaged or no database ({line}); move that file or name another one "
                f"in {setting}, and run: {migrate}"
            )
        case Refusal.NOT_OPENED:
            return f"{which} can't be opened: {_obstacle(entry)}, and run: {migrate}"
        case Refusal.READ_ONLY:
            return (
                f"{which} is read-only ({line}); make it writable for this user, for a file with "
                f"its folder, or name another in {setting}."
            )
        case Refusal.BUSY:
            return f"{which} is locked ({line}); end the program that holds it, or wait for it."
        case Refusal.UNREACHABLE:
            return f"{server} can't be reached ({line}); start it, or correct {setting}."
        case Refusal.NOT_NAMED:
            return f"{setting} names no database; name one there, and run: {migrate}"
    return f"{which} refused ({line}); check that it is up, and that you have run: {migrate}"


def first_line(error: BaseException) -> str:
    """The first line of the error or its first cause with a message."""
    errors = list(_chain(error))
    for one in errors:
        if text := str(one).strip():
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


def _name(entry: Mapping[str, Any]) -> str:
    name = str(entry.get("NAME") or "without a name")
    return name if where(entry) == SQLITE else f"{name} on {where(entry)}"


def _obstacle(entry: Mapping[str, Any]) -> str:
    """Why a file can't be opened, and what to do about it."""
    file = Path(str(entry.get("NAME") or ""))
    try:
        if file.is_dir():
            return "it is a folder; name a file in it"
        if not file.parent.is_dir():
            return f"there is no folder {file.parent}; create it"
    except (OSError, ValueError):  # a name that no file can have, or a folder that hides it
        pass
    return "this user has no permission; allow reading and writing it and its folder"


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error and its causes; Django turns some into SystemExit."""
    while error is not None:
        if not isinstance(error, SystemExit):
            yield error
        error = error.__cause__ or error.__context__
