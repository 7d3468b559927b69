"""The first steps: what one user sees, what a request costs, how much a full load gets through."""

import math
from collections.abc import Iterable, Sequence

from benchsuite.core.specs.objective import Goal, Objective
from benchsuite.core.units import format_duration
from benchsuite.stats.distributions import at_least
from benchsuite.tuning.notebook import End, Notebook, State
from benchsuite.tuning.planning import Making, Steps
from benchsuite.tuning.trial import Candidate, Level, Load, Observation, Phase, Probe

AGAIN_S = 8.0  #: One user is watched, where 3 s or less did not show that he is served.
SLOW = 20.0  #: Below this goodput windows are longer, or a p95 has too few arrivals.
LONGEST = 4.0  #: They are at most so many times as long.
FULL = 1.6
"""Of the time allowed: so long do answers take under a full load. More come than are served in
time, as whoever does not stand that would not recover from a burst of visitors, either."""
FEWEST_USERS, MOST_USERS = 4, 250
CHANCE = 0.01  #: With which a start that just reaches a goal misses by more than is let pass.


def probe(making: Making, firsts: Sequence[Candidate]) -> Steps[bool]:
    """Whether the notebook has the probe, of the first of these that runs; else it has the end."""
    notebook, cpus = making.notebook, making.question.cpus
    objective = making.question.objective
    causes: set[str | tuple[str, ...]] = set()
    for first in firsts:
        load = making.load(1, 3, users=1)
        seen = yield from making.start(first, Phase.PROBE, load, "one user alone")
        # of a single answer in a short window chance would explain anything
        is_in_time = 0 < (seen.response_s or 0.0) <= objective.limit_s
        if seen.levels and (not is_in_time or misses(objective.goals, seen.levels)):
            load = Load(users=1, warmup_s=1, window_s=AGAIN_S * max(1.0, making.longer))
            again = yield from making.start(first, Phase.PROBE, load, "too slow for one user?")
            if again.response_s and misses(objective.goals, again.levels):
                notebook.end, notebook.said = End.NOTHING_HOLDS, _alone(again)
                return False
            seen = again if again.levels else seen
        if seen.levels and seen.response_s:
            users = full_load(objective, cpus / (seen.cpu_s or seen.response_s))
            load = making.load(1, 3, users=users)
            full = yield from making.start(first, Phase.PROBE, load, "as many users as it takes")
            if full.levels and (goodput := full.levels[0].goodput):
                making.longer *= min(LONGEST, max(1.0, SLOW / goodput))
                # by Little's law, whatever stall only idle servers have
                slots_s = first.slots / goodput if first.slots else math.inf
                notebook.probe = Probe(
                    response_s=min(seen.response_s, slots_s),
                    cpu_s=min(filter(None, (full.cpu_s, seen.cpu_s)), default=cpus / goodput),
                    goodput=goodput,
                    memory_bytes=full.memory_bytes / first.processes if full.memory_bytes else None,
                )
                return True
            seen = full
        notebook.decide(first, State.NO_STATEMENT, unsaid(seen))
        cause = seen.failure or seen.codes
        if (cause and cause in causes) or making.unspent_s <= 0:
            break  # as of another server, so it is not due to the server; or no time is left
        causes.add(cause)
    notebook.end = End.NOTHING_RAN
    whys = [why for state, why in notebook.states.values() if why and state is not State.REFUSED]
    notebook.said = "; ".join(dict.fromkeys(whys))
    return False


def unsaid(seen: Observation) -> str:
    """Why a start says nothing of its server."""
    if seen.failure:
        return f"its run failed: {seen.cause}"
    if seen.limit:
        return f"the load generator was the limit ({', '.join(seen.limit)})"
    if seen.codes:
        return f"{', '.join(seen.codes)} in each of its runs"
    fails = f" ({', '.join(seen.fails)})" if seen.fails else ""
    return f"no right answer{fails}{f': {seen.wrong}' * bool(seen.wrong)}"


def judge(notebook: Notebook, candidate: Candidate, seen: Observation, *, is_known: bool) -> None:
    """Decides whether it goes on after this start; `is_known`: whether anything is known of it."""
    if not is_known:
        notebook.decide(candidate, State.NO_STATEMENT, unsaid(seen))
    elif why := notebook.excess(candidate):
        notebook.decide(candidate, State.OVER, why)
    else:
        notebook.decide(candidate, State.RACING)


def full_load(objective: Objective, rate: float) -> int:
    """Users who, at this rate, wait half as long again as is allowed."""
    return max(FEWEST_USERS, min(MOST_USERS, math.ceil(FULL * objective.limit_s * rate)))


def misses(goals: Sequence[Goal], levels: Iterable[Level]) -> bool:
    """Whether a goal was met there less often than chance explains where it is just reached."""
    return any(
        (late := level.planned - met) > 0
        and at_least(late, level.planned, 1 - goal.share) <= CHANCE
        for level in levels
        for goal, met in zip(goals, level.met, strict=True)
    )


def _alone(seen: Observation) -> str:
    """What it is that one user alone does not get."""
    level = seen.levels[0]
    if level.failures:
        said = f": {seen.wrong}" if seen.wrong else ""
        return f"one user alone: {level.failures} of {level.planned} answers are wrong{said}"
    taken_s = max(seen.response_s or 0.0, level.percentile_s or 0.0)
    return f"one user alone takes {format_duration(taken_s)}"
