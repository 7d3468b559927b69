"""One colour, dash and marker for each server, the same on every page.

The colours are those of Okabe and Ito (Color Universal Design, 2008), told apart also by people
who see red and green alike; yellow and black are left out and some are darkened, so that each shows
on the white and on the dark page.
"""

import zlib
from dataclasses import dataclass

from benchsuite.servers import BUILTIN

COLOURS = ("#0f7ac0", "#d98a00", "#00946b", "#d55e00", "#3ba7e0", "#b8629a", "#8a8a8a")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
MARKERS = ("circle", "square", "diamond", "triangle-up", "x", "cross", "star")

COMPARED_MOST = (
    "gunicorn-gthread",
    "uvicorn",
    "granian-wsgi",
    "uwsgi",
    "waitress",
    "daphne",
    "gunicorn-sync",
)
"""One for each colour: what stands on one page most often has no colour in common."""

PARTS = {
    "target": "#0f7ac0",
    "workers": "#3ba7e0",
    "front": "#00946b",
    "database": "#b8629a",
    "redis": "#d55e00",
    "delay": "#a8a29e",
    "load": "#d98a00",
}
"""The parts of a run that telemetry tells apart, in the order in which charts stack them."""
OTHER_PART = "#8a8a8a"
PERCENTILES = {"p50": ("#0f7ac0", "solid"), "p95": ("#d98a00", "dash"), "p99": ("#b8629a", "dot")}
GOOD, BAD = "#0f7ac0", "#d55e00"


@dataclass(frozen=True, slots=True)
class Style:
    colour: str
    dash: str
    marker: str


def style(server: str, nth: int = 0) -> Style:
    """The style of a server's `nth` cell: its colour stays, dash and marker move on."""
    number = _number(server)
    place = number % len(COLOURS)
    turn = number // len(COLOURS) + nth  # servers of one colour differ in dash and in marker
    return Style(
        colour=COLOURS[place],
        dash=DASHES[(place + turn) % len(DASHES)],
        marker=MARKERS[(place + turn) % len(MARKERS)],
    )


def _number(server: str) -> int:
    """Built-in servers in their order, after those that are compared most; others by a checksum
    of their name, which never changes.
    """
    names = list(dict.fromkeys((*COMPARED_MOST, *BUILTIN)))
    if server in names:
        return names.index(server)
    return zlib.crc32(server.encode()) % (len(COLOURS) * len(DASHES))
