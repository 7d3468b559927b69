"""Which functions use the CPU time: sentences, tables and flame graphs."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple

from benchsuite.comparing.cells import cells
from benchsuite.comparing.titles import cell_titles
from benchsuite.core.answer import Table
from benchsuite.core.units import format_count, format_percent, format_period
from benchsuite.models import Run
from benchsuite.stats import stacks
from benchsuite.stats.stacks import Stacks, boxes, words

HEADINGS = ("function", "own", "total")
TOP = 10
PASSES_ON = 0.95
"""A function of a framework that spends so much of its time in one other is left out of the totals,
which such ones would fill."""


@dataclass(frozen=True, slots=True)
class Row:
    function: str
    place: str
    own_percent: float  #: In its own code.
    total_percent: float  #: With what it calls.
    is_project: bool
    passes_on: bool

    @property
    def cells(self) -> list[str]:
        figures = (self.own_percent, self.total_percent)
        file = f" ({self.place.rpartition('/')[2]})" if self.place else ""
        return [f"{self.function}{file}", *map(format_percent, figures)]


@dataclass(frozen=True, kw_only=True)
class Flame:
    run: Run
    stacks: Stacks
    samples: int
    rate_hz: int
    least: int  #: Calls that were seen less often do not stand for themselves.
    project: frozenset[str]  #: Calls of the project's code.

    @property
    def sentence(self) -> str:
        rare = f" Calls in fewer than {self.least} samples are put together as {stacks.RARE}."
        return (
            f"{format_count(self.samples)} samples of Python code at work, taken "
            f"{self.rate_hz} times a second for {format_period(self.run.duration_s)} of a run of "
            f"its own with one user. Who waits is not sampled.{rare if self.least > 1 else ''}"
        )

    @cached_property
    def tables(self) -> dict[str, list[Row]]:
        """The top functions by their own time, and by that with what they call."""
        rows = [
            Row(
                *stacks.words(one.call),
                own_percent=100 * one.own / self.samples,
                total_percent=100 * one.total / self.samples,
                is_project=one.call in self.project,
                passes_on=one.passed >= PASSES_ON * one.total,
            )
            for one in stacks.functions(self.stacks)
        ]
        worth = [row for row in rows if row.is_project or not row.passes_on]
        by_total = sorted(worth, key=lambda row: -row.total_percent)
        return {
            "By own time": [row for row in rows if row.own_percent][:TOP],
            "By total time, with what they call": by_total[:TOP],
        }


def flame(run: Run) -> Flame | None:
    """None for a start that was not profiled."""
    data = (run.diagnosis or {}).get("flame")
    if not data:
        return None
    kept = {name: data[name] for name in ("samples", "rate_hz", "least")}
    project = frozenset(data["project"])
    return Flame(run=run, stacks=stacks.unpacked(data["stacks"]), project=project, **kept)


def as_json(graph: Flame | None) -> dict[str, Any] | None:
    """How many samples, and the top functions with their shares of these."""
    if graph is None:
        return None
    top = dict.fromkeys(row for rows in graph.tables.values() for row in rows)
    return {
        "samples": graph.samples,
        "rate_hz": graph.rate_hz,
        "functions": [asdict(one) for one in top],
    }


def top_tables(runs: Iterable[Run]) -> list[Table]:
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
        for what, rows in graph.tables.items()
    ]


WIDTH, ROW = 1200.0, 18
LEAST = 1.2  #: Narrower boxes are not drawn.
LETTER = 6.6  #: Width of a letter.
MARGIN = 4.0  #: Free on both sides of a text: `dx` in _flame.html.
FEW_LETTERS = 3


class Drawn(NamedTuple):
    """One box, in units of the drawing."""

    x: float
    y: int
    width: float
    text: str  #: As much of the name as fits.
    title: str
    is_project: bool


class Drawing(NamedTuple):
    boxes: Sequence[Drawn]
    height: int
    narrow: int  #: Calls that are not drawn.


def drawing(flame: Flame) -> Drawing:
    every = list(boxes(flame.stacks))
    scale = WIDTH / max((box.start + box.samples for box in every), default=1)
    drawn = []
    for box in every:
        call, width, samples = box.path[-1], box.samples * scale, format_count(box.samples)
        if round(width, 2) < LEAST:
            continue
        name, fits = words(call)[0], int((width - 2 * MARGIN) / LETTER)
        text = name if len(name) <= fits else f"{name[: fits - 1]}…"
        x, y = round(box.start * scale, 2), (len(box.path) - 1) * ROW
        is_project = call in flame.project
        share = format_percent(100 * box.samples / flame.samples)
        title = f"{call}{', of the project' * is_project}: {samples} samples, {share}"
        text = text if fits >= FEW_LETTERS else ""
        drawn.append(Drawn(x, y, round(width, 2), text, title, is_project))
    height = max((box.y for box in drawn), default=0) + ROW
    return Drawing(drawn, height, len(every) - len(drawn))
