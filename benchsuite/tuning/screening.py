"""Screening under a full load: which candidates are worth a closer look.

A full load of users who ask at once takes seconds where a rate takes several starts. It ranks by
what gets through, which isn't what holds an objective: bisecting the best corrects it.
"""

import math
import statistics
from collections.abc import Iterable, Sequence

from benchsuite.core.units import format_number, listed
from benchsuite.tuning.bounds import bound, hopeless
from benchsuite.tuning.candidates import Resize, beyond, excess, refusal
from benchsuite.tuning.notebook import State
from benchsuite.tuning.planning import SCREENING, Making, Narrowed, Steps
from benchsuite.tuning.probing import full_load, unsaid
from benchsuite.tuning.trial import Candidate, Load, Phase

FAR = 0.85  #: Of the most that another server got through: its other sizes come last.
ALIKE = 0.9  #: Of the most that sizes of one server got through.
EQUAL = 0.97  #: Of the most that gets through: nothing tells them apart.
FEWEST = 4  #: Are screened, however short the budget is.


def screen(making: Making, candidates: list[Candidate], resize: Resize | None) -> Narrowed:
    """Those of which something got through, the best first. First each server in a middling size,
    then the others in the order of their servers.
    """
    notebook, question = making.notebook, making.question
    probe = notebook.probe
    assert probe is not None
    highest = max(bound(one, probe, question.cpus, gil=question.gil).rate for one in candidates)
    load = making.users(full_load(question.objective, highest), 1, 3)
    seconds = SCREENING * question.budget_s
    room = max(FEWEST, int(seconds / making.cost_s(load)))
    firsts = list(_middling(candidates).values())
    if question.current in candidates and question.current not in firsts:
        firsts.insert(0, question.current)
    for candidate in making.shuffled(firsts[:room]):
        yield from _once(making, candidate, load, "each server once")
    others = [one for one in making.shuffled(candidates) if one not in firsts]
    candidates = [*firsts, *others]
    while len([one for one in candidates if notebook.of(one, Phase.SCREEN)]) < room:
        waiting = [one for one in candidates if notebook.state(one) is None]
        if not waiting and (waiting := _back(making, candidates)):
            candidates += waiting
        if not waiting:
            break
        chosen = min(waiting, key=lambda one: _lag(making, one, candidates))
        yield from _once(making, chosen, load, "each size once, of the better servers first")
    for candidate in candidates:
        if notebook.state(candidate) is None:
            notebook.decide(candidate, State.NOT_TRIED, "the budget left no time for it")
    if (best := _ranked(making, candidates)[:1]) and resize:
        for candidate in startable(making, beyond(best[0], candidates, question.cpus, resize)):
            if len(candidates) < room:
                candidates.append(candidate)
                reason = f"next to {best[0].name}, at the edge of those tried"
                yield from _once(making, candidate, load, reason)
    return _ranked(making, candidates)


def startable(making: Making, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those that arithmetic neither refuses nor finds hopeless; the others are noted so. What runs
    now is measured even where it can't win.
    """
    allowed = []
    for candidate in candidates:
        if why := refusal(making.question, candidate):
            making.notebook.decide(candidate, State.REFUSED, why)
        else:
            allowed.append(candidate)
    out = _hopeless(making, allowed)
    for candidate, why in out.items():
        making.notebook.decide(candidate, State.BOUNDED_OUT, why)
    return [candidate for candidate in allowed if candidate not in out]


def _hopeless(making: Making, candidates: Sequence[Candidate]) -> dict[Candidate, str]:
    """Beside each other and those that are still in. Bounds are compared with bounds: those of a
    probe that cost more than usual are too low for all.
    """
    question, notebook = making.question, making.notebook
    assert notebook.probe is not None
    going = [one for one, (state, _) in notebook.states.items() if state is State.RACING]
    both = list(dict.fromkeys([*candidates, *going]))
    out = hopeless(both, notebook.probe, question.cpus, gil=question.gil, rate=question.rate)
    kept = (question.current, question.only, *going)
    return {one: why for one, why in out.items() if one not in kept}


def _middling(candidates: Iterable[Candidate]) -> dict[str, Candidate]:
    """Server → the size in the middle of its own."""
    sizes: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        sizes.setdefault(candidate.server, []).append(candidate)
    order = {
        server: sorted(some, key=lambda one: (one.slots or 0, one.processes))
        for server, some in sizes.items()
    }
    return {server: some[len(some) // 2] for server, some in order.items()}


def _lag(making: Making, candidate: Candidate, candidates: Sequence[Candidate]) -> bool:
    """Whether its server got much less through than another one did."""
    through = [
        (making.notebook.screened(one) or 0.0, one.server == candidate.server)
        for one in candidates
        if making.notebook.state(one) is State.RACING
    ]
    own = [rate for rate, is_own in through if is_own]
    return bool(own) and max(own) < FAR * max(rate for rate, _ in through)


def _back(making: Making, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those that only looked hopeless beside others, which exceed a limit of the objective."""
    states = making.notebook.states
    over = [one for one in candidates if states[one][0] is State.OVER]
    out = [one for one, (state, _) in states.items() if state is State.BOUNDED_OUT]
    still = _hopeless(making, [*(one for one in candidates if one not in over), *out])
    back = [one for one in out if one not in still] if over else []
    for one in back:
        del states[one]
    return back


def _ranked(making: Making, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those that are still in: of equal ones that which needs least first, and last those that
    failed users under a full load, as what they leave unanswered comes back at any rate.
    """
    notebook = making.notebook
    left = notebook.going(one for one in candidates if notebook.screened(one))
    worth = {one: _worth(making, one, left) for one in left}
    ranked: list[Candidate] = []
    while left:
        sound = [one for one in left if not notebook.failings(one)] or left
        most = max(worth[one] for one in sound)
        equal = [one for one in sound if worth[one] >= EQUAL * most]
        least = min(equal, key=lambda one: (notebook.memory_bytes(one) or 0.0, one.slots or 0))
        ranked.append(least)
        left.remove(least)
    return ranked


def _worth(making: Making, candidate: Candidate, candidates: Sequence[Candidate]) -> float:
    """What got through, half of it as sizes of its server that were about as good had it: one
    start may be a lucky one.
    """
    own = making.notebook.screened(candidate) or 0.0
    alike = [
        rate
        for one in candidates
        if one.server == candidate.server and (rate := making.notebook.screened(one))
    ]
    level = statistics.median(rate for rate in alike if rate >= ALIKE * max(alike))
    return math.sqrt(own * min(own, level)) if own < ALIKE * max(alike) else math.sqrt(own * level)


def _once(making: Making, candidate: Candidate, load: Load, reason: str) -> Steps:
    notebook = making.notebook
    seen = yield from making.start(candidate, Phase.SCREEN, load, reason)
    if not notebook.screened(candidate):
        notebook.decide(candidate, State.NO_STATEMENT, unsaid(seen))
    elif why := excess(notebook, candidate):
        notebook.decide(candidate, State.OVER, why)
    else:
        notebook.decide(candidate, State.RACING)


def leave(making: Making, ranked: Sequence[Candidate], chosen: Sequence[Candidate]) -> None:
    """Notes why those that were screened are not looked at more closely."""
    notebook = making.notebook
    best = max((notebook.screened(one) or 0.0 for one in ranked), default=0.0)
    for candidate in ranked:
        if candidate not in chosen:
            own = notebook.screened(candidate) or 0.0
            why = f"{format_number(own)}/s under a full load, the best {format_number(best)}/s"
            if failings := notebook.failings(candidate):
                why = f"the server failed under a full load ({listed(failings)})"
            notebook.decide(candidate, State.DROPPED, f"dropped after the screening: {why}")
