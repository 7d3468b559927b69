"""Screening under a full load, the race in blocks, and rising rates: which candidates are left.

A full load of users who ask at once takes seconds where a rate takes half a minute. It ranks by
what gets through, which isn't what holds an objective: the ladder corrects it.
"""

from collections.abc import Generator, Sequence

from benchsuite.core.units import format_number, listed
from benchsuite.stats import ranks
from benchsuite.tuning import planning
from benchsuite.tuning.bounds import bound, hopeless
from benchsuite.tuning.candidates import Resize, beyond, excess, refusal
from benchsuite.tuning.notebook import State
from benchsuite.tuning.planning import (
    LEVELS,
    RUNGS,
    Making,
    Narrowed,
    Plan,
    Steps,
    block_s,
    ladder_s,
    reserve_s,
)
from benchsuite.tuning.probing import full_load, unsaid
from benchsuite.tuning.trial import Candidate, Load, Observation, Phase, Trial

NEAR = 0.88  #: Of the best: those are screened a second time.
MOST_NEAR = 10

Screened = Generator[Trial, Observation, tuple[list[Candidate], Plan]]


def screen(making: Making, candidates: list[Candidate], resize: Resize | None) -> Screened:
    """Those of which something got through, the best first, and what is made of the rest."""
    probe, question = making.notebook.probe, making.question
    assert probe is not None
    highest = max(
        bound(candidate, probe, question.cpus, gil=question.gil).rate for candidate in candidates
    )
    load = making.users(full_load(making, highest), 1, 3)
    candidates = tried(making, candidates, load)
    plan = planning.planned(making, len(candidates), load)
    going = candidates
    while going:
        for candidate in making.shuffled(going):
            yield from _once(making, candidate, load, "each candidate once")
        going = _back(making, candidates)
        candidates += going
    ranked = _ranked(making, candidates)
    if not ranked:
        return [], plan
    near = [
        candidate
        for candidate in ranked
        if _through(making, candidate) >= NEAR * _through(making, ranked[0])
    ]
    for candidate in making.shuffled(near[:MOST_NEAR]):
        if making.cost_s(load) > planning.spare_s(making, plan, len(near)):
            break
        yield from _once(making, candidate, load, "near the best: once more", place=1)
    best = _ranked(making, candidates)[:1]
    further = beyond(best[0], candidates, question.cpus, resize) if best and resize else []
    for candidate in startable(making, further, highest):
        if making.cost_s(load) <= planning.spare_s(making, plan, len(near)):
            candidates.append(candidate)
            reason = f"next to {best[0].name}, at the edge of those tried"
            yield from _once(making, candidate, load, reason)
    return _ranked(making, candidates), plan


def startable(
    making: Making, candidates: Sequence[Candidate], rate: float | None = None
) -> list[Candidate]:
    """Those that arithmetic neither refuses nor finds hopeless; the others are noted so. What runs
    now is measured even where it can't win. `rate` is what they have to come near; None for what
    is asked for, or the highest bound of them.
    """
    question = making.question
    allowed = []
    for candidate in candidates:
        if why := refusal(question, candidate):
            making.notebook.decide(candidate, State.REFUSED, why)
        else:
            allowed.append(candidate)
    out = _hopeless(making, allowed, rate or question.rate)
    for candidate, why in out.items():
        making.notebook.decide(candidate, State.BOUNDED_OUT, why)
    return [candidate for candidate in allowed if candidate not in out]


def tried(making: Making, candidates: Sequence[Candidate], load: Load) -> list[Candidate]:
    """As many as there is time for: of each server in turn those that need least."""
    room = planning.affordable(making, load, len(candidates))
    if len(candidates) <= room:
        return list(candidates)
    current = making.question.current
    places: dict[str, int] = {}
    order = []
    for candidate in sorted(
        candidates, key=lambda candidate: (candidate.processes, candidate.slots or 0)
    ):
        places[candidate.server] = places.get(candidate.server, 0) + 1
        order.append((candidate != current, places[candidate.server], candidate.name, candidate))
    chosen = [candidate for *_, candidate in sorted(order, key=lambda entry: entry[:3])][:room]
    for candidate in candidates:
        if candidate not in chosen:
            making.notebook.decide(candidate, State.NOT_TRIED, "the budget left no time for it")
    return [candidate for candidate in candidates if candidate in chosen]


def _hopeless(
    making: Making, candidates: Sequence[Candidate], rate: float | None = None
) -> dict[Candidate, str]:
    question, probe = making.question, making.notebook.probe
    assert probe is not None
    out = hopeless(candidates, probe, question.cpus, gil=question.gil, rate=rate)
    return {one: why for one, why in out.items() if one not in (question.current, question.only)}


def _back(making: Making, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those that only looked hopeless beside others, which exceed a limit of the objective."""
    states = making.notebook.states
    over = [one for one in candidates if states[one][0] is State.OVER]
    out = [one for one, (state, _) in states.items() if state is State.BOUNDED_OUT]
    if not over:
        return []
    still = _hopeless(making, [*(one for one in candidates if one not in over), *out])
    return [one for one in out if one not in still]


def _through(making: Making, candidate: Candidate) -> float:
    return making.notebook.screened(candidate) or 0.0


def _ranked(making: Making, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those that are still in, the most first; last those that failed users while others got much
    through: what they leave unanswered comes back at any rate.
    """
    going = [
        candidate for candidate in candidates if making.notebook.state(candidate) is State.RACING
    ]
    return sorted(
        going,
        key=lambda candidate: (
            making.notebook.failings(candidate) != [],
            -_through(making, candidate),
        ),
    )


def _once(
    making: Making, candidate: Candidate, load: Load, reason: str, *, place: int = 0
) -> Steps:
    seen = yield from making.start(candidate, Phase.SCREEN, load, reason, place=place)
    if not making.notebook.screened(candidate):
        making.notebook.decide(candidate, State.NO_STATEMENT, unsaid(seen))
    elif why := excess(making.notebook, candidate):
        making.notebook.decide(candidate, State.OVER, why)
    else:
        making.notebook.decide(candidate, State.RACING)


CLOSE = 0.03  #: All that are left within this: more starts would not matter.
ALONE = 2  #: Starts of a candidate that races nobody, to know its rate.
ON_SEVERAL_CPUS = 6  #: The same, where its rate is compared with that on other CPUs.


def race(making: Making, alive: list[Candidate], plan: Plan) -> Narrowed:
    """Those that are left."""
    notebook, looks = making.notebook, max(1, plan.blocks - ranks.FIRST_LOOK + 1)
    alone = ON_SEVERAL_CPUS if any(candidate.cpus for candidate in alive) else ALONE
    for block in range(plan.blocks):
        cost = block_s(making, len(alive)) + reserve_s(making, plan)
        if (len(notebook.known(alive)) == 1 and block >= alone) or cost > making.left_s:
            break
        for candidate in making.shuffled(alive):
            yield from _start(making, candidate, block)
        known = notebook.known(alive)
        if len(known) > 1:
            out = ranks.given_up(in_step(making, known), looks=looks)
            for candidate in [candidate for candidate in known if candidate.name in out]:
                notebook.drop(candidate)
            alive = [candidate for candidate in alive if candidate.name not in out]
            if block >= ranks.FIRST_LOOK and _close(making, notebook.known(alive)):
                break
    return alive


def in_step(making: Making, alive: Sequence[Candidate]) -> dict[str, list[float]]:
    """Logarithms of their rates, block by block, of the blocks in which all of them were seen."""
    blocks = {one.name: making.notebook.blocks(one) for one in alive}
    common = sorted(set.intersection(*(set(seen) for seen in blocks.values())))
    return {name: [seen[seed] for seed in common] for name, seen in blocks.items()}


def _start(making: Making, candidate: Candidate, block: int) -> Steps:
    rate = making.notebook.estimate(candidate)
    assert rate is not None
    load = making.arrivals([level * rate for level in LEVELS], 1, 5)
    reason = f"block {block + 1} of the race"
    yield from making.start(candidate, Phase.RACE, load, reason, place=block, ends_early=True)


def _close(making: Making, alive: Sequence[Candidate]) -> bool:
    rates = [rate for candidate in alive if (rate := making.notebook.estimate(candidate))]
    return max(rates) <= (1 + CLOSE) * min(rates)


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
    notebook, current = making.notebook, making.question.current
    most = KEPT * (notebook.screened(ranked[0]) or 0.0)
    sound = [candidate for candidate in ranked if not notebook.failings(candidate)] or list(ranked)
    first = [candidate for candidate in sound if (notebook.screened(candidate) or 0.0) >= most][
        : plan.survivors
    ]
    if current is not None and current in ranked and current not in first:
        first.append(current)
    climbed: list[Candidate] = []
    for candidate in making.shuffled(first):
        yield from climb(making, candidate, plan)
        climbed.append(candidate)
    while len(climbed) < len(first) + MOST_FURTHER and _affords(making, plan):
        further = _further(making, sound, climbed)
        if further is None:
            break
        yield from climb(making, further, plan)
        climbed.append(further)
    return _kept(making, ranked, climbed, plan)


def climb(making: Making, candidate: Candidate, plan: Plan) -> Steps:
    """Rising rates below what a full load got through; others where all of them held or none."""
    notebook, probe, question = making.notebook, making.notebook.probe, making.question
    assert probe is not None
    alone = candidate == question.only
    limit = 1.1 * bound(candidate, probe, question.cpus, gil=question.gil).rate
    top = min(notebook.screened(candidate) or (probe.goodput if alone else limit), limit)
    factors, reason = RUNGS, "rising rates"
    for place in range(MOST_ALONE if alone else MOST_STARTS):
        if place and not _affords(making, plan):
            break
        rates = [factor * top for factor in factors]
        load = making.arrivals(rates, 1, 5)
        seen = yield from making.start(
            candidate, Phase.LADDER, load, reason, place=place, ends_early=True
        )
        crossing = notebook.crossing(candidate)
        if not seen.levels or (crossing and (seen.limit or not crossing.beyond)):
            break
        if crossing is None or crossing.beyond == "below":
            top, factors, reason = rates[0], LOWER, "no rate held so far: lower ones"
        else:
            top, factors, reason = rates[-1], HIGHER, "all rates held so far: higher ones"


def _affords(making: Making, plan: Plan) -> bool:
    return ladder_s(making) + reserve_s(making, plan) <= making.left_s


def _further(
    making: Making, ranked: Sequence[Candidate], climbed: Sequence[Candidate]
) -> Candidate | None:
    """One that might hold more than the best so far; of a server that didn't climb, if any."""
    notebook = making.notebook
    shown = [candidate for candidate in climbed if not notebook.is_guessed(candidate)]
    rates = [crossing.rate for candidate in shown if (crossing := notebook.crossing(candidate))]
    most = BEATS * max(rates, default=0.0)
    servers = {candidate.server for candidate in climbed}
    further = [
        candidate
        for candidate in ranked
        if candidate not in climbed and (notebook.screened(candidate) or 0.0) > most
    ]
    return min(further, key=lambda candidate: candidate.server in servers, default=None)


def _kept(
    making: Making, ranked: Sequence[Candidate], climbed: Sequence[Candidate], plan: Plan
) -> list[Candidate]:
    notebook, current = making.notebook, making.question.current
    rates = {
        candidate: crossing.rate
        for candidate in climbed
        if (crossing := notebook.crossing(candidate))
    }
    for candidate in ranked:
        if candidate not in climbed:
            own, best = (notebook.screened(each) or 0.0 for each in (candidate, ranked[0]))
            why = f"{format_number(own)}/s under a full load, the best {format_number(best)}/s"
            if failings := notebook.failings(candidate):
                why = f"the server failed under a full load ({listed(failings)})"
            notebook.decide(candidate, State.DROPPED, f"dropped after the screening: {why}")
        elif candidate not in rates:
            (*_, last) = notebook.of(candidate, Phase.LADDER)
            notebook.decide(candidate, State.NO_STATEMENT, unsaid(last.seen))
        elif why := excess(notebook, candidate):
            notebook.decide(candidate, State.OVER, why)
            del rates[candidate]
    known = notebook.known(rates)
    most = max((rates[candidate] for candidate in known), default=0.0)
    order = sorted(rates, key=lambda candidate: -rates[candidate])
    kept = [
        candidate for candidate in order if candidate in known and rates[candidate] >= IN * most
    ][: plan.survivors]
    for candidate in order:
        if candidate in kept or candidate == current:
            notebook.decide(candidate, State.RACING)
        else:
            notebook.drop(candidate)
    return kept if current not in rates or current in kept else [*kept, current]
