"""The best few at one rate a start, nearer each time to what they just hold, and those beside the
best. Each start is a fresh one, so no overload is carried on, and each shows how starts differ.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import replace

from benchsuite.tuning.bounds import bound
from benchsuite.tuning.candidates import Resize, beside, excess
from benchsuite.tuning.notebook import RISING, State
from benchsuite.tuning.planning import Making, Narrowed, Steps
from benchsuite.tuning.probing import unsaid
from benchsuite.tuning.screening import leave, startable
from benchsuite.tuning.spread import spread
from benchsuite.tuning.trial import Candidate, Load, Phase

FIELD = 5  #: So many of those that were screened are bisected,
OF_A_SERVER = 2  #: and so many of one server.
KEPT = 0.80  #: Of the most that a full load got through: others are not.
ROUNDS = 8  #: Each candidate that is left has one start in each.
LEFT = (5, 4, 4, 3)  #: Are left at most after each round; of the last from then on.
MOST_LIMITED = 5  #: Starts of one candidate until the load generator keeps up.
ALONE = 4  #: Starts of a candidate that has no rival left.
ON_SEVERAL_CPUS = 6  #: The same, where its rate is compared with that on other CPUs.
WINDOW_S = 6.0
CLOSE = 0.02  #: So far behind the best, in the logarithm, nobody is given up.
SURE = 1.0  #: Standard errors beyond that from which one is.
FIRST = 0.93  #: Of what a full load got through: the rate of a first start.
HIGHER = 1.08  #: Of the highest rate, where all were held.
LOWER = 0.8  #: Of the lowest, where none was by far.


def bisect(making: Making, ranked: Sequence[Candidate], resize: Resize | None) -> Narrowed:
    """Those that are left, `ranked` by what a full load got through."""
    notebook, only = making.notebook, making.question.only
    field = [only] if only is not None else _field(making, ranked)
    leave(making, ranked, field)
    alone = ON_SEVERAL_CPUS if any(one.cpus for one in field) else ALONE
    looked: list[Candidate] = []
    for place in range(ROUNDS):
        for candidate in making.shuffled(field):
            load = _load(making, candidate, looked)
            if looked and making.cost_s(load) > making.left_s - making.reserved_s():
                return notebook.going(looked)
            yield from _once(making, candidate, load, place)
            looked = [*dict.fromkeys([*looked, candidate])]
        field = _kept(making, notebook.going(field), LEFT[min(place, len(LEFT) - 1)])
        beside_best = _beside(making, field, resize) if place else []
        is_settled = len(field) <= 1 and place + 1 >= alone
        if not field or any(map(notebook.is_limited, field)) or (is_settled and not beside_best):
            break
        field += beside_best
    return notebook.going(looked)


def _field(making: Making, ranked: Sequence[Candidate]) -> list[Candidate]:
    """The first few, not all of one server, and what runs now."""
    notebook, current = making.notebook, making.question.current
    most = KEPT * max((notebook.screened(one) or 0.0 for one in ranked), default=0.0)
    field: list[Candidate] = []
    sound = [one for one in ranked if not notebook.failings(one)] or ranked
    for candidate in sound:
        alike = sum(one.server == candidate.server for one in field)
        if alike < OF_A_SERVER and (notebook.screened(candidate) or 0.0) >= most:
            field.append(candidate)
    field = field[:FIELD]
    is_left_out = current is not None and current in ranked and current not in field
    return [*field, current] if current is not None and is_left_out else field


def _once(making: Making, candidate: Candidate, load: Load, place: int) -> Steps:
    reason = "one rate, nearer to what it just holds" if place else "one rate below a full load"
    notebook = making.notebook
    for _ in range(MOST_LIMITED):
        seen = yield from making.start(
            candidate, Phase.BISECT, load, reason, place=place, ends_early=True
        )
        known = notebook.points(notebook.of(candidate, *RISING))
        if known or not seen.limit or making.cost_s(load) > making.left_s:
            break
        load = replace(load, rates=(LOWER * load.rates[0],))
    if not notebook.points(notebook.of(candidate, *RISING)):
        notebook.decide(candidate, State.NO_STATEMENT, unsaid(seen))
    elif why := excess(notebook, candidate):
        notebook.decide(candidate, State.OVER, why)
    else:
        notebook.decide(candidate, State.RACING)


def _load(making: Making, candidate: Candidate, looked: Sequence[Candidate]) -> Load:
    return making.arrivals([_rate(making, candidate, looked)], 1, WINDOW_S)


def _rate(making: Making, candidate: Candidate, looked: Sequence[Candidate]) -> float:
    """That of its next start: what it just holds, as far as is known."""
    notebook, probe, question = making.notebook, making.notebook.probe, making.question
    assert probe is not None
    if crossing := notebook.crossing(candidate):
        rates = [one.rate for one in notebook.points(notebook.of(candidate, *RISING))]
        if crossing.beyond == "above":
            return max(crossing.rate, HIGHER * max(rates))
        if crossing.beyond == "below" and crossing.is_far:
            return LOWER * min(rates)
        return notebook.estimate(candidate) or crossing.rate
    limit = 1.1 * bound(candidate, probe, question.cpus, gil=question.gil).rate
    through = notebook.screened(candidate)
    if through is None:
        estimates = [rate for one in looked if (rate := notebook.estimate(one))]
        return max(estimates, default=FIRST * min(probe.goodput, limit))
    shares = [
        rate / own
        for one in looked
        if notebook.is_bracketed(one)
        and (own := notebook.screened(one))
        and (rate := notebook.estimate(one))
    ]
    return min(through, limit) * (statistics.median(shares) if shares else FIRST)


def _kept(making: Making, field: Sequence[Candidate], most: int) -> list[Candidate]:
    """The best of them, and those that may be as good; what runs now whatever it shows."""
    notebook, current = making.notebook, making.question.current
    known = [one for one in field if not notebook.is_guessed(one)] or list(field)
    rates = {one: rate for one in known if (rate := notebook.estimate(one))}
    order = sorted(rates, key=lambda one: -rates[one])
    apart = spread(notebook)
    kept = []
    for candidate in order[:most]:
        counts = [max(1, len(notebook.blocks(one))) for one in (candidate, order[0])]
        error = apart * math.sqrt(sum(1 / count for count in counts))
        behind = math.log(rates[order[0]] / rates[candidate])
        if behind <= CLOSE + SURE * error or not _has_missed(making, candidate):
            kept.append(candidate)
    for candidate in field:
        if candidate not in kept and candidate != current:
            notebook.drop(candidate)
    is_left_out = current is not None and current in field and current not in kept
    return [*kept, current] if current is not None and is_left_out else kept


def _has_missed(making: Making, candidate: Candidate) -> bool:
    """Else it holds more than is known."""
    crossing = making.notebook.crossing(candidate)
    return crossing is not None and crossing.beyond != "above"


def _beside(making: Making, field: Sequence[Candidate], resize: Resize | None) -> list[Candidate]:
    """Sizes next to the best that nobody has tried yet."""
    if resize is None or making.question.only is not None or not field:
        return []
    notebook = making.notebook
    best = max(field, key=lambda one: notebook.estimate(one) or 0.0)
    return startable(making, [one for one in beside(best, resize) if one not in notebook.states])
