"""Executions of a study against each other: their cells and claims, and changes over time.

Changes are steps of the mean logarithm, found by PELT (Killick et al. 2012, by `ruptures`). Each
step costs what the modified Bayesian criterion asks, 3 σ² ln n (Zhang & Siegmund 2007), and
2 σ² ln N more where N cells are looked at, which divides the chance of a false one among them. σ²
is from the differences of neighbours (von Neumann), which a step hardly moves; at least the middle
one of all cells. `python -m benchmarks.claims` measures how often it finds what isn't there.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median

from benchsuite.core.exceptions import UsageError
from benchsuite.stats.compare import CONFIDENCE
from benchsuite.studies.claims import Judgement, judge
from benchsuite.studies.intervals import Interval, Kind, Side, interval, scatter
from benchsuite.studies.measured import Execution, MeasuredCell
from benchsuite.studies.study import Coordinates, Study


@dataclass(frozen=True, slots=True)
class Change:
    """A figure of a cell: the later execution divided by the earlier."""

    coordinates: Coordinates
    figure: str
    found: Interval
    is_shown: bool  #: Not chance, as one of all cells in this figure.


@dataclass(frozen=True, slots=True)
class Turned:
    """A claim that came out otherwise."""

    earlier: Judgement
    later: Judgement


@dataclass(frozen=True, slots=True)
class Difference:
    changes: Sequence[Change]
    turned: Sequence[Turned]
    only_earlier: Sequence[Coordinates]  #: Cells that the other has no figures of.
    only_later: Sequence[Coordinates]


def difference(study: Study, earlier: Execution, later: Execution) -> Difference:
    """What the later execution has otherwise, figure by figure.

    An interval that excludes 1 shows a change where it still does so as one of all cells that were
    compared in its figure (Bonferroni).
    """
    before, after = _by_place(earlier), _by_place(later)
    shared = [where for where in after if where in before]
    changed = [
        change
        for figure in study.figures
        for change in _changes(figure.name, [(before[one], after[one]) for one in shared])
    ]
    judged = zip(judge(study, earlier), judge(study, later), strict=True)
    return Difference(
        changed,
        [Turned(one, other) for one, other in judged if one.outcome is not other.outcome],
        [cell.coordinates for where, cell in before.items() if where not in after],
        [cell.coordinates for where, cell in after.items() if where not in before],
    )


def _by_place(execution: Execution) -> Mapping[tuple[tuple[str, str], ...], MeasuredCell]:
    counted = [one for one in execution.cells if one.counted]
    return {tuple(sorted(one.coordinates.items())): one for one in counted}


def _changes(figure: str, pairs: Sequence[tuple[MeasuredCell, MeasuredCell]]) -> list[Change]:
    figures = [(one.values(figure), other.values(figure)) for one, other in pairs]
    of_all = scatter(side for each in figures for side in each)
    compared = max(1, sum(1 for each in figures if all(each)))
    changes = []
    for (_, cell), (before, after) in zip(pairs, figures, strict=True):
        sides = Side(after, of_all), Side(before, of_all)
        ratio = interval(Kind.RATIO, *sides)
        wide = ratio
        if _excludes_1(ratio):
            wide = interval(Kind.RATIO, *sides, confidence=1 - (1 - CONFIDENCE) / compared)
        changes.append(Change(cell.coordinates, figure, ratio, _excludes_1(wide)))
    return changes


def _excludes_1(ratio: Interval) -> bool:
    return ratio.low is not None and ratio.high is not None and not ratio.low <= 1 <= ratio.high


FEWEST_EXECUTIONS = 6
SHORTEST = 2  #: Executions between two steps.


@dataclass(frozen=True, slots=True)
class Step:
    at: int  #: The first execution after it, by its place.
    ratio: float  #: What came after it, until the next, divided by what was before.


@dataclass(frozen=True, slots=True)
class Trend:
    """A figure of a cell, execution by execution."""

    coordinates: Coordinates
    means: Sequence[float | None]  #: In the order of the executions; None where it has none.
    steps: Sequence[Step] = ()
    reason: str = ""  #: Why none were looked for.


def trends(executions: Sequence[Execution], figure: str) -> list[Trend]:
    """Of every cell of these executions, which are in order of time and of like environments.

    Raises UsageError where there are enough of them and `ruptures` is not installed.
    """
    places: dict[tuple[tuple[str, str], ...], Coordinates] = {}
    for execution in executions:
        for cell in execution.cells:
            places.setdefault(tuple(sorted(cell.coordinates.items())), cell.coordinates)
    series = [Trend(place, _means(executions, place, figure)) for place in places.values()]
    long = [place for place in series if not _too_few(place)]
    deviations = {id(place): _deviation(_logarithms(place)) for place in long}
    middle = median(deviations.values()) if deviations else 0.0
    return [
        Trend(place.coordinates, place.means, reason=reason)
        if (reason := _too_few(place))
        else Trend(
            place.coordinates,
            place.means,
            _steps(place, max(middle, deviations[id(place)]), len(long)),
        )
        for place in series
    ]


def _means(
    executions: Sequence[Execution], coordinates: Coordinates, figure: str
) -> list[float | None]:
    means = []
    for execution in executions:
        values = [
            value
            for cell in execution.cells
            if cell.coordinates == coordinates
            for value in cell.values(figure)
        ]
        means.append(fmean(values) if values else None)
    return means


def _known(trend: Trend) -> list[int]:
    """The places of the executions that have the figure, and a logarithm of it."""
    return [at for at, mean in enumerate(trend.means) if mean is not None and 0 < mean < math.inf]


def _logarithms(trend: Trend) -> list[float]:
    return [math.log(trend.means[at] or 0.0) for at in _known(trend)]


def _too_few(trend: Trend) -> str:
    having = len(_known(trend))
    if having >= FEWEST_EXECUTIONS:
        return ""
    return (
        f"{having} execution{'s' * (having != 1)} with this figure, and steps are looked for "
        f"from {FEWEST_EXECUTIONS} on"
    )


def _deviation(values: Sequence[float]) -> float:
    return math.sqrt(fmean((after - before) ** 2 for before, after in pairwise(values)) / 2)


def _steps(trend: Trend, deviation: float, cells: int) -> list[Step]:
    try:
        import numpy as np
        from ruptures import Pelt
    except ImportError as error:
        raise UsageError(
            "Steps of a trend are found by ruptures, which is not installed; pip install "
            "'django-benchsuite[trend]', up to Python 3.13."
        ) from error
    values, places = _logarithms(trend), _known(trend)
    if not deviation:
        return []
    penalty = deviation**2 * (3 * math.log(len(values)) + 2 * math.log(cells))
    ends = Pelt(model="l2", min_size=SHORTEST, jump=1).fit_predict(np.array(values), penalty)
    edges = [0, *ends]
    levels = [fmean(values[begin:end]) for begin, end in zip(edges, ends, strict=False)]
    return [
        Step(places[end], math.exp(after - before))
        for end, before, after in zip(ends, levels, levels[1:], strict=False)
    ]
