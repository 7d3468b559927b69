"""One start of each of the best at rising rates: about which rate does it just hold?"""

from collections.abc import Sequence

from benchsuite.core.units import format_number, listed
from benchsuite.tuning.bounds import bound
from benchsuite.tuning.making import Making, Narrowed, Steps
from benchsuite.tuning.notebook import State
from benchsuite.tuning.planning import RUNGS, Plan, ladder_s, reserve_s
from benchsuite.tuning.probing import unsaid
from benchsuite.tuning.refusing import excess
from benchsuite.tuning.trial import Candidate, Phase

KEPT = 0.92  #: Of the most that a full load got through: those climb.
BEATS = 1.1
"""Who gets so much more through than the best holds may hold more, whatever its place."""
MOST_FURTHER = 3  #: So many climb for that reason.
IN = 0.85  #: Of what the best holds: those race.
HIGHER = (1.0, 1.12, 1.25, 1.4)  #: Of the highest rate, where all were held.
LOWER = (0.3, 0.42, 0.54, 0.66)  #: Of the lowest, where none was.
MOST_STARTS = 2  #: Of one candidate, until rates are found that hold and others that don't.
MOST_ALONE = 5  #: Of the only one.


def ladder(making: Making, ranked: Sequence[Candidate], plan: Plan) -> Narrowed:
    """Those that race, `ranked` by what a full load gets through."""
    book, current = making.book, making.question.current
    most = KEPT * (book.screened(ranked[0]) or 0.0)
    sound = [one for one in ranked if not book.failings(one)] or list(ranked)
    first = [one for one in sound if (book.screened(one) or 0.0) >= most][: plan.survivors]
    if current is not None and current in ranked and current not in first:
        first.append(current)
    climbed: list[Candidate] = []
    for one in making.shuffled(first):
        yield from climb(making, one, plan)
        climbed.append(one)
    while len(climbed) < len(first) + MOST_FURTHER and _affords(making, plan):
        further = _further(making, sound, climbed)
        if further is None:
            break
        yield from climb(making, further, plan)
        climbed.append(further)
    return _kept(making, ranked, climbed, plan)


def climb(making: Making, candidate: Candidate, plan: Plan) -> Steps:
    """Rising rates below what a full load got through; others where all of them held or none."""
    book, probe, question = making.book, making.book.probe, making.question
    assert probe is not None
    alone = candidate == question.only
    limit = 1.1 * bound(candidate, probe, question.cpus, gil=question.gil).rate
    top = min(book.screened(candidate) or (probe.goodput if alone else limit), limit)
    factors, reason = RUNGS, "rising rates"
    for place in range(MOST_ALONE if alone else MOST_STARTS):
        if place and not _affords(making, plan):
            break
        rates = [factor * top for factor in factors]
        load = making.arrivals(rates, 1, 5)
        seen = yield from making.start(
            candidate, Phase.LADDER, load, reason, place=place, ends_early=True
        )
        found = book.crossing(candidate)
        if not seen.levels or (found and (seen.limit or not found.beyond)):
            break
        if found is None or found.beyond == "below":
            top, factors, reason = rates[0], LOWER, "no rate held so far: lower ones"
        else:
            top, factors, reason = rates[-1], HIGHER, "all rates held so far: higher ones"


def _affords(making: Making, plan: Plan) -> bool:
    return ladder_s(making) + reserve_s(making, plan) <= making.left_s


def _further(
    making: Making, ranked: Sequence[Candidate], climbed: Sequence[Candidate]
) -> Candidate | None:
    """One that might hold more than the best so far; of a server that didn't climb, if any."""
    book = making.book
    shown = [one for one in climbed if not book.is_guessed(one)]
    rates = [found.rate for one in shown if (found := book.crossing(one))]
    most = BEATS * max(rates, default=0.0)
    servers = {one.server for one in climbed}
    others = [one for one in ranked if one not in climbed and (book.screened(one) or 0.0) > most]
    return min(others, key=lambda one: one.server in servers, default=None)


def _kept(
    making: Making, ranked: Sequence[Candidate], climbed: Sequence[Candidate], plan: Plan
) -> list[Candidate]:
    book, current = making.book, making.question.current
    rates = {one: found.rate for one in climbed if (found := book.crossing(one))}
    for one in ranked:
        if one not in climbed:
            own, best = (book.screened(each) or 0.0 for each in (one, ranked[0]))
            why = f"{format_number(own)}/s under a full load, the best {format_number(best)}/s"
            if failings := book.failings(one):
                why = f"the server failed under a full load ({listed(failings)})"
            book.decide(one, State.DROPPED, f"dropped after the screening: {why}")
        elif one not in rates:
            (*_, last) = book.of(one, Phase.LADDER)
            book.decide(one, State.NO_STATEMENT, unsaid(last.seen))
        elif why := excess(book, one):
            book.decide(one, State.OVER, why)
            del rates[one]
    known = book.known(rates)
    most = max((rates[one] for one in known), default=0.0)
    order = sorted(rates, key=lambda one: -rates[one])
    kept = [one for one in order if one in known and rates[one] >= IN * most][: plan.survivors]
    for one in order:
        if one in kept or one == current:
            book.decide(one, State.RACING)
        else:
            book.drop(one)
    return kept if current not in rates or current in kept else [*kept, current]
