"""Each candidate once under a full load, those near the best once more: which are worth a ladder.

A full load of users who ask at once takes seconds where a rate takes half a minute. It ranks by
what gets through, which isn't what holds an objective: the ladder corrects it.
"""

from collections.abc import Generator, Sequence

from benchsuite.tuning import planning
from benchsuite.tuning.bounds import bound, hopeless
from benchsuite.tuning.making import Making, Steps
from benchsuite.tuning.neighbours import Resize, beyond
from benchsuite.tuning.notebook import State
from benchsuite.tuning.planning import Plan
from benchsuite.tuning.probing import full_load, unsaid
from benchsuite.tuning.refusing import excess, refusal
from benchsuite.tuning.trial import Candidate, Load, Observation, Phase, Trial

NEAR = 0.88  #: Of the best: those are screened a second time.
MOST_NEAR = 10

Screened = Generator[Trial, Observation, tuple[list[Candidate], Plan]]


def screen(making: Making, candidates: list[Candidate], resize: Resize | None) -> Screened:
    """Those of which something got through, the best first, and what is made of the rest."""
    probe, question = making.book.probe, making.question
    assert probe is not None
    highest = max(bound(one, probe, question.cpus, gil=question.gil).rate for one in candidates)
    load = making.users(full_load(making, highest), 1, 3)
    candidates = tried(making, candidates, load)
    plan = planning.planned(making, len(candidates), load)
    going = candidates
    while going:
        for one in making.shuffled(going):
            yield from _once(making, one, load, "each candidate once")
        going = _back(making, candidates)
        candidates += going
    ranked = _ranked(making, candidates)
    if not ranked:
        return [], plan
    near = [one for one in ranked if _through(making, one) >= NEAR * _through(making, ranked[0])]
    for one in making.shuffled(near[:MOST_NEAR]):
        if making.cost_s(load) > planning.spare_s(making, plan, len(near)):
            break
        yield from _once(making, one, load, "near the best: once more", place=1)
    best = _ranked(making, candidates)[:1]
    further = beyond(best[0], candidates, question.cpus, resize) if best and resize else []
    for one in startable(making, further, highest):
        if making.cost_s(load) <= planning.spare_s(making, plan, len(near)):
            candidates.append(one)
            reason = f"next to {best[0].name}, at the edge of those tried"
            yield from _once(making, one, load, reason)
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
    for one in candidates:
        if why := refusal(question, one):
            making.book.decide(one, State.REFUSED, why)
        else:
            allowed.append(one)
    out = _hopeless(making, allowed, rate or question.rate)
    for one, why in out.items():
        making.book.decide(one, State.BOUNDED_OUT, why)
    return [one for one in allowed if one not in out]


def tried(making: Making, candidates: Sequence[Candidate], load: Load) -> list[Candidate]:
    """As many as there is time for: of each server in turn those that need least."""
    room = planning.affordable(making, load, len(candidates))
    if len(candidates) <= room:
        return list(candidates)
    current = making.question.current
    places: dict[str, int] = {}
    order = []
    for one in sorted(candidates, key=lambda one: (one.processes, one.slots or 0)):
        places[one.server] = places.get(one.server, 0) + 1
        order.append((one != current, places[one.server], one.name, one))
    chosen = [one for *_, one in sorted(order, key=lambda entry: entry[:3])][:room]
    for one in candidates:
        if one not in chosen:
            making.book.decide(one, State.NOT_TRIED, "the budget left no time for it")
    return [one for one in candidates if one in chosen]


def _hopeless(
    making: Making, candidates: Sequence[Candidate], rate: float | None = None
) -> dict[Candidate, str]:
    question, probe = making.question, making.book.probe
    assert probe is not None
    out = hopeless(candidates, probe, question.cpus, gil=question.gil, rate=rate)
    return {one: why for one, why in out.items() if one not in (question.current, question.only)}


def _back(making: Making, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those that only looked hopeless beside others, which exceed a limit of the objective."""
    states = making.book.states
    over = [one for one in candidates if states[one][0] is State.OVER]
    out = [one for one, (state, _) in states.items() if state is State.BOUNDED_OUT]
    if not over:
        return []
    still = _hopeless(making, [*(one for one in candidates if one not in over), *out])
    return [one for one in out if one not in still]


def _through(making: Making, one: Candidate) -> float:
    return making.book.screened(one) or 0.0


def _ranked(making: Making, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those that are still in, the most first; last those that failed users while others got much
    through: what they leave unanswered comes back at any rate.
    """
    going = [one for one in candidates if making.book.state(one) is State.RACING]
    return sorted(going, key=lambda one: (making.book.failings(one) != [], -_through(making, one)))


def _once(making: Making, one: Candidate, load: Load, reason: str, *, place: int = 0) -> Steps:
    seen = yield from making.start(one, Phase.SCREEN, load, reason, place=place)
    if not making.book.screened(one):
        making.book.decide(one, State.NO_STATEMENT, unsaid(seen))
    elif why := excess(making.book, one):
        making.book.decide(one, State.OVER, why)
    else:
        making.book.decide(one, State.RACING)
