"""The first steps: what one user sees, what a request costs, how much a full load gets through."""

import math
from collections.abc import Generator, Sequence

from benchsuite.core.specs.objective import Goal, Objective
from benchsuite.core.units import format_duration
from benchsuite.tuning.bounds import Probe
from benchsuite.tuning.notebook import End, State
from benchsuite.tuning.planning import Making, Seen
from benchsuite.tuning.trial import Candidate, Load, Observation, Phase, Trial

AGAIN_S = 8.0  #: One user is watched, where 3 s or less did not show that he is served.
SLOW = 20.0  #: Below this goodput windows are longer, or a p95 has too few arrivals.
LONGEST = 4.0  #: They are at most so many times as long.
FULL = 0.6  #: Of the time allowed: so long do answers take under a full load.
FEWEST_USERS, MOST_USERS = 4, 250
DOUBT = 0.01  #: Chance with which one user who is served as asked is said not to be.

Probed = Generator[Trial, Observation, Probe | None]


def probe(making: Making, firsts: Sequence[Candidate]) -> Probed:
    """Of the first of these that runs; None, and the end in the notebook, where none says anything
    or not even one user is served as asked.
    """
    notebook = making.notebook
    causes: set[str | tuple[str, ...]] = set()
    for first in firsts:
        observation = yield from making.start(
            first, Phase.PROBE, making.users(1, 1, 3), "one user alone"
        )
        if observation.levels and not (
            _served(making, observation) and _is_in_time(making, observation)
        ):
            load = Load(users=1, warmup_s=1, window_s=AGAIN_S * max(1.0, making.longer))
            again = yield from making.start(first, Phase.PROBE, load, "too slow for one user?")
            if again.response_s and not _served(making, again):
                notebook.end, notebook.said = End.NOTHING_HOLDS, _alone(making, again)
                return None
            observation = again if again.levels else observation
        if observation.levels and observation.response_s:
            observation = yield from _full(making, first, observation)
            if notebook.probe is not None:
                return notebook.probe
        notebook.decide(first, State.NO_STATEMENT, unsaid(observation))
        cause = observation.failure or observation.codes
        if cause and cause in causes:
            break  # as of another server, so it is not due to the server
        causes.add(cause)
    notebook.end = End.NOTHING_RAN
    whys = dict.fromkeys(
        why for state, why in notebook.states.values() if why and state is not State.REFUSED
    )
    notebook.said = "; ".join(whys)
    return None


def unsaid(seen: Observation) -> str:
    """Why a start says nothing of its server."""
    if seen.failure:
        return f"its run failed: {seen.failure.strip().removesuffix('.')}"
    if seen.limit:
        return f"the load generator was the limit ({', '.join(seen.limit)})"
    if seen.codes:
        return f"{', '.join(seen.codes)} in each of its runs"
    fails = f" ({', '.join(seen.fails)})" if seen.fails else ""
    return f"no right answer{fails}{_said(seen)}"


def full_load(objective: Objective, rate: float) -> int:
    """Users who, at this rate, get their answers in a good part of the time allowed."""
    users = math.ceil(FULL * objective.limit_s * rate)
    return max(FEWEST_USERS, min(MOST_USERS, users))


def _full(making: Making, first: Candidate, observation: Observation) -> Seen:
    """What it showed; the notebook has the probe where that is enough."""
    cpus = making.question.cpus
    assert observation.response_s
    rate = cpus / (observation.cpu_s or observation.response_s)
    load = making.users(full_load(making.question.objective, rate), 1, 3)
    full = yield from making.start(first, Phase.PROBE, load, "as many users as it takes")
    if not full.levels or not full.levels[0].goodput:
        return full
    goodput = full.levels[0].goodput
    making.longer *= min(LONGEST, max(1.0, SLOW / goodput))
    # Little's law holds whatever a single user meets, such as a stall that only idle servers have
    response_s = (
        min(observation.response_s, first.slots / goodput)
        if first.slots
        else observation.response_s
    )
    making.notebook.probe = Probe(
        response_s=response_s,
        cpu_s=full.cpu_s or observation.cpu_s or cpus / goodput,
        goodput=goodput,
        memory_bytes=full.memory_bytes / first.processes if full.memory_bytes else None,
    )
    return full


def _served(making: Making, seen: Observation) -> bool:
    """Whether users who were alone were served as the objective says, as far as so few requests
    can tell.
    """
    from scipy import stats

    goals = making.question.objective.goals
    return bool(seen.response_s) and all(
        level.planned - count <= stats.binom.ppf(1 - DOUBT, level.planned, 1 - goal.share)
        for level in seen.levels
        for goal, count in zip(goals, level.met, strict=True)
    )


def _is_in_time(making: Making, seen: Observation) -> bool:
    """Whether the mean is: of a single answer in a short window chance would explain anything."""
    return (seen.response_s or 0.0) <= making.question.objective.limit_s


def _alone(making: Making, seen: Observation) -> str:
    """What it is that one user alone does not get."""
    level = seen.levels[0]
    missed = [
        goal
        for goal, count in zip(making.question.objective.goals, level.met, strict=True)
        if count < goal.share * level.planned
    ]
    if level.failures:
        return f"one user alone: {level.failures} of {level.planned} answers are wrong{_said(seen)}"
    assert seen.response_s is not None
    return f"one user alone takes {format_duration(_taken(seen, missed))}"


def _said(seen: Observation) -> str:
    """What wrong answers said."""
    return f": {seen.wrong}" if seen.wrong else ""


def _taken(seen: Observation, missed: Sequence[Goal]) -> float:
    """The mean, or what the goal is about where that is known and the mean would look fine."""
    assert seen.response_s is not None
    limits = [goal.within_s for goal in missed if goal.within_s is not None]
    percentile = seen.levels[0].percentile_s
    if percentile is not None and limits and seen.response_s < min(limits):
        return percentile
    return seen.response_s
