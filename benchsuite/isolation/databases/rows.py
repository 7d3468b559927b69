"""How many rows the tables of a run's databases have: exactly, and at a known price."""

from collections.abc import Collection, Iterable, Sequence
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

REMEMBERED = 500  #: Rows of each table that may be looked for again.


@dataclass(slots=True)
class Table:
    """One table, always counted in the way of the first time. Its methods raise django.db.Error."""

    alias: str
    name: str
    key: Any = None  #: The model's field, if any.
    above: Sequence[Any] = ()  #: Of a large table: the highest key when it was first counted.
    known: Sequence[Any] | None = None  #: Keys of some of its first rows.

    @property
    def title(self) -> str:
        """Its name, with that of its database unless it is the default one."""
        return self.name if self.alias == "default" else f"{self.name} (in {self.alias})"

    def rows(self) -> int:
        if self.known is None:
            (few,) = self._ask(f"SELECT COUNT(*) FROM (SELECT 1 FROM {{}} LIMIT {WHOLE + 1}) few")
            if few > WHOLE and not isinstance(self.key, AutoField):
                raise django.db.Error(f"{self.name} is too large to be counted")
            self.above = self._ask("SELECT MAX({key}) FROM {}") if few > WHOLE else ()
            remembered = f"SELECT {{key}} FROM {{}} LIMIT {REMEMBERED}"
            self.known = self._ask(remembered) if self.key else ()
        above = " WHERE {key} > %s" if self.above else ""
        return int(self._ask(f"SELECT COUNT(*) FROM {{}}{above}", self.above)[0])

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
        key = quote(self.key.column) if self.key else ""
        with connections[self.alias].cursor() as cursor:
            cursor.execute(sql.format(quote(self.name), key=key), values)
            return [row[0] for row in cursor.fetchall()]


class Rows:
    """Counts all tables of some databases but those of sessions, time and again."""

    def __init__(self, aliases: Iterable[str]) -> None:
        models = {one._meta.db_table: one for one in apps.get_models(include_auto_created=True)}
        self.tables = [
            Table(alias, name, models[name]._meta.pk if name in models else None)
            for alias in aliases
            for name in connections[alias].introspection.table_names()
            if not issubclass(models.get(name, object), AbstractBaseSession)
        ]

    def count(self, watched: Collection[str] = ()) -> dict[str, Any]:
        """Table → its rows, and those of `watched` that lost early rows; without what can't be
        counted.
        """
        rows, gone = {}, []
        for table in self.tables:
            try:
                rows[table.title] = table.rows()
                if table.title in watched and table.is_missing_some():
                    gone.append(table.title)
            except django.db.Error:
                continue  # so it is no evidence
        return {"rows": rows, "gone": gone}
