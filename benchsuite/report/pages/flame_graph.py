"""Stacks as the boxes of a flame graph: callers above, what they call below."""

from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

from benchsuite.core.units import format_count, format_percent
from benchsuite.report.flames import Flame
from benchsuite.stats.stacks import Box, Stack, boxes, words

WIDTH, ROW = 1200.0, 18
BASELINE = 13  #: Of a text, below the upper edge of its box.
LEAST = 1.2  #: Narrower boxes are not drawn.
LETTER, MARGIN = 6.6, 4.0  #: Width of a letter, and what stays free on both sides of a text.
FEW_LETTERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One box, in units of the drawing."""

    at: str  #: By which the call in its place is known.
    x: float
    y: int
    width: float
    text: str  #: As much of the name as fits.
    title: str
    is_project: bool

    @property
    def text_x(self) -> float:
        return self.x + MARGIN

    @property
    def text_y(self) -> int:
        return self.y + BASELINE


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A flame graph of all calls, or of one with all that leads to it and that it calls."""

    boxes: Sequence[Drawn]
    height: int
    narrow: int  #: Calls that are not drawn.
    zoomed: str = ""  #: The call that is shown; empty for all.


def drawing(flame: Flame, zoom: str = "") -> Drawing:
    """`zoom` is `at` of the call to show; of one that there isn't, all calls are shown."""
    every = list(boxes(flame.stacks))
    path = next((one.path for one in every if _at(one.path) == zoom), ()) if zoom else ()
    if path:
        depth = len(path)
        every = list(
            boxes({stack: n for stack, n in flame.stacks.items() if stack[:depth] == path})
        )
    samples = max((one.start + one.samples for one in every), default=1)
    found = [_drawn(one, WIDTH / samples, flame) for one in every]
    shown = [one for one in found if one.width >= LEAST]
    return Drawing(
        boxes=shown,
        height=max((one.y for one in shown), default=0) + ROW,
        narrow=len(found) - len(shown),
        zoomed=path[-1] if path else "",
    )


def _drawn(box: Box, scale: float, flame: Flame) -> Drawn:
    call, width = box.path[-1], box.samples * scale
    name, _ = words(call)
    fits = int((width - 2 * MARGIN) / LETTER)
    text = name if len(name) <= fits else f"{name[: fits - 1]}…"
    is_project = call in flame.project
    return Drawn(
        at=_at(box.path),
        x=round(box.start * scale, 2),
        y=(len(box.path) - 1) * ROW,
        width=round(width, 2),
        text=text if fits >= FEW_LETTERS else "",
        title=f"{call}{', of the project' * is_project}: {format_count(box.samples)} samples, "
        f"{format_percent(100 * box.samples / flame.samples)}",
        is_project=is_project,
    )


def _at(path: Stack) -> str:
    return f"{crc32(';'.join(path).encode()):08x}"
