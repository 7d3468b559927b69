"""Fresh starts, of which alone the figures come that are told."""

from collections.abc import Generator, Sequence

from benchsuite.stats.capacity import crossing
from benchsuite.tuning import confirming
from benchsuite.tuning.cliff import cliff
from benchsuite.tuning.making import Making, Steps
from benchsuite.tuning.planning import Plan
from benchsuite.tuning.trial import Candidate, Observation, Phase, Trial

DOWN = 0.93  #: What is confirmed the second time, of the first, at most.
ROUND = 50  #: Places of the starts of a second time begin here.
EARLY = 2  #: After so many starts that all missed the lowest rate, no more are made.

Told = Generator[Trial, Observation, bool]


def confirm(making: Making, candidate: Candidate, plan: Plan, whose: str) -> Told:
    """Whether a rate was confirmed; at lower rates, if there is time, where none was at first."""
    book = making.book
    estimate, factors = book.estimate(candidate), plan.confirmed
    if estimate is None:
        return False
    if book.is_limited(candidate):
        factors = (0.9, 1.0)
        estimate = book.highest_held(candidate) or estimate
    elif fall := cliff(book, candidate):
        estimate = min(estimate, fall[0] / factors[-1])
    yield from fresh(making, candidate, [one * estimate for one in factors], plan.starts, whose)
    if confirming.held(book, candidate) is not None:
        return True
    starts = min(plan.starts, int(making.left_s / making.cost_s(making.confirming(plan.confirmed))))
    if starts < confirming.FEWEST_STARTS:
        return False
    points = book.points(book.of(candidate, Phase.CONFIRM))
    again = min(DOWN * estimate, crossing(points).rate) if points else DOWN * estimate
    rates = [one * again for one in plan.confirmed]
    yield from fresh(making, candidate, rates, starts, f"{whose}, at lower rates", ROUND)
    return confirming.held(book, candidate) is not None


def fresh(
    making: Making,
    candidate: Candidate,
    rates: Sequence[float],
    starts: int,
    whose: str,
    first: int = 0,
) -> Steps:
    load = making.confirming(rates)
    for place in range(starts):
        yield from making.start(
            candidate, Phase.CONFIRM, load, f"fresh starts of {whose}", place=first + place
        )
        if place + 1 == EARLY and confirming.missed(making.book, candidate, rates[0]):
            break
