"""Fills throw-away databases: by fixtures and commands, a copy of the own data, user sessions."""

import os
import secrets
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from inspect import signature
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import django.db
from django.apps import apps
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connections, models
from django.db.utils import ConnectionHandler

from benchsuite.core.exceptions import DatabaseError, NobodyWaits, last_line
from benchsuite.core.refusals import sentence
from benchsuite.core.specs import DatabaseSpec
from benchsuite.core.specs.database import shown_command
from benchsuite.core.units import format_bytes


def fill(database: DatabaseSpec, begin: Callable[[str], None]) -> None:
    """Raises DatabaseError with the message of what failed; `begin` is told what comes next."""
    if database.fixtures:
        names = ", ".join(database.fixtures)
        begin(f"load fixture {names}")
        try:
            call_command("loaddata", *database.fixtures, database="default", verbosity=0)
        except CommandError as error:
            raise DatabaseError(f"--fixture={names} could not be loaded: {error}") from error
    for words in database.commands:
        begin(f"fill by {shown_command(words)}")
        reason = ""
        try:
            call_command(*words)
        except CommandError as error:
            reason = str(error) or "CommandError"
        except NobodyWaits:
            raise
        except SystemExit as error:
            if error.code:
                ended = f"it ended with {error.code}"
                reason = error.code if isinstance(error.code, str) else ended
        except Exception as error:  # noqa: BLE001 - a project's own command
            reason = last_line(error)
        if reason:
            raise DatabaseError(f"--fill={shown_command(words)} failed: {reason}")


MOST_BYTES = 5 * 2**30  #: Limit for all databases together: every run gets a copy of the copy.
PAGES = 4096  #: Pages of SQLite copied at once: between two steps other programs may write.
DUMPS = {
    "postgresql": (
        *("pg_dump", "--no-owner", "--no-privileges", "--no-tablespaces", "--no-publications"),
        *("--no-subscriptions", "--no-security-labels", "--lock-wait-timeout=10s"),
    ),
    "mysql": (
        *("mysqldump", "--single-transaction", "--quick", "--skip-lock-tables", "--routines"),
        "--no-tablespaces",
    ),
}
"""By vendor what writes the database as SQL in one reading transaction, without what would reach
out of the copy (subscriptions, events) or needs rights that its owner may lack."""
LOADS = {"postgresql": ("--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1"), "mysql": ()}
SIZES = {
    "postgresql": "SELECT pg_database_size(current_database())",
    "mysql": "SELECT COALESCE(SUM(data_length + index_length), 0) FROM information_schema.tables "
    "WHERE table_schema = DATABASE()",
}
INSTEAD = "fill it with --fixture or --fill"


def own_databases(databases: Mapping[str, Any], aliases: Iterable[str]) -> dict[str, Any]:
    """Alias → a connection, not yet open, to the project's own database; completes the entries.
    Raises DatabaseError for one of another kind than the throw-away database.
    """
    for entry in databases.values():
        entry.get("OPTIONS", {}).pop("pool", None)
    handler: Any = ConnectionHandler({"default": {}, **databases})
    own = {alias: handler[alias] for alias in aliases}
    for alias, connection in own.items():
        mine, copied = connection.vendor, connections[alias].vendor
        if mine != copied or mine not in ("sqlite", *DUMPS):
            raise DatabaseError(
                "--fill-from=mine copies SQLite, PostgreSQL, MariaDB and MySQL into a database of "
                f"the same kind, and {alias} is {mine}, the throw-away one {copied}: leave "
                f"--database out, or {INSTEAD}."
            )
    return own


def size(own: Mapping[str, Any]) -> int:
    """Bytes of the databases together; raises DatabaseError where they are too many."""
    total = sum(_size(connection) for connection in own.values())
    if total > MOST_BYTES:
        raise DatabaseError(
            f"--fill-from=mine copies {format_bytes(MOST_BYTES)} at most, and your data have "
            f"{format_bytes(total)}: {INSTEAD}."
        )
    return total


def fill_from_own(own: Mapping[str, Any]) -> None:
    """Copies each into the empty throw-away database of its alias."""
    for alias, source in own.items():
        target: Any = connections[alias]
        target.close()
        if source.vendor == "sqlite":
            with _explained(source):
                _back_up(_file(source), target.settings_dict["NAME"])
        else:
            if source.vendor == "postgresql":
                target.close_pool()
            _dump(source, target)


@contextmanager
def _explained(source: Any) -> Iterator[None]:
    """Says of the project's own database what it refuses."""
    try:
        yield
    except (django.db.Error, sqlite3.Error) as error:
        reason = sentence(error, source.settings_dict, source.alias)
        raise DatabaseError(f"--fill-from=mine: {reason}") from error


def _size(connection: Any) -> int:
    if connection.vendor == "sqlite":
        path = _file(connection)
        log = Path(f"{path}-wal")
        return path.stat().st_size + (log.stat().st_size if log.exists() else 0)
    with _explained(connection), closing(connection), connection.cursor() as cursor:
        cursor.execute(SIZES[connection.vendor])
        return int(cursor.fetchone()[0])


def _file(connection: Any) -> Path:
    """The file of an SQLite database, whose NAME may be a URI."""
    name = str(connection.get_connection_params()["database"])
    if name.startswith("file:"):
        name = unquote(name.removeprefix("file:").partition("?")[0])
    path = Path(name)
    if not path.is_file():
        raise DatabaseError(
            f"--fill-from=mine copies your database {connection.alias}, and there is no file "
            f"{name}: {INSTEAD}."
        )
    return path.absolute()


def _back_up(original: Path, copied: str) -> None:
    """By SQLite's own online backup, read-only; immutable where nobody has a write-ahead log open:
    SQLite would create the files of its log beside it.
    """
    log = Path(f"{original}-wal")
    with original.open("rb") as file:
        alone = file.read(20)[18:] == b"\2\2" and not log.exists()
    before = original.stat().st_mtime_ns

    uri = f"{original.as_uri()}?{'immutable=1' if alone else 'mode=ro'}"
    with (
        closing(sqlite3.connect(uri, uri=True)) as source,
        closing(sqlite3.connect(copied)) as target,
    ):
        source.backup(target, pages=PAGES)
    if alone and (log.exists() or original.stat().st_mtime_ns != before):
        raise DatabaseError(
            f"Another program began to write {original} while --fill-from=mine copied it: try "
            "again."
        )


def _dump(source: Any, target: Any) -> None:
    """Pipes what the vendor's own program writes into the client that Django starts."""
    vendor = source.vendor
    ours, our_env = _client(source)
    theirs, their_env = _client(target)
    dump, *options = DUMPS[vendor]
    commands = (
        ([dump, *ours[1:], *options], our_env),  # a --defaults-file comes first
        ([theirs[0], *LOADS[vendor], *theirs[1:]], their_env),
    )
    with ExitStack() as stack:
        programs: list[tuple[Any, Any]] = []
        pipe: Any = subprocess.DEVNULL
        for words, env in commands:
            errors = stack.enter_context(tempfile.TemporaryFile())
            try:
                program = stack.enter_context(
                    subprocess.Popen(
                        words, env=env, stdin=pipe, stdout=subprocess.PIPE, stderr=errors
                    )
                )
            except FileNotFoundError as error:
                raise DatabaseError(
                    f"--fill-from=mine needs the program {words[0]}, which is not there: install "
                    f"the client programs of the database, or {INSTEAD}."
                ) from error
            stack.callback(program.kill)
            programs.append((program, errors))
            pipe = program.stdout
        programs[0][0].stdout.close()  # so that it ends when its reader does
        programs[1][0].communicate()
        for program, errors in reversed(programs):
            if program.wait():
                errors.seek(0)
                lines = errors.read().decode(errors="replace").strip().splitlines() or ["nothing"]
                reason = max(reversed(lines), key=lambda line: "error" in line.lower())
                raise DatabaseError(
                    f"--fill-from=mine could not copy your database {source.alias}: "
                    f"{program.args[0]} ended with status {program.returncode} and said: {reason}"
                )


def _client(connection: Any) -> tuple[list[str], dict[str, str]]:
    """The database's client, as `manage.py dbshell` starts it, and its environment."""
    entry = connection.settings_dict
    words, env = connection.client.settings_to_cmd_args_env(entry, [])
    options = entry["OPTIONS"].get("options") if connection.vendor == "postgresql" else ""
    return words, {**os.environ, **(env or {}), **({"PGOPTIONS": options} if options else {})}


SUPERUSER = "superuser"
NEEDED = ("django.contrib.auth", "django.contrib.sessions")


def check_apps(name: str) -> None:
    """Raises DatabaseError where the project has no sessions of Django's, or no users."""
    if missing := [app for app in NEEDED if not apps.is_installed(app)]:
        raise DatabaseError(
            f"--login={name} creates a Django session, and INSTALLED_APPS of the project has no "
            f"{' and no '.join(missing)}; log in inside a journey, or give --cookie or --header."
        )


def signed_in(name: str, rights: str = "") -> tuple[dict[str, str], str]:
    """The cookies of a user's session, and in words who that is and whence. A missing user is
    created without a password, as an ordinary one unless `rights` ("superuser", "staff") says
    otherwise; one that is there gets these. Raises DatabaseError where fields are required that
    can't be made up, or there are no such rights.
    """
    from django.contrib import auth
    from django.http import HttpRequest
    from django.test import Client

    user, origin = _found_or_made(auth.get_user_model(), name, rights)
    if not user.is_active:
        raise DatabaseError(
            f"--login={name} names an inactive user, whom no page accepts; name an active one."
        )
    client = Client()
    client.force_login(user)
    request = HttpRequest()
    request.session = client.session
    if not auth.get_user(request).is_authenticated:
        raise DatabaseError(
            f"--login={name}: none of AUTHENTICATION_BACKENDS "
            f"({', '.join(settings.AUTHENTICATION_BACKENDS)}) takes up that user's session; log in "
            "inside a journey."
        )
    kind = "staff" if getattr(user, "is_staff", False) else "ordinary user"
    if getattr(user, "is_superuser", False):
        kind = SUPERUSER
    cookies = {key: morsel.value for key, morsel in client.cookies.items()}
    return cookies, f"as {name} ({origin}: {kind})"


def _found_or_made(model: Any, name: str, rights: str) -> tuple[Any, str]:
    """The user, and where he comes from. A superuser is staff, too."""
    manager = model._default_manager
    try:
        user, origin = manager.get(**{model.USERNAME_FIELD: name}), "found in the data"
    except model.DoesNotExist:
        origin = "created"
        create = getattr(manager, f"create_{rights}", None) if rights == SUPERUSER else None
        user = _made(model, name, create)
        if create is not None:
            return user, origin
    if not rights:
        return user, origin
    wanted = [f"is_{rights}", *["is_staff"] * (rights == SUPERUSER)]
    fields = {field.name for field in user._meta.concrete_fields} & {*wanted}
    if wanted[0] not in fields:
        raise DatabaseError(
            f"--login={user.get_username()}:{rights} sets {wanted[0]}, and {user._meta.label} has "
            f"no such field; name a user with these rights whom --fixture or --fill creates."
        )
    for field in fields:
        setattr(user, field, True)
    user.save(update_fields=fields)
    return user, origin if origin == "created" else f"{origin}, rights added"


def _made(model: Any, name: str, create: Callable[..., Any] | None) -> Any:
    """A user with this name and whatever else the model requires; superusers need a password."""
    label = model._meta.label
    try:
        values = {
            field: _value(model._meta.get_field(field), name)
            for field in (model.USERNAME_FIELD, *model.REQUIRED_FIELDS)
        }
        model._meta.get_field(model.USERNAME_FIELD).clean(name, None)
        if create is not None:
            return create(**values, password=secrets.token_urlsafe())
        create_user = model._default_manager.create_user
        nothing = {"password": None} if "password" in signature(create_user).parameters else {}
        return create_user(**{**nothing, **values})
    except (AttributeError, TypeError, ValueError, ValidationError, IntegrityError) as error:
        reason = "; ".join(error.messages) if isinstance(error, ValidationError) else str(error)
        raise DatabaseError(
            f"--login={name}: there is no such user, and {label} could not be created ({reason}); "
            "add one with --fixture or --fill."
        ) from error


def _value(field: Any, name: str) -> Any:
    """A value that a required field accepts."""
    if field.name == field.model.USERNAME_FIELD:
        return name
    if field.has_default():
        return field.get_default()
    known: tuple[tuple[type[models.Field[Any, Any]], Any], ...] = (
        (models.EmailField, name if "@" in name else f"{name}@example.com"),
        (models.CharField, name[: getattr(field, "max_length", None) or None]),
        (models.TextField, name),
        (models.DateTimeField, datetime(2000, 1, 1, tzinfo=UTC)),
        (models.DateField, datetime(2000, 1, 1, tzinfo=UTC).date()),
        (models.BooleanField, False),
        (models.IntegerField, 1),
    )
    for kind, value in known:
        if isinstance(field, kind):
            return value
    raise ValueError(f"its {field.name} is a {type(field).__name__}, which can't be made up")
