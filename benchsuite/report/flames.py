"""Which functions use the CPU time: sentences, tables and flame graphs."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from zlib import crc32

from benchsuite.comparing.cells import cells
from benchsuite.comparing.titles import cell_titles
from benchsuite.core.answer import Table
from benchsuite.core.units import format_count, format_percent, format_period
from benchsuite.models import Run
from benchsuite.stats import stacks
from benchsuite.stats.stacks import Box, Stack, Stacks, boxes, words

HEADINGS = ("function", "own", "total")
TOP = 10
PASSES_ON = 0.95
"""A function of a framework that spends so much of its time in one other is left out of the totals,
which such ones would fill."""

LETTERS = 58  #: Of a function with its place, beside two figures on 80 columns.


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One function; percentages are of all samples."""

    function: str
    place: str
    own_percent: float  #: In its own code.
    total_percent: float  #: With what it calls.
    is_project: bool
    passes_on: bool

    @property
    def cells(self) -> list[str]:
        """A text for each of `HEADINGS`."""
        figures = (self.own_percent, self.total_percent)
        return [self.brief, *(format_percent(one) for one in figures)]

    @property
    def brief(self) -> str:
        """Its name and place, cut to a line."""
        name, file = self.function, self.place.rpartition("/")[2]
        whole = f"{name} ({self.place})" if self.place else name
        if len(whole) <= LETTERS:
            return whole
        tail = f" (…/{file})"
        return name + tail if len(name + tail) <= LETTERS else f"{name[: LETTERS - 1]}…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flame:
    """The samples of one start."""

    run: Run
    stacks: Stacks
    samples: int
    rate_hz: int
    least: int  #: Calls that were seen less often do not stand for themselves.
    project: frozenset[str]  #: Calls of the project's code.

    @property
    def sentence(self) -> str:
        rare = (
            f" Calls in fewer than {self.least} samples are put together as {stacks.RARE}."
            if self.least > 1
            else ""
        )
        return (
            f"{format_count(self.samples)} samples of Python code at work, taken "
            f"{self.rate_hz} times a second for {format_period(self.run.duration_s)} of a run of "
            f"its own with one user. Who waits is not sampled.{rare}"
        )

    @property
    def rows(self) -> list[Row]:
        """All functions, most time of their own first."""
        rows = []
        for one in stacks.functions(self.stacks):
            function, place = stacks.words(one.call)
            rows.append(
                Row(
                    function=function,
                    place=place,
                    own_percent=100 * one.own / self.samples,
                    total_percent=100 * one.total / self.samples,
                    is_project=one.call in self.project,
                    passes_on=one.passed >= PASSES_ON * one.total,
                )
            )
        return rows

    @property
    def by_own(self) -> list[Row]:
        return [one for one in self.rows if one.own_percent][:TOP]

    @property
    def by_total(self) -> list[Row]:
        worth = [one for one in self.rows if one.is_project or not one.passes_on]
        return sorted(worth, key=lambda function: -function.total_percent)[:TOP]

    @property
    def tables(self) -> list[tuple[str, list[Row]]]:
        return [
            ("By own time", self.by_own),
            ("By total time, with what they call", self.by_total),
        ]


def flame(run: Run) -> Flame | None:
    """None for a start that was not profiled."""
    data = (run.diagnosis or {}).get("flame")
    if not data:
        return None
    return Flame(
        run=run,
        stacks=stacks.unpacked(data["stacks"]),
        samples=data["samples"],
        rate_hz=data["rate_hz"],
        least=data["least"],
        project=frozenset(data["project"]),
    )


def as_json(graph: Flame | None) -> dict[str, Any] | None:
    """How many samples, and the top functions with their shares of these."""
    if graph is None:
        return None
    top = dict.fromkeys([*graph.by_own, *graph.by_total])
    return {
        "samples": graph.samples,
        "rate_hz": graph.rate_hz,
        "functions": [asdict(one) for one in top],
    }


def top_tables(runs: Iterable[Run]) -> list[Table]:
    """The top functions of each profiled start."""
    every = cells([run for run in runs if run.diagnosis])
    return [
        Table(
            HEADINGS,
            [one.cells for one in rows],
            title=f"CPU time of {title} {what[:1].lower()}{what[1:]}",
            figures=HEADINGS[1:],
        )
        for title, cell in zip(cell_titles(every), every, strict=True)
        if (graph := flame(cell.first)) is not None
        for what, rows in graph.tables
    ]


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
