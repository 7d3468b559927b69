"""Looks: of columns, and of servers: a colour and marker each, others for further cells of one.

The first six colours are those of Okabe and Ito (Color Universal Design, 2008) in the brightness
that shows on the white page and on the dark one; the others lie as far from these as can be.
"""

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

COLOURS = (
    *("#0f7ac0", "#ad8400", "#00946b", "#d55e00", "#b8629a", "#8700ff"),
    *("#8a8a8a", "#ff0069", "#875a3c", "#ff00ff", "#9678ff", "#b400a5"),
    *("#784bb4", "#c31e2d", "#4b6978", "#5a6900", "#d269e1", "#5a96e1"),
    *("#c300ff", "#f01eb4"),
)
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
MARKERS = (
    *("circle", "square", "diamond", "triangle-up", "x"),
    *("cross", "star", "triangle-down", "pentagon", "bowtie"),
)

COMPARED_MOST = (
    *("gunicorn-gthread", "uvicorn", "granian-wsgi", "uwsgi", "waitress", "daphne"),
    "gunicorn-sync",
)
"""They have the first colours: what stands on one page most often has none in common."""

PARTS = {
    "target": "#0f7ac0",
    "workers": "#5a96e1",
    "front": "#00946b",
    "database": "#b8629a",
    "redis": "#d55e00",
    "delay": "#8a8a8a",
    "api": "#6b6b6b",
    "load": "#ad8400",
}
"""The parts of a run that telemetry tells apart, in the order in which charts show them."""
OF_MEASURING = ("delay", "api", "load")
"""Parts that are no part of what is measured: nothing is stacked on or under them."""
OTHER_PART = "#784bb4"
PERCENTILES = {"p50": ("#0f7ac0", "solid"), "p95": ("#ad8400", "dash"), "p99": ("#b8629a", "dot")}
GOOD, BAD = "#0f7ac0", "#d55e00"


@dataclass(frozen=True, slots=True)
class Style:
    colour: str
    marker: str


def styles(servers: Sequence[str]) -> list[Style]:
    """A style for each cell, by its server: its own colour for the first, else the next free."""
    used: Counter[int] = Counter()
    by_cell: dict[int, Style] = {}
    for cell in sorted(range(len(servers)), key=lambda cell: servers.index(servers[cell]) != cell):
        own = _own_place(servers[cell])
        steps = range(own, own + len(COLOURS))
        place = min((step % len(COLOURS) for step in steps), key=lambda place: used[place])
        marker = MARKERS[(place + used[place]) % len(MARKERS)]
        used[place] += 1
        by_cell[cell] = Style(COLOURS[place], marker)
    return [by_cell[cell] for cell in range(len(servers))]


def _own_place(server: str) -> int:
    """The first colours are of those compared most; others have theirs by a checksum."""
    if server in COMPARED_MOST:
        return COMPARED_MOST.index(server)
    first = len(COMPARED_MOST)
    return first + zlib.crc32(server.encode()) % (len(COLOURS) - first)


@dataclass(frozen=True, slots=True)
class Mark:
    """The look of a column, and how much of it is drawn."""

    look: dict[str, Any]  #: Of a trace of plotly.js.
    name: str = ""  #: In the legend; else the column's title.
    above: str = ""  #: Name of the column down to which the area below is filled.
    rows: int | None = None  #: How many of the first rows are drawn; None for all.


def line(
    colour: str, dash: str = "solid", *, width: float = 2, name: str = "", **look: Any
) -> Mark:
    stroke = {"color": colour, "dash": dash, "width": width}
    return Mark({"mode": "lines", "line": stroke, **look}, name)


def dotted_line(colour: str, dash: str = "solid", *, name: str = "", **look: Any) -> Mark:
    """A line with a dot at each value: where values are few, and apart."""
    return line(colour, dash, name=name, mode="lines+markers", **look)


def steps(colour: str, rows: int) -> Mark:
    """A line that keeps its height from each row to the next one."""
    look = line(colour).look
    look["line"]["shape"] = "hv"
    return Mark(look, rows=rows)


def stacked(colour: str, width: float = 2) -> Mark:
    """An area that stands on those of the columns before it."""
    return line(colour, width=width, stackgroup="all")


def points(colour: str, symbol: str = "circle") -> Mark:
    return Mark({"mode": "markers", "marker": {"color": colour, "symbol": symbol, "size": 9}})


def bars(colour: str) -> Mark:
    """A bar over each second that has something to show."""
    return Mark({"type": "bar", "offset": 0, "width": 1, "marker": {"color": colour}})


def band(colour: str, above: str, name: str, strength: float) -> Mark:
    """The area between a column and the one `above` which it lies; the colour is #rrggbb."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    fill = f"rgba({red},{green},{blue},{strength})"
    return Mark(line(colour, width=0, fill="tonexty", fillcolor=fill).look, name, above)
