"""What a chart draws: numbers with axes, in columns that say how each is drawn."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from operator import itemgetter
from typing import Any

from benchsuite.core.units import format_count, format_number

Trace = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Mark:
    """The look of a column, and how much of it is drawn."""

    look: Trace
    name: str = ""  #: In the legend; else the column's title.
    above: str = ""  #: Name of the column down to which the area below is filled.
    rows: int | None = None  #: How many of the first rows are drawn; None for all.


def line(colour: str, dash: str = "solid") -> Mark:
    return Mark({"mode": "lines", **_stroke(colour, dash)})


def dotted_line(colour: str, dash: str = "solid", name: str = "") -> Mark:
    """A line with a dot at each value: where values are few, and apart."""
    return Mark({"mode": "lines+markers", **_stroke(colour, dash)}, name)


def aside(colour: str, name: str) -> Mark:
    """A line beside what is stacked."""
    return Mark({"mode": "lines", "connectgaps": True, **_stroke(colour, "dash", 1.5)}, name)


def steps(colour: str, rows: int | None = None) -> Mark:
    """A line that keeps its height from each row to the next one."""
    look = _stroke(colour)
    look["line"]["shape"] = "hv"
    return Mark({"mode": "lines", **look}, rows=rows)


def stacked(colour: str, width: float = 2) -> Mark:
    """An area that stands on those of the columns before it."""
    return Mark({"mode": "lines", "stackgroup": "all", **_stroke(colour, width=width)})


def points(colour: str, symbol: str = "circle") -> Mark:
    return Mark({"mode": "markers", "marker": {"color": colour, "symbol": symbol, "size": 9}})


def bars(colour: str) -> Mark:
    """A bar over each second that has something to show."""
    return Mark({"type": "bar", "offset": 0, "width": 1, "marker": {"color": colour}})


def band(colour: str, above: str, name: str, strength: float) -> Mark:
    """The area between a column and the one `above` which it lies; the colour is #rrggbb."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    fill = {"fill": "tonexty", "fillcolor": f"rgba({red},{green},{blue},{strength})"}
    return Mark({"mode": "lines", **_stroke(colour, width=0), **fill}, name, above)


def _stroke(colour: str, dash: str = "solid", width: float = 2) -> Trace:
    return {"line": {"color": colour, "dash": dash, "width": width}}


LONGEST_TABLE = 240
"""Rows of a table on a page; a longer series is shown in steps there, and whole in its CSV."""

Row = tuple[Any, ...]


first = itemgetter(0)


class Scale(Enum):
    """What an axis measures."""

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
    merge: Callable[[Sequence[Any]], Any] = max
    """What stands for several rows in a shortened table."""
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
            written.append(
                [
                    column.show(column.merge(some) if some else None)
                    for column, some in zip(self.columns, known, strict=True)
                ]
            )
        return written

    def column(self, index: int) -> list[Any]:
        return [row[index] for row in self.rows]

    def named(self, name: str) -> list[Any]:
        return self.column([column.name for column in self.columns].index(name))
