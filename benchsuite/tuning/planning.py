"""What the budget allows, how a trial is made, and the first ones: one user, then a full load."""

import math
import random
from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from benchsuite.core.specs.objective import Goal, Objective
from benchsuite.core.units import format_duration
from benchsuite.stats.distributions import at_least
from benchsuite.tuning.notebook import COUNTED, End, Notebook, State
from benchsuite.tuning.trial import Candidate, Level, Load, Observation, Phase, Probe, Trial

T = TypeVar("T")
Steps = Generator[Trial, Observation, T]
"""Trials to be made, each sent what it showed, and what follows from all of them."""

LEAST_S = 120.0  #: A smaller budget shows nothing.
CONFIRMING_S = 10.0  #: The shortest window that confirms, where the budget allows it.
THOROUGH_S = 40.0
DIAGNOSING_S = 5.0
SHORTEST_S = 1.0  #: No window is shorter, however short those are that confirm.
WAITS_S = (10.0, 20.0, 40.0, 40.0, 40.0, 40.0)  #: Before a start is made again on a busy machine.
PATIENCE = 0.4  #: Of the budget may go into starts that were spoiled, and into waiting.


class Making:
    """What all steps of a search share: the notebook, one source of chance, how long windows are.

    Trials of one phase and place have the same seed for all candidates: they meet the same
    arrivals, so what chance does to one it does to all.
    """

    def __init__(self, notebook: Notebook) -> None:
        self.notebook, self.question = notebook, notebook.question
        self.random = random.Random(self.question.seed)
        self.longer = self.question.window_factor
        self.kept_s = 0.0  #: Of the budget, for what comes after the pick.

    def start(
        self, candidate: Candidate, phase: Phase, load: Load, reason: str, place: int = 0
    ) -> Steps[Observation]:
        """One start; if it counts once more, later where it was spoiled, at once if it failed."""
        trial = Trial(
            candidate=candidate,
            phase=phase,
            load=load,
            seed=1000 * self.question.seed + 100 * [*Phase].index(phase) + place,
            reason=reason,
            ends_early=phase is Phase.BISECT,
        )
        seen = yield trial
        notebook = self.notebook
        notebook.note(trial, seen)
        for count, wait_s in enumerate(WAITS_S if phase in COUNTED else ()):
            if not (seen.says_nothing or (seen.failure and not seen.levels)):
                break
            lost_s = sum(
                entry.seen.took_s if entry.seen.says_nothing else entry.trial.wait_s
                for entry in notebook.entries
            )
            if not seen.says_nothing or lost_s >= PATIENCE * self.question.budget_s:
                wait_s = 0.0
            is_given_up = notebook.state(candidate) is State.DISCARDED or (count and not wait_s)
            if is_given_up or self.cost_s(load) + wait_s > self.left_s:
                break
            why = f"because of {', '.join(seen.codes)}" if seen.says_nothing else "as it failed"
            trial = replace(trial, reason=f"{reason}; once more, {why}", wait_s=wait_s)
            seen = yield trial
            notebook.note(trial, seen)
        return seen

    def load(
        self, warmup_s: float, window_s: float, *, users: int = 0, rates: Sequence[float] = ()
    ) -> Load:
        """With longer windows the warm-up stays as it is, with shorter ones it shrinks too."""
        most = self.question.most_per_s or math.inf
        cut = [min(rate, most) for rate in rates]
        kept = [rate for at, rate in enumerate(cut) if rate < most or rate not in cut[:at]]
        return Load(
            users=users,
            rates=tuple(kept),
            warmup_s=warmup_s * min(1.0, self.question.window_factor),
            window_s=max(SHORTEST_S, window_s * self.longer),
        )

    def confirming(self, rates: Sequence[float] = (1.0,), window_s: float = CONFIRMING_S) -> Load:
        load = self.load(2, window_s, rates=rates)
        least_s = THOROUGH_S if self.question.thorough else 0.0
        return replace(load, window_s=max(least_s, load.window_s))

    def cost_s(self, load: Load, starts: int = 1) -> float:
        return starts * (self.notebook.overhead_s + load.duration_s)

    @property
    def unspent_s(self) -> float:
        """Of the budget."""
        return self.question.budget_s - self.notebook.spent_s

    @property
    def left_s(self) -> float:
        """The same beside what is kept, and what a diagnostic start of the pick will take."""
        return self.unspent_s - self.kept_s - self.cost_s(self.load(1, DIAGNOSING_S))

    def shuffled(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        return self.random.sample(candidates, len(candidates))


def least_s(window_factor: float) -> float:
    """The smallest budget that shows something; with short windows it is less."""
    return LEAST_S * min(1.0, window_factor)


AGAIN_S = 8.0  #: One user is watched, where 3 s or less did not show that he is served.
SLOW = 20.0  #: Below this goodput windows are longer, or a p95 has too few arrivals.
LONGEST = 4.0  #: They are at most so many times as long.
FULL = 1.6
"""Of the time allowed: so long do answers take under a full load. More come than are served in
time, as whoever does not stand that would not recover from a burst of visitors, either."""
FEWEST_USERS, MOST_USERS = 4, 250
CHANCE = 0.01  #: With which a start that just reaches a goal misses by more than is let pass.


def probe(making: Making, firsts: Sequence[Candidate]) -> Steps[Probe | None]:
    """What is noted of the first of these that runs; None without one, or where it is too slow."""
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
                notebook.end, notebook.said = End.NOTHING_HOLDS, _alone(objective.goals, again)
                return None
            seen = again if again.levels else seen
        if seen.levels and seen.response_s:
            users = full_load(objective, cpus / (seen.cpu_s or seen.response_s))
            load = making.load(1, 3, users=users)
            full = yield from making.start(first, Phase.PROBE, load, "as many users as it takes")
            if full.levels and (goodput := full.levels[0].goodput):
                making.longer *= min(LONGEST, max(1.0, SLOW / goodput))
                # by Little's law, whatever stall only idle servers have
                slots_s = (first.slots or math.inf) * making.question.instances / goodput
                notebook.probe = Probe(
                    response_s=min(seen.response_s, slots_s),
                    cpu_s=min(filter(None, (full.cpu_s, seen.cpu_s)), default=cpus / goodput),
                    goodput=goodput,
                    memory_bytes=full.memory_bytes / first.processes if full.memory_bytes else None,
                )
                return notebook.probe
            seen = full
        notebook.decide(first, State.NO_STATEMENT, seen.words(objective.goals[0]))
        cause = seen.failure or seen.codes
        if (cause and cause in causes) or making.unspent_s <= 0:
            break  # as of another server, so it is not due to the server; or no time is left
        causes.add(cause)
    return None


def judge(notebook: Notebook, candidate: Candidate, seen: Observation, *, is_known: bool) -> None:
    """Decides whether it goes on after this start; `is_known`: whether anything is known of it."""
    if not is_known:
        goal, *_ = notebook.question.objective.goals
        notebook.decide(candidate, State.NO_STATEMENT, seen.words(goal))
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


def _alone(goals: Sequence[Goal], seen: Observation) -> str:
    """What it is that one user alone does not get."""
    level = seen.levels[0]
    right = (level.planned - level.failures,) * len(goals)
    if misses(goals, [replace(level, met=right)]):
        wrong = f": {seen.wrong}" if seen.wrong else ""
        return f"one user alone: {level.failures} of {level.planned} answers wrong{wrong}"
    taken_s = max(seen.response_s or 0.0, level.percentile_s or 0.0)
    return f"one user alone takes {format_duration(taken_s)}"
