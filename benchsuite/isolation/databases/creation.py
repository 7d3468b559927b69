"""Throw-away databases, made by Django's own test-database machinery, and the rows in them."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import django.db
from django.apps import apps
from django.db import DatabaseError, OperationalError, connections

from benchsuite.core.specs.database import PLACE, renamed

DUMMY = "django.db.backends.dummy"
LONGEST_ALIAS = 20  #: In a database's name; PostgreSQL allows 63 characters for all of it.
WHOLE = 2_000_000  #: A table with more rows is not counted: that would take too long.
CLIENTS = {
    # autovacuum gives way by itself, and only a superuser may end it
    "postgresql": "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
    " AND pid <> pg_backend_pid() AND backend_type = 'client backend'",
    "mysql": "SELECT ID FROM information_schema.PROCESSLIST WHERE DB = %s",
}
REMEMBERED = 500  #: Rows of each table that may be looked for again.


class Throwaway:
    """The databases of one token: a template for each database of the project, and their clones."""

    def __init__(self, token: str, folder: Path) -> None:
        self.token = token
        self.folder = folder
        self.mirrors: dict[str, str] = {}  #: Alias → that whose database it shares, by TEST.
        self.groups: dict[str, list[str]] = {}  #: First alias → all of the same database.
        self._clones: list[str] = []

    def begin(self) -> None:
        """Makes the templates, empty, and points every alias at them; needs no apps. Then no code
        of the project reaches a database of its own, be it at import or in `AppConfig.ready()`.
        """
        self._point_at_templates()
        for first in self.groups:
            creation: Any = connections[first].creation
            creation._create_test_db(verbosity=0, autoclobber=True)
        for alias, other in self.mirrors.items():
            source = _entry(other)
            _entry(alias).update({key: source[key] for key in (*PLACE, "OPTIONS")})

    def take_over(self, suffixes: Sequence[str]) -> None:
        """Adopts the templates and the copies with these suffixes; creates nothing."""
        self._point_at_templates()
        self._clones = [*suffixes]

    def _point_at_templates(self) -> None:
        places: dict[tuple[Any, ...], str] = {}
        for alias in _aliases():
            entry = _entry(alias)
            if mirrored := entry["TEST"]["MIRROR"]:
                self.mirrors[alias] = mirrored
                continue
            name = str(entry["NAME"])
            place: tuple[Any, ...] = (entry["ENGINE"], str(entry["HOST"]), str(entry["PORT"]), name)
            in_memory = ":memory:" in name or "mode=memory" in name
            if in_memory and connections[alias].vendor == "sqlite":
                place = (alias,)  # each has its own
            self.groups.setdefault(places.setdefault(place, alias), []).append(alias)
        for alias, other in self.mirrors.items():
            while other in self.mirrors:
                other = self.mirrors[other]
            self.mirrors[alias] = other
        for first, same in self.groups.items():
            name = self._template_name(first)
            for alias in same:
                _entry(alias)["TEST"].update(NAME=name, MIGRATE=True)  # whatever tests do
                renamed(_entry(alias), name)

    def migrate(self) -> None:
        """Migrates the templates, as `manage.py test` does."""
        from django.test.utils import setup_databases

        setup_databases(
            verbosity=2,  # names each migration, which the parent tells of one that takes long
            interactive=False,
            keepdb=True,
            serialized_aliases=[],
        )

    def names(self, suffix: str) -> dict[str, str]:
        """Alias → NAME of its copy with this suffix."""
        groups = [(self._clone_name(first, suffix), same) for first, same in self.groups.items()]
        return {alias: name for name, same in groups for alias in same}

    def clone(self, suffix: str) -> None:
        """Copies every template."""
        connections.close_all()  # a template with open connections can't be copied
        self._clones.append(suffix)
        for first in self.groups:
            connection: Any = connections[first]
            template, copied = _entry(first)["NAME"], self._clone_name(first, suffix)
            if connection.vendor in CLIENTS:
                with _cursor(connection) as cursor:
                    _send_away(cursor, connection.vendor, template)
            connection.creation.clone_test_db(suffix=suffix, verbosity=0)
            if connection.vendor != "mysql":
                continue
            # It is copied by programs, and Django doesn't look whether they end well.
            tables = []
            with _cursor(connection) as cursor:
                for name in (template, copied):
                    cursor.execute(
                        "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = %s",
                        [name],
                    )
                    tables.append(cursor.fetchone()[0])
            if tables[0] != tables[1]:
                raise DatabaseError(
                    f"mysqldump and mysql copied {tables[1]} of {tables[0]} tables to {copied}; "
                    "the log above says why"
                )

    @contextmanager
    def looking_at(self, suffix: str) -> Iterator[None]:
        """Every alias points at the copies of one run while the block runs."""
        clones = self.names(suffix)
        clones.update({alias: clones[other] for alias, other in self.mirrors.items()})
        templates = {alias: _entry(alias)["NAME"] for alias in clones}
        _point(clones)
        try:
            yield
        finally:
            _point(templates)
            connections.close_all()  # with "keep" none of them is pointed anywhere

    def drop(self, suffix: str) -> None:
        for first in self.groups:
            _drop(first, self._clone_name(first, suffix))
        self._clones.remove(suffix)

    def drop_all(self) -> None:
        """Drops everything that may exist, then raises the first error, if any."""
        if self.groups:
            connections.close_all()
        errors = []
        for first in self.groups:
            names = [self._clone_name(first, suffix) for suffix in self._clones]
            for name in (*names, self._template_name(first)):
                try:
                    _drop(first, name)
                except (django.db.Error, OSError) as error:
                    errors.append(error)
        if errors:
            raise errors[0]

    def _clone_name(self, alias: str, suffix: str) -> str:
        return str(connections[alias].creation.get_test_db_clone_settings(suffix)["NAME"])

    def _template_name(self, alias: str) -> str:
        position = list(self.groups).index(alias)
        short = re.sub(r"[^a-z0-9]", "", alias.lower())[:LONGEST_ALIAS]
        name = f"bench_{self.token}_{position}{short}"
        is_file = connections[alias].vendor == "sqlite"
        return str(self.folder / f"{name}.sqlite3") if is_file else name


def with_rows() -> set[tuple[str, str]]:
    """Database and table of all models of the project that have a row."""
    filled = set()
    for alias in _aliases():
        tables = set(connections[alias].introspection.table_names())
        for model in apps.get_models(include_auto_created=True):
            table = model._meta.db_table
            if table in tables and model._base_manager.using(alias).exists():
                filled.add((alias, table))
    return filled


def ensure_reached() -> None:
    """Raises django.db.Error where the default database, if there is one, does not answer."""
    if "default" in _aliases():
        connections["default"].get_database_version()


def _point(names: dict[str, str]) -> None:
    """Points each alias at another database and closes its old connections."""
    for alias, name in names.items():
        connection: Any = connections[alias]
        connection.close()
        if connection.vendor == "postgresql":
            connection.close_pool()
        _entry(alias)["NAME"] = name


FREED_S = 3.0  #: So long a database counts connections that were closed, at most.


@contextmanager
def _cursor(connection: Any) -> Iterator[Any]:
    """On no database; waits for its place where all connections were taken until just now."""
    last = monotonic() + FREED_S
    with ExitStack() as stack:
        while True:
            try:
                cursor = stack.enter_context(connection.creation._nodb_cursor())
                break
            except OperationalError:
                if monotonic() > last:
                    raise
                sleep(FREED_S / 30)
        yield cursor


def _send_away(cursor: Any, vendor: str, name: str) -> None:
    """Ends other connections to a database, such as those of threads started by `ready()`."""
    cursor.execute(CLIENTS[vendor], [name])
    for (pid,) in cursor.fetchall() if vendor == "mysql" else ():
        with suppress(OperationalError):  # it has ended by itself
            cursor.execute("KILL %s", [pid])


def _aliases() -> list[str]:
    return [alias for alias in connections if _entry(alias)["ENGINE"] != DUMMY]


def _entry(alias: str) -> dict[str, Any]:
    entry: dict[str, Any] = connections[alias].settings_dict
    return entry


def _drop(alias: str, name: str) -> None:
    """Drops a database that may be missing or may still have clients."""
    connection: Any = connections[alias]
    connection.close()
    if connection.vendor == "sqlite":
        for ending in ("", "-wal", "-shm", "-journal"):
            Path(name + ending).unlink(missing_ok=True)
        return
    force = ""
    if connection.vendor == "postgresql":
        connection.close_pool()
        force = "WITH (FORCE)"
    with _cursor(connection) as cursor:
        if connection.vendor == "mysql":  # it would wait for their transactions
            _send_away(cursor, connection.vendor, name)
        cursor.execute(f"DROP DATABASE IF EXISTS {connection.ops.quote_name(name)} {force}")


@dataclass(slots=True)
class Table:
    """One table. Its methods raise django.db.Error."""

    alias: str
    name: str
    key: str = ""  #: The column of its model's key, if any; several columns are of no use.
    known: Sequence[Any] | None = None  #: Keys of some of its first rows.

    @property
    def title(self) -> str:
        """Its name, with that of its database unless it is the default one."""
        return self.name if self.alias == "default" else f"{self.name} (in {self.alias})"

    def rows(self) -> int:
        (few,) = self._ask(f"SELECT COUNT(*) FROM (SELECT 1 FROM {{}} LIMIT {WHOLE + 1}) few")
        if few > WHOLE:
            raise django.db.Error(f"{self.name} is too large to be counted")
        if self.known is None:
            remembered = f"SELECT {{key}} FROM {{}} LIMIT {REMEMBERED}"
            self.known = self._ask(remembered) if self.key else ()
        return int(few)

    def is_missing_some(self) -> bool:
        """Whether rows are gone that were there when it was first counted."""
        if not self.known:
            return False
        places = ", ".join(["%s"] * len(self.known))
        present = self._ask(f"SELECT COUNT(*) FROM {{}} WHERE {{key}} IN ({places})", self.known)
        return bool(present[0] < len(self.known))

    def _ask(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """The first column of what is found, with names for {} (the table) and {key}."""
        quote = connections[self.alias].ops.quote_name
        with connections[self.alias].cursor() as cursor:
            cursor.execute(sql.format(quote(self.name), key=quote(self.key)), values)
            return [row[0] for row in cursor.fetchall()]


class Rows:
    """Counts all tables of some databases but those of sessions, time and again."""

    def __init__(self, aliases: Iterable[str]) -> None:
        from django.contrib.sessions.base_session import AbstractBaseSession  # of a loaded project

        all_models = apps.get_models(include_auto_created=True)
        models = {model._meta.db_table: model for model in all_models}
        keys = {name: getattr(model._meta.pk, "column", "") for name, model in models.items()}
        self.tables = [
            Table(alias, name, keys.get(name) or "")
            for alias in aliases
            for name in connections[alias].introspection.table_names()
            if not issubclass(models.get(name, object), AbstractBaseSession)
        ]

    def count(self, watched: Collection[str] = ()) -> dict[str, Any]:
        """Table → its rows, those of `watched` that lost early rows; where it can be counted."""
        rows, gone = {}, []
        for table in self.tables:
            with suppress(django.db.Error):  # what can't be counted is no evidence
                rows[table.title] = table.rows()
                if table.title in watched and table.is_missing_some():
                    gone.append(table.title)
        return {"rows": rows, "gone": gone}
