"""Fresh starts, of which alone the figures come that are told."""

import math
from collections.abc import Generator, Sequence

from benchsuite.stats.levels import crossing
from benchsuite.tuning import confirming
from benchsuite.tuning.confirming import FEWEST_STARTS, cliff
from benchsuite.tuning.notebook import State
from benchsuite.tuning.planning import CONFIRMING_S, Making, Steps
from benchsuite.tuning.spread import spread
from benchsuite.tuning.trial import Candidate, Level, Observation, Phase, Trial

STARTS = 6  #: That confirm, where the budget allows it.
LONGEST_S = 20.0  #: Longer windows than this would show little more.
MOST = 6  #: Rates that are tried.
SPARE = 0.97  #: Of the time left is planned with: starts take a little more or less.
AT_FIRST = 0.6  #: Of the time that is left goes into the first of them, at most.
DOWN = 0.9  #: The next rate, of one that was missed, at most.
NEAR = 1.1  #: A rate that was missed, of one that held: between them none is tried.
BELOW = 1.8
"""So many spreads of starts below the estimate is the rate that is tried first: what one start in
twenty does not hold."""
FEWEST_LATE = 8  #: Fewer late answers are chance.
ROUND = 20  #: Places of the starts at another rate begin so much further.
STRAIN = (0.5, 1.15, 0.5, 0.5, 0.5)  #: Of what it holds: whether it recovers.
STRAIN_S = 5.0
LEAST_STRAIN_S = 300.0  #: A budget that is shorter has no time for it.
UNSTEADY = 0.92
"""Of what a goal allows to be late: where so much is late at half of what it holds, it does not
come from the rate."""

Told = Generator[Trial, Observation, bool]


def confirm(making: Making, candidate: Candidate, whose: str, kept_s: float = 0.0) -> Told:
    """Whether a rate was confirmed: a cautious one at first, then others between the highest that
    held and the lowest that didn't, while there is time. `kept_s` of the budget is left for others.
    """
    notebook = making.notebook
    estimate = notebook.estimate(candidate)
    if estimate is None:
        return False
    rate, missed = _cautious(making, candidate, estimate), estimate
    for attempt in range(MOST):
        held = confirming.held_by(notebook, candidate)
        left_s = making.left_s - kept_s
        shape = None if attempt else _shape(making, AT_FIRST * left_s)
        shape = shape or _shape(making, left_s)
        if shape is None or notebook.state(candidate) is State.DISCARDED:
            break
        starts, window_s = shape
        reason = whose + (", nearer to its limit" if held else ", at a lower rate" * bool(attempt))
        yield from fresh(
            making, candidate, (rate,), starts, reason, kept_s, attempt * ROUND, window_s
        )
        if (now := confirming.held_by(notebook, candidate)) and now.shown >= rate:
            low = rate
        else:
            missed = min(missed, rate)
            low = now.shown if now else 0.0
        if low:
            rate = math.sqrt(low * missed)
            if missed < NEAR * low:
                break
        else:
            points = notebook.points(notebook.of(candidate, Phase.CONFIRM))
            rate = min([DOWN * rate, *([crossing(points).rate] if points else [])])
    return confirming.held_by(notebook, candidate) is not None


def _cautious(making: Making, candidate: Candidate, estimate: float) -> float:
    """What nearly every start holds, and longer windows too."""
    notebook = making.notebook
    if notebook.is_limited(candidate):
        return notebook.highest_held(candidate) or estimate
    count = max(1, len(notebook.blocks(candidate)))
    apart = spread(notebook) * math.sqrt(1 + 1 / count)
    rate = estimate * math.exp(-BELOW * apart)
    fall = cliff(notebook, candidate)
    return min(rate, fall[0]) if fall else rate


def _shape(making: Making, left_s: float) -> tuple[int, float] | None:
    """How many starts with windows of which length fit; None for too few."""
    shortest = making.confirming((1.0,), 0.0)
    beside_s = making.cost_s(shortest) - shortest.window_s
    left_s *= SPARE
    least_s = max(shortest.window_s, CONFIRMING_S * making.longer)
    for starts in range(STARTS, FEWEST_STARTS - 1, -1):
        window_s = left_s / starts - beside_s
        if window_s >= least_s or (starts == FEWEST_STARTS and 2.5 * window_s >= least_s):
            return starts, min(window_s / making.longer, LONGEST_S)
    return None


def fresh(
    making: Making,
    candidate: Candidate,
    rates: Sequence[float],
    starts: int,
    whose: str,
    kept_s: float = 0.0,
    first: int = 0,
    window_s: float = CONFIRMING_S,
) -> Steps:
    """As many starts as there is time for; none where these would be too few to show anything."""
    load = making.confirming(rates, window_s)
    for place in range(starts):
        needed = max(1, FEWEST_STARTS - place)
        if making.cost_s(load, needed) > making.left_s - kept_s:
            break
        reason = f"fresh runs of {whose}"
        yield from making.start(candidate, Phase.CONFIRM, load, reason, place=first + place)
        if confirming.missed(making.notebook, candidate, rates[0]):
            break
        if making.notebook.state(candidate) is State.DISCARDED:
            break


def strain(making: Making, candidate: Candidate) -> Told:
    """Whether it is worth a confirmation: not where as many are late at half the rate. One start
    also shows whether it recovers once more came than it holds.
    """
    notebook = making.notebook
    estimate = notebook.estimate(candidate)
    load = making.arrivals([share * (estimate or 0.0) for share in STRAIN], 1, STRAIN_S)
    needed_s = making.cost_s(load) + making.cost_s(making.confirming((1.0,)), STARTS)
    is_short = making.question.budget_s < LEAST_STRAIN_S or needed_s > making.left_s
    if estimate is None or is_short or notebook.is_limited(candidate):
        return True
    reason = "half its rate, more than that, and half again: whether it recovers"
    seen = yield from making.start(candidate, Phase.STRAIN, load, reason)
    if not seen.levels or not _is_unsteady(making, seen.levels[0]):
        return True
    load = making.arrivals(load.rates[:1], 1, LONGEST_S)
    reason = "whether as many are late at half of what it holds"
    seen = yield from making.start(candidate, Phase.STRAIN, load, reason, place=1)
    return not seen.levels or not _is_unsteady(making, seen.levels[0])


def _is_unsteady(making: Making, level: Level) -> bool:
    for met, goal in zip(level.met, making.question.objective.goals, strict=True):
        late = level.planned - met
        if late > UNSTEADY * (1 - goal.share) * level.planned and late >= FEWEST_LATE:
            return True
    return False
