"""What a study has not decided yet, and where the next runs tell most.

A claim is decided when it holds or doesn't, a question when its best arm is told from all others or
is as good as they are, to within `ALIKE`. What more runs can't change is closed as well: a cell
that can't run here, a condition that isn't met.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchsuite.studies.claims import Answered, Lead, Outcome, answered, judge
from benchsuite.studies.intervals import Interval
from benchsuite.studies.matrix import Need, key
from benchsuite.studies.measured import Execution
from benchsuite.studies.study import Coordinates, Study

LOOKS = 6  #: How often an execution that is decided as it goes is looked at, at the most.

HOPED = 5  #: Starts by the square of the rounds left, as `benchmarks.claims` found best.

ALIKE = 1.05  #: Arms whose ratio lies within this either way are as good as each other.


@dataclass(frozen=True, slots=True)
class Doubt:
    """What is not decided yet, and could be by more starts."""

    about: str  #: Name of the claim, or the question.
    cells: tuple[Coordinates, ...]
    width: float
    """To one side, divided by the distance to the nearest threshold; infinite where unknown."""

    def more(self, starts: int) -> int | None:
        """How many starts more of each cell would decide it; None for over ten times as many."""
        if not math.isfinite(self.width):
            return None
        most = 10 * starts
        return wanted if (wanted := math.ceil(starts * (self.width**2 - 1))) <= most else None


def doubts(study: Study, execution: Execution, need: Need | None = None) -> list[Doubt]:
    """What is undecided of claims or questions, or of both, the widest first."""
    found: list[Doubt] = []
    if need is not Need.QUESTION:
        found += _claims(study, execution)
    if need is not Need.CLAIM:
        found += open_questions(answered(study, execution))
    return sorted(found, key=lambda doubt: -doubt.width)


def _claims(study: Study, execution: Execution) -> Iterator[Doubt]:
    for judgement in judge(study, execution):
        if judgement.outcome is not Outcome.UNTOLD:
            continue
        checks = [check for check in judgement.checks if check.outcome is Outcome.UNTOLD]
        if any(check.is_closed for check in checks):
            continue  # one that never can be told is enough
        for check in checks:
            places = (check.cell,) if check.to is None else (check.cell, check.to)
            edges = [edge for edge in check.region if math.isfinite(edge)]
            widths = (_against(check.found, edge) for edge in edges)
            yield Doubt(judgement.claim.name, places, max(widths, default=math.inf))


def _against(found: Interval, edge: float) -> float:
    """How far the interval reaches towards the edge, divided by how far that is away."""
    value, low, high = found.value, found.low, found.high
    if value is None or low is None or high is None:
        return math.inf
    end = low if edge < value else high
    if min(value, end, edge) > 0:
        value, end, edge = math.log(value), math.log(end), math.log(edge)
    return abs(end - value) / abs(edge - value) if edge != value else math.inf


def open_questions(questions: Iterable[Answered]) -> Iterator[Doubt]:
    """Of arms that may be equally good, and are not alike."""
    for question in questions:
        for situation in question.situations:
            if situation.lead is not Lead.SHARED:
                continue
            leader, *others = situation.best
            for arm in others:
                ratio, width = arm.ratio, math.inf
                if ratio is not None and ratio.value and ratio.low and ratio.high:
                    is_alike = ratio.low >= 1 / ALIKE and ratio.high <= ALIKE
                    width = 0.0 if is_alike else _against(ratio, 1.0)
                if width > 1:
                    places = (leader.cell.coordinates, arm.cell.coordinates)
                    yield Doubt(question.answer.asks, places, width)


def worth_more(doubts: Iterable[Doubt], starts: int, rounds: int) -> list[Coordinates]:
    """The cells of which one start more tells most, each once, without doubts that would outlast
    the rounds left by far; more is hoped for the more are left, as the scatter becomes known, too.
    """
    hope = starts + HOPED * rounds**2
    widest = math.sqrt(hope / starts)
    within = [doubt for doubt in doubts if doubt.width <= widest or math.isinf(doubt.width)]
    return list({key(cell): cell for doubt in within for cell in doubt.cells}.values())
