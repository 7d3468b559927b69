"""Fresh starts, of which alone the figures come that are told."""

import math
from collections.abc import Generator, Sequence

from benchsuite.stats.levels import crossing
from benchsuite.tuning import confirming
from benchsuite.tuning.confirming import cliff
from benchsuite.tuning.planning import Making, Plan, Steps
from benchsuite.tuning.spread import below
from benchsuite.tuning.trial import Candidate, Observation, Phase, Trial

MOST = 3  #: Times that rates are tried, each time lower ones.
DOWN = 0.93  #: What is confirmed the next time, of the time before, at most.
ROUND = 30  #: Places of the starts of a next time begin so much further.
NEAR = 1.06
"""The lowest rate that is not known to hold, of the highest that holds: between them none is tried.
"""

Told = Generator[Trial, Observation, bool]


def confirm(
    making: Making, candidate: Candidate, plan: Plan, whose: str, others_s: float = 0.0
) -> Told:
    """Whether a rate was confirmed; at lower rates, if there is time, where none was at first.
    `others_s` of the budget is left for the fresh starts of others; for fewer of them where this
    one missed.
    """
    notebook = making.notebook
    estimate, factors = notebook.estimate(candidate), below(notebook, plan.confirmed)
    if estimate is None:
        return False
    if notebook.is_limited(candidate):
        factors = (0.9, 1.0)
        estimate = notebook.highest_held(candidate) or estimate
    elif fall := cliff(notebook, candidate):
        estimate = min(estimate, fall[0] / factors[-1])
    for attempt in range(MOST):
        rates = [one * estimate for one in factors]
        lower = ", at lower rates" * bool(attempt)
        first = attempt * ROUND
        kept_s = others_s * (confirming.FEWEST_STARTS / plan.starts if attempt else 1)
        if not _affords(making, rates, kept_s):
            rates = rates[:1]
        yield from fresh(making, candidate, rates, plan.starts, whose + lower, kept_s, first)
        if confirming.held_by(notebook, candidate) is not None:
            if making.question.only is not None:
                nearer = f"{whose}, nearer to its limit"
                yield from _nearer(making, candidate, plan, nearer, estimate, first + ROUND)
            return True
        points = notebook.points(notebook.of(candidate, Phase.CONFIRM))
        estimate = min(DOWN * estimate, crossing(points).rate) if points else DOWN * estimate
    return False


def _nearer(
    making: Making, candidate: Candidate, plan: Plan, whose: str, estimate: float, first: int
) -> Steps:
    """Halve the gap above the highest rate that holds while there is time: where one size alone is
    asked about, its rate is the answer. Too few starts before may have put the rates far down.
    """
    notebook = making.notebook
    while held := confirming.held_by(notebook, candidate):
        above = [one for one in confirming.rates_of(notebook, candidate) if one > held.shown]
        bound = min([estimate, *above])
        rates = [math.sqrt(held.shown * bound)]
        if bound < NEAR * held.shown or not _affords(making, rates, 0.0):
            break
        yield from fresh(making, candidate, rates, plan.starts, whose, first=first)
        first += ROUND


def fresh(
    making: Making,
    candidate: Candidate,
    rates: Sequence[float],
    starts: int,
    whose: str,
    others_s: float = 0.0,
    first: int = 0,
) -> Steps:
    """As many starts as there is time for; none where these would be too few to show anything."""
    load = making.confirming(rates)
    for place in range(starts):
        if not _affords(making, rates, others_s, max(1, confirming.FEWEST_STARTS - place)):
            break
        yield from making.start(
            candidate, Phase.CONFIRM, load, f"fresh runs of {whose}", place=first + place
        )
        if confirming.missed(making.notebook, candidate, rates[0]):
            break


def _affords(
    making: Making,
    rates: Sequence[float],
    others_s: float,
    starts: int = confirming.FEWEST_STARTS,
) -> bool:
    return making.cost_s(making.confirming(rates), starts) <= making.left_s - others_s
