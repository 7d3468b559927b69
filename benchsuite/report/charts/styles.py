"""One colour and marker for each server, and another for each further cell of it.

The first six colours are those of Okabe and Ito (Color Universal Design, 2008) in the brightness
that shows on the white page and on the dark one; the others lie as far from these as can be.
"""

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

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
