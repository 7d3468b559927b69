"""What a chart draws: numbers with axes, in columns that say how each is drawn."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from operator import itemgetter
from typing import Any

from benchsuite.core.units import format_count, format_number
from benchsuite.report.charts.styles import Mark

LONGEST_TABLE = 240  #: Rows on a page; a longer one is shown in steps, and whole in its CSV.

Row = tuple[Any, ...]

first = itemgetter(0)


class Scale(Enum):
    QUANTITY = "quantity"  #: From zero.
    LEVEL = "level"  #: Levels that were set: from zero or, where they double, as far apart.
    MOMENT = "moment"  #: Seconds of a run; all charts of a page share the axis.
    DURATION = "duration"  #: Drawn in seconds or in milliseconds.
    PERCENTILE = "percentile"  #: As far from 90 % to 99 % as from 99 % to 99.9 %.


@dataclass(frozen=True, slots=True)
class Axis:
    title: str
    unit: str = ""  #: Behind each value in hover texts.
    per: float = 1  #: So much of what is stored is 1 on the axis.
    scale: Scale = Scale.QUANTITY


SECONDS = Axis("seconds since the first request", scale=Scale.MOMENT)
RESPONSE_TIME = Axis("response time", scale=Scale.DURATION)
MEMORY = Axis("memory (MiB)", " MiB", 2**20)


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name in a CSV (with the unit), its heading, how a value is written."""

    name: str
    title: str
    show: Callable[[Any], str] = format_number
    merge: Callable[[Sequence[Any]], Any] = max  #: Of several rows, in a shortened table.
    mark: Mark | None = None  #: How it is drawn; without one it is in the table alone.


SECOND = Column("second", "second", format_count, first)


@dataclass(frozen=True, slots=True)
class Series:
    """A table of numbers with a name; the first column is the horizontal axis."""

    slug: str  #: Names the anchor and the CSV.
    title: str
    across: Axis
    up: Axis
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""

    def __bool__(self) -> bool:
        return any(value is not None for row in self.rows for value in row[1:])

    @property
    def step(self) -> int:
        """How many rows stand in one row of the page's table."""
        return max(1, math.ceil(len(self.rows) / LONGEST_TABLE))

    @property
    def short_rows(self) -> list[list[str]]:
        written = []
        for at in range(0, len(self.rows), self.step):
            values = zip(*self.rows[at : at + self.step], strict=True)
            known = [[value for value in some if value is not None] for some in values]
            pairs = zip(self.columns, known, strict=True)
            written.append([one.show(one.merge(some) if some else None) for one, some in pairs])
        return written

    def column(self, index: int) -> list[Any]:
        return [row[index] for row in self.rows]
