"""What a study answers to the questions in its file: the best arm of each situation.

The best is the one with the best mean. Each other is told apart from it by the interval of their
ratio, at 1 − 0.05/k where k others are held against it (Bonferroni), so that the arm that is best
in truth is left out of those named in at most about 5 % of the situations, whichever had the best
mean by chance. `python -m benchmarks.claims` measures it. An arm that failed in half of its starts
is not named. Nobody is where one that was measured has no figure that counts, or one that isn't
behind has half of its starts in doubt: it might be the best, or not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean

from benchsuite.comparing.starts import INVALID_SHARE
from benchsuite.studies import matrix
from benchsuite.studies.claims import doubts, find, place, side_of
from benchsuite.studies.intervals import FEWEST, Interval, Kind, interval
from benchsuite.studies.measured import Execution, MeasuredCell, State, reasons
from benchsuite.studies.study import Answer, Coordinates, Objective, Study, admits, situations


class Lead(StrEnum):
    """Whether a situation has a best arm."""

    ALONE = "best"  #: One arm, told apart from all others.
    SHARED = "may be as good"  #: Several are as good, as far as the starts tell.
    UNTOLD = "can't be told here"


@dataclass(frozen=True, slots=True)
class Arm:
    """What may be chosen, with its figure."""

    name: str
    cell: MeasuredCell
    found: Interval  #: Of its figure.
    ratio: Interval | None = None  #: To the one with the best mean; that one has none.


@dataclass(frozen=True, slots=True)
class Situation:
    where: Coordinates  #: What is not chosen.
    best: Sequence[Arm]  #: The one with the best mean, then all that are not told apart from it.
    behind: Sequence[Arm]  #: The nearest first.
    failed: Sequence[Arm]  #: Those that failed (B2xx) in half of their starts, whatever they did.
    unknown: Sequence[str]  #: Arms that were measured and have no figure that counts, with why.
    absent: Sequence[str]  #: Arms that were not measured, with why.

    @property
    def lead(self) -> Lead:
        if self.unknown or len(self.best) + len(self.behind) < 2:
            return Lead.UNTOLD
        if any(_spoilt(arm.cell) for arm in self.best):
            return Lead.UNTOLD
        return Lead.SHARED if len(self.best) > 1 else Lead.ALONE


@dataclass(frozen=True, slots=True)
class Answered:
    """A question of the file, with an answer for each situation of which a cell was executed."""

    answer: Answer
    by: Objective
    situations: Sequence[Situation]


def answered(study: Study, execution: Execution) -> list[Answered]:
    """Every question of the study, in their order."""
    return [_answered(study, execution, one) for one in study.answers]


def _answered(study: Study, execution: Execution, answer: Answer) -> Answered:
    by = Objective(answer.figure, answer.best) if answer.figure else study.objective
    assert by is not None  # references.check_answers() has seen to it
    every = (one.coordinates for one in matrix.every(study))
    cells = situations(answer, (one for one in every if admits(answer.only, one)))
    return Answered(
        answer,
        by,
        [
            _situation(execution, answer, by, dict(where), arms)
            for where, arms in cells.items()
            if any(find(execution, one) for one in arms)
        ],
    )


def _situation(
    execution: Execution,
    answer: Answer,
    by: Objective,
    where: Coordinates,
    arms: Sequence[Coordinates],
) -> Situation:
    known: list[tuple[str, MeasuredCell]] = []
    failed: list[Arm] = []
    unknown: dict[str, list[str]] = {}
    absent: dict[str, list[str]] = {}
    for coordinates in arms:
        cell, name = find(execution, coordinates), _name(answer, coordinates)
        if cell is None or cell.state is State.UNAVAILABLE:
            reason = cell.reason if cell else "no part of this execution"
            absent.setdefault(reason, []).append(name)
        elif cell.state is State.MEASURED and "B2" in _spoilt(cell):
            side = side_of(execution, cell, by.figure)
            failed.append(Arm(name, cell, interval(Kind.VALUE, side)))
        elif why := _doubts(execution, answer, by, cell):
            for doubt in why:
                unknown.setdefault(doubt.removeprefix(f"{place(coordinates)}: "), []).append(name)
        else:
            known.append((name, cell))
    best, behind = _apart(execution, by, known)
    return Situation(where, best, behind, failed, _grouped(unknown), _grouped(absent))


def _grouped(reasons: Mapping[str, Sequence[str]]) -> list[str]:
    return [f"{', '.join(names)}: {reason}" for reason, names in reasons.items()]


def _spoilt(cell: MeasuredCell) -> str:
    """What spoilt its starts that count, where it is so many of them that the cell is invalid."""
    failed = [one for one in cell.counted if one.failed]
    return reasons(failed) if len(failed) >= INVALID_SHARE * len(cell.counted) else ""


def _doubts(execution: Execution, answer: Answer, by: Objective, cell: MeasuredCell) -> list[str]:
    reasons = list(doubts(execution, answer.needs, cell, cell.coordinates, by.figure))
    if not reasons and len(cell.values(by.figure)) < FEWEST:
        return ["one run has no interval"]
    return reasons


def _name(answer: Answer, coordinates: Coordinates) -> str:
    return place({axis: coordinates[axis] for axis in answer.choice})


def _apart(
    execution: Execution, by: Objective, known: Sequence[tuple[str, MeasuredCell]]
) -> tuple[list[Arm], list[Arm]]:
    """Those that may be the best, and the others."""
    most = by.best == "most"
    order = sorted(known, key=lambda pair: fmean(pair[1].values(by.figure)), reverse=most)
    best: list[Arm] = []
    behind: list[Arm] = []
    confidence = 1 - (1 - execution.confidence) / max(1, len(order) - 1)
    for name, cell in order:
        mine = side_of(execution, cell, by.figure)
        own = interval(Kind.VALUE, mine)
        if not best:
            best.append(Arm(name, cell, own))
            continue
        ratio = interval(Kind.RATIO, mine, side_of(execution, best[0].cell, by.figure), confidence)
        arm = Arm(name, cell, own, ratio)
        (behind if _is_behind(ratio, most=most) else best).append(arm)
    return best, behind


def _is_behind(ratio: Interval, *, most: bool) -> bool:
    """Whether it is worse than the best beyond chance; without right answers it needs no interval:
    0 is the fewest that there are.
    """
    if most:
        return ratio.value == 0 or (ratio.high is not None and ratio.high < 1)
    return ratio.low is not None and ratio.low > 1
