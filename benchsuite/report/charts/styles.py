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
MARKERS = {
    "circle": "M6 2a4 4 0 1 0 .01 0z",
    "square": "M2.5 2.5h7v7h-7z",
    "diamond": "M6 1l5 5-5 5-5-5z",
    "triangle-up": "M6 1.5l5 9H1z",
    "x": "M3 1l3 3 3-3 2 2-3 3 3 3-2 2-3-3-3 3-2-2 3-3-3-3z",
    "cross": "M4.5 1h3v3.5H11v3H7.5V11h-3V7.5H1v-3h3.5z",
    "star": "M6 .5l1.5 3.6 3.9.3-3 2.5 1 3.8L6 8.7 2.6 10.7l1-3.8-3-2.5 3.9-.3z",
    "triangle-down": "M1 1.5h10l-5 9z",
    "pentagon": "M6 1l5 3.8-2 6H3l-2-6z",
    "bowtie": "M1 2l5 4 5-4v8L6 6l-5 4z",
}
"""Plotly's name of each marker → its outline in a box of 12 × 12, for legends."""

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

    @property
    def outline(self) -> str:
        """The marker as the path of an SVG."""
        return MARKERS[self.marker]


def styles(servers: Sequence[str]) -> list[Style]:
    """A style for each cell, by its server: its own colour for the first, else the next free."""
    used: Counter[int] = Counter()
    by_cell: dict[int, Style] = {}
    for cell in sorted(range(len(servers)), key=lambda cell: servers.index(servers[cell]) != cell):
        own = _own_place(servers[cell])
        steps = range(own, own + len(COLOURS))
        place = min((step % len(COLOURS) for step in steps), key=lambda place: used[place])
        marker = list(MARKERS)[(place + used[place]) % len(MARKERS)]
        used[place] += 1
        by_cell[cell] = Style(COLOURS[place], marker)
    return [by_cell[cell] for cell in range(len(servers))]


def _own_place(server: str) -> int:
    """The first colours are of those compared most; others have theirs by a checksum."""
    if server in COMPARED_MOST:
        return COMPARED_MOST.index(server)
    first = len(COMPARED_MOST)
    return first + zlib.crc32(server.encode()) % (len(COLOURS) - first)
