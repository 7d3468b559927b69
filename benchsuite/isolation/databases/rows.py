"""How many rows the tables of a run's databases have: exactly, and at a known price."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import django.db
from django.apps import apps
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import connections
from django.db.models import AutoField

WHOLE = 200_000
"""Up to so many rows a table is counted whole; of a larger one only what comes after its highest
automatic key is counted, and nothing where it has no such key."""

REMEMBERED = 500  #: Rows of each table that are looked for again.


@dataclass(slots=True)
class Table:
    """One table, always counted in the way of the first time."""

    alias: str
    name: str
    key: str = ""  #: Column of the primary key; empty if no model tells it.
    rises: bool = False  #: Whether later rows have higher keys.
    rows: int | None = None
    above: Any = None  #: Of a large table: the highest key when it was first counted.
    known: tuple[Any, ...] = ()  #: Keys of some of its rows.
    gone: bool = False  #: Whether one of these rows was deleted since.

    @property
    def title(self) -> str:
        """Its name, with that of its database unless it is the default one."""
        return self.name if self.alias == "default" else f"{self.name} (in {self.alias})"

    def count(self) -> None:
        """Raises django.db.Error."""
        quote = connections[self.alias].ops.quote_name
        table, key = quote(self.name), quote(self.key) if self.key else ""
        if self.rows is None:
            few = f"SELECT COUNT(*) FROM (SELECT 1 FROM {table} LIMIT {WHOLE + 1}) few"
            if self._ask(few)[0] > WHOLE:
                if not self.rises:
                    raise django.db.Error(f"{self.name} is too large to be counted")
                (self.above,) = self._ask(f"SELECT MAX({key}) FROM {table}")
        later = [] if self.above is None else [self.above]
        (self.rows,) = self._ask(
            f"SELECT COUNT(*) FROM {table}{f' WHERE {key} > %s' * len(later)}", later
        )
        if key:
            places = ", ".join(["%s"] * len(self.known))
            left = f"SELECT COUNT(*) FROM {table} WHERE {key} IN ({places})"
            self.gone = bool(places) and self._ask(left, self.known)[0] < len(self.known)
            self.known = self._ask(f"SELECT {key} FROM {table} LIMIT {REMEMBERED}", all_rows=True)

    def _ask(self, sql: str, values: Iterable[Any] = (), *, all_rows: bool = False) -> Any:
        with connections[self.alias].cursor() as cursor:
            cursor.execute(sql, [*values])
            return tuple(key for (key,) in cursor.fetchall()) if all_rows else cursor.fetchone()


class Rows:
    """Counts all tables of some databases but those of sessions, time and again."""

    def __init__(self, aliases: Iterable[str]) -> None:
        models = {one._meta.db_table: one for one in apps.get_models(include_auto_created=True)}
        self._tables = []
        for alias in aliases:
            for name in connections[alias].introspection.table_names():
                model = models.get(name)
                if model is None:
                    self._tables.append(Table(alias, name))
                elif not issubclass(model, AbstractBaseSession):
                    key = model._meta.pk
                    rises = isinstance(key, AutoField)
                    self._tables.append(Table(alias, name, key.column or "", rises))

    def count(self) -> dict[str, Any]:
        """Table → its rows, and the tables that lost rows which the last count had seen; a table
        that can't be counted is left out from then on.
        """
        counted = []
        for table in self._tables:
            try:
                table.count()
            except django.db.Error:
                continue
            counted.append(table)
        self._tables = counted
        return {
            "rows": {one.title: one.rows for one in counted},
            "gone": [one.title for one in counted if one.gone],
        }
