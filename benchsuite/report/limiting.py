"""What limits runs, and which functions use their CPU time: sentences, tables and flame graphs."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple

from benchsuite import bottlenecks
from benchsuite.bottlenecks.evidence import REST, Budget, budget
from benchsuite.bottlenecks.registry import UNNAMED, Limit
from benchsuite.comparing.cells import Cell, alternatives, cells
from benchsuite.comparing.limit_evidence import alone, diagnosis, evidence, highest_rate, profiled
from benchsuite.comparing.titles import cell_titles
from benchsuite.core import units
from benchsuite.core.answer import Table
from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import RunSpec
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
        return [f"{self.function}{file}", *map(units.format_percent, figures)]


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
        period = units.format_period(self.run.duration_s)
        return (
            f"{units.format_count(self.samples)} samples of Python code at work, taken "
            f"{self.rate_hz} times a second for {period} of a run of its own with one "
            f"user. Who waits is not sampled.{rare if self.least > 1 else ''}"
        )

    @cached_property
    def tables(self) -> dict[str, list[Row]]:
        """The top functions by their own time, and by that with what they call."""
        rows = [
            Row(
                *words(one.call),
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


def drawing(flame: Flame) -> dict[str, Any]:
    """The boxes of `_flame.html`, their height, and how many calls are too narrow to be drawn."""
    every = list(boxes(flame.stacks))
    scale = WIDTH / max((box.start + box.samples for box in every), default=1)
    drawn = []
    for box in every:
        call, width, samples = box.path[-1], box.samples * scale, units.format_count(box.samples)
        if round(width, 2) < LEAST:
            continue
        name, fits = words(call)[0], int((width - 2 * MARGIN) / LETTER)
        text = name if len(name) <= fits else f"{name[: fits - 1]}…"
        x, y = round(box.start * scale, 2), (len(box.path) - 1) * ROW
        is_project = call in flame.project
        share = units.format_percent(100 * box.samples / flame.samples)
        title = f"{call}{', of the project' * is_project}: {samples} samples, {share}"
        text = text if fits >= FEW_LETTERS else ""
        drawn.append(Drawn(x, y, round(width, 2), text, title, is_project))
    height = max((box.y for box in drawn), default=0) + ROW
    return {"boxes": drawn, "height": height, "narrow": len(every) - len(drawn)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Where the time of a request goes, what limits the run, and which functions use the CPU."""

    limits: Sequence[Limit] = ()
    time: Budget | None = None
    sentence: str = ""
    flame: Flame | None = None


def told(run: Run, starts: Iterable[Run] = (), **more: Any) -> Told:
    """What a run tells with `more` evidence, with diagnostic `starts`, and one user of the same."""
    own, profile, starts, keys = diagnosis(run), run, list(starts), set[str]()
    beside = [start for start in starts if start.pk != run.pk]
    if beside:
        with suppress(UsageError):  # of another format
            spec = RunSpec.from_json(run.spec)
            keys = {spec.diagnosed.key, spec.profiled.key}
    for start in (start for start in beside if start.key in keys):
        if seen := diagnosis(start):
            more["diagnosis"] = seen
        if named := profiled(start):
            more["profiled"], profile = named, start
    more.setdefault("alone", alone(run, starts))
    more.setdefault("highest_rate", highest_rate(run, starts))
    shown, figures = flame(profile), evidence(run, **more)
    if figures is None:
        return Told(flame=shown)
    time, limits = budget(figures), bottlenecks.name(figures)
    sentence = time.sentence if time else ""
    if own:
        times_s = (own.request_s, own.query_s, own.connecting_s)
        request, queries, connecting = map(units.format_duration, times_s)
        sentence = (
            f"A diagnostic run: a request took {request} in Django, {queries} of that in "
            f"{units.format_number(own.queries)} queries and {connecting} in opening and closing "
            f"connections; the garbage collector took "
            f"{units.format_percent(100 * own.collecting_share)} of the CPU time."
        )
    elif any(limit.code == UNNAMED.code for limit in limits):
        sentence = ""  # it is said there
    return Told(limits=limits, time=time, sentence=sentence, flame=shown)


def as_json(run: Run) -> dict[str, Any]:
    """With the samples of a flame graph, and the top functions with their shares of these."""
    limits, sampled = told(run), None
    if graph := limits.flame:
        top = dict.fromkeys(row for rows in graph.tables.values() for row in rows)
        functions = [asdict(row) for row in top]
        sampled = {"samples": graph.samples, "rate_hz": graph.rate_hz, "functions": functions}
    return {
        "request_time": limits.time and {**limits.time.parts, REST: limits.time.rest_s},
        "limits": [asdict(limit) for limit in limits.limits],
        "flame": sampled,
    }


def limit_lines(cells: Sequence[Cell], diagnosed: Iterable[Run] = ()) -> list[str]:
    """What limits the middle one of the runs of each configuration, with its diagnostic run, and
    beside the others: of several who has which, and the evidence and the remedy of the first.
    """
    starts = [*diagnosed, *(run for cell in cells for run in cell.shown)]
    having: dict[str, list[tuple[str, Limit]]] = {}
    for title, cell in zip(cell_titles(cells), cells, strict=True):
        if (run := middle(cell)) is None:
            continue
        for limit in told(run, starts, alternatives=alternatives(cell, cells)).limits:
            having.setdefault(limit.code, []).append((title, limit))
    lines = []
    for code, of_code in having.items():
        title, limit = of_code[0]
        titles = units.listed([title for title, _ in of_code])
        whose = f"{titles}. {title}" if len(of_code) > 1 else title
        lines.append(f"{code}  {whose}: {limit.says} {limit.evidence}")
        lines.append(" ".join(filter(None, (f"  {limit.fix}", limit.gain))))
    return lines


def middle(cell: Cell) -> Run | None:
    """The start whose goodput is the median of those that are shown."""
    ordered = sorted(cell.shown, key=lambda run: run.goodput or 0.0)
    return ordered[(len(ordered) - 1) // 2] if ordered else None
