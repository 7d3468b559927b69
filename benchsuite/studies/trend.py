"""Executions of a study against each other: their cells and claims, and changes over time.

Changes are steps of the mean logarithm, as `stats.steady` finds them. Each costs 3 σ² ln n, and
2 σ² ln N more where N cells are looked at, which divides the chance of a false one among them. σ²
is at least the middle one of all cells. `python -m benchmarks.claims` measures false steps.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean, median

from benchsuite.stats.compare import CONFIDENCE
from benchsuite.stats.steady import FEWEST_VALUES, steps
from benchsuite.studies.claims import Judgement, judge
from benchsuite.studies.intervals import Interval, Kind, interval
from benchsuite.studies.matrix import Key, key
from benchsuite.studies.measured import Execution, MeasuredCell
from benchsuite.studies.study import Coordinates, Study


@dataclass(frozen=True, slots=True)
class Change:
    """A figure of a cell: the later execution divided by the earlier."""

    coordinates: Coordinates
    figure: str
    interval: Interval
    is_shown: bool  #: Not chance, as one of all cells in this figure.


def difference(
    study: Study, earlier: Execution, later: Execution
) -> tuple[list[Change], list[tuple[Judgement, Judgement]]]:
    """What is other later, as one of all cells of its figure (Bonferroni), and which claims."""
    before, after = (
        {key(cell.coordinates): cell for cell in execution.cells if cell.counted}
        for execution in (earlier, later)
    )
    pairs = [(before[where], after[where]) for where in after if where in before]
    changes = [change for figure in study.figures for change in _changes(figure.name, pairs)]
    judged = zip(judge(study, earlier), judge(study, later), strict=True)
    return changes, [pair for pair in judged if pair[0].outcome is not pair[1].outcome]


def _changes(figure: str, pairs: Sequence[tuple[MeasuredCell, MeasuredCell]]) -> list[Change]:
    of_all = Execution(cells=[cell for pair in pairs for cell in pair]).scatter(figure)
    compared = max(1, sum(all(cell.values(figure) for cell in pair) for pair in pairs))
    changes = []
    for before, after in pairs:
        held = after.side(figure, of_all), before.side(figure, of_all)
        ratio = interval(Kind.RATIO, *held)
        wide = interval(Kind.RATIO, *held, confidence=1 - (1 - CONFIDENCE) / compared)
        changes.append(Change(after.coordinates, figure, ratio, wide.is_apart((1, 1))))
    return changes


@dataclass(frozen=True, slots=True)
class Step:
    at: int  #: The first execution after it, by its place.
    ratio: float  #: What came after it, until the next, divided by what was before.


@dataclass(frozen=True, slots=True)
class Trend:
    """A figure of a cell, execution by execution."""

    coordinates: Coordinates
    means: list[float | None]  #: In the order of the executions; None where it has none.
    steps: Sequence[Step] = ()  #: None are looked for in fewer than `FEWEST_VALUES`.

    @property
    def known(self) -> dict[int, float]:
        """The logarithms of the figure, by the place of the execution."""
        means = enumerate(self.means)
        return {at: math.log(mean) for at, mean in means if mean and 0 < mean < math.inf}


def trends(executions: Sequence[Execution], figure: str) -> list[Trend]:
    """Of every cell of these executions, which are in order of time and of like environments."""
    rows: dict[Key, Trend] = {}
    for at, execution in enumerate(executions):
        for cell in execution.cells:
            empty = Trend(cell.coordinates, [None] * len(executions))
            row = rows.setdefault(key(cell.coordinates), empty)
            if values := cell.measured(figure):
                row.means[at] = fmean(values)
    variances = {
        where: fmean((after - before) ** 2 for before, after in pairwise(one.known.values())) / 2
        for where, one in rows.items()
        if len(one.known) >= FEWEST_VALUES
    }
    typical = median(map(math.sqrt, variances.values())) ** 2 if variances else 0.0
    for where, own in variances.items():
        cost = 3 * math.log(len(rows[where].known)) + 2 * math.log(len(variances))
        rows[where] = replace(rows[where], steps=_steps(rows[where], cost * max(typical, own)))
    return list(rows.values())


def _steps(trend: Trend, cost: float) -> list[Step]:
    if not cost:
        return []
    places, values = list(trend.known), list(trend.known.values())
    ends = steps([trend.means[at] or 0.0 for at in places], cost=cost)
    levels = [fmean(values[begin:end]) for begin, end in pairwise([0, *ends, len(values)])]
    ratios = (math.exp(after - before) for before, after in pairwise(levels))
    return [Step(places[end], ratio) for end, ratio in zip(ends, ratios, strict=True)]
