"""Two executions of a study against each other: cells by their coordinates, and claims."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchsuite.stats.compare import CONFIDENCE
from benchsuite.studies.claims import Judgement, judge
from benchsuite.studies.intervals import Interval, Kind, Side, interval, pooled
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
    found = [
        change
        for figure in study.figures
        for change in _changes(figure.name, [(before[one], after[one]) for one in shared])
    ]
    judged = zip(judge(study, earlier), judge(study, later), strict=True)
    return Difference(
        found,
        [Turned(one, other) for one, other in judged if one.outcome is not other.outcome],
        [cell.coordinates for where, cell in before.items() if where not in after],
        [cell.coordinates for where, cell in after.items() if where not in before],
    )


def _by_place(execution: Execution) -> Mapping[tuple[tuple[str, str], ...], MeasuredCell]:
    counted = [one for one in execution.cells if one.counted]
    return {tuple(sorted(one.coordinates.items())): one for one in counted}


def _changes(figure: str, pairs: Sequence[tuple[MeasuredCell, MeasuredCell]]) -> list[Change]:
    figures = [(one.values(figure), other.values(figure)) for one, other in pairs]
    of_all = pooled(side for each in figures for side in each)
    compared = max(1, sum(1 for each in figures if all(each)))
    found = []
    for (_, cell), (before, after) in zip(pairs, figures, strict=True):
        sides = Side(after, of_all), Side(before, of_all)
        ratio = interval(Kind.RATIO, *sides)
        wide = ratio
        if _excludes_1(ratio):
            wide = interval(Kind.RATIO, *sides, confidence=1 - (1 - CONFIDENCE) / compared)
        found.append(Change(cell.coordinates, figure, ratio, _excludes_1(wide)))
    return found


def _excludes_1(found: Interval) -> bool:
    return found.low is not None and found.high is not None and not found.low <= 1 <= found.high
