"""What a study has not decided yet, and where the next runs tell most.

A claim is decided when it holds or doesn't, a question when its best arm is told from all others or
as good. What more runs can't change is closed, too: a cell that can't run here, an unmet condition.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchsuite.studies.claims import Answered, Judgement, Lead, Outcome
from benchsuite.studies.matrix import key
from benchsuite.studies.study import Coordinates

LOOKS = 6  #: How often an execution that is decided as it goes is looked at, at the most.

HOPED = 6  #: Starts by each round left, as `benchmarks.claims` found best.


@dataclass(frozen=True, slots=True)
class Doubt:
    """What is not decided yet, and could be by more starts."""

    about: str  #: Name of the claim, or the question.
    cells: tuple[Coordinates, ...]
    more: int | None  #: Starts of each that may decide it; None for too many.
    is_known: bool  #: Whether there is an interval at all by now.


def of_claims(judgements: Iterable[Judgement]) -> Iterator[Doubt]:
    for judgement in judgements:
        if judgement.outcome is not Outcome.UNTOLD:
            continue
        checks = [check for check in judgement.checks if check.outcome is Outcome.UNTOLD]
        if any(check.is_closed for check in checks):
            continue  # one that never can be told is enough
        failing = [check for check in checks if check.more and not check.is_inside]
        if failing:  # and so is one that fails
            checks = [min(failing, key=lambda check: check.more or 0)]
        for check in checks:
            places = (check.cell,) if check.to is None else (check.cell, check.to)
            is_known = check.found.low is not None
            yield Doubt(judgement.claim.name, places, check.more, is_known)


def of_questions(questions: Iterable[Answered]) -> Iterator[Doubt]:
    """Of arms that may be equally good, and are not alike."""
    for question in questions:
        for situation in question.situations:
            if situation.lead is Lead.SHARED:
                leader, *others = situation.best
                for arm in others:
                    if arm.more != 0 and arm.ratio:
                        places = (leader.cell.coordinates, arm.cell.coordinates)
                        is_known = arm.ratio.low is not None
                        yield Doubt(question.answer.asks, places, arm.more, is_known)


def worth_more(doubts: Iterable[Doubt], rounds: int) -> list[Coordinates]:
    """The cells of which one start more tells most, each once, the cheapest doubt first, without
    what outlasts the rounds left by far: the more are left, the more the scatter becomes known.
    """
    within = [doubt for doubt in doubts if doubt.more and doubt.more <= HOPED * rounds]
    within.sort(key=lambda doubt: doubt.more or 0)
    return list({key(cell): cell for doubt in within for cell in doubt.cells}.values())
