"""A server whose capacities are given: what a search makes of them doesn't depend on chance."""

import math
from collections.abc import Callable, Generator
from dataclasses import replace

from benchsuite.core.specs.objective import Objective
from benchsuite.stats.levels import STEEPNESS
from benchsuite.tuning.notebook import Notebook
from benchsuite.tuning.search import Search
from benchsuite.tuning.trial import Candidate, Level, Observation, Trial

Capacity = Callable[[Candidate], float]
Spoil = Callable[[Trial, Observation], Observation]
"""What is seen instead: a fault of the machine, of the load generator or of the server."""
OVERHEAD_S = 3.0


class Ideal:
    """Answers trials by what each candidate just holds, with a share that bends as servers' do."""

    def __init__(
        self,
        objective: Objective,
        capacity: Capacity,
        *,
        response_s: float = 0.04,
        cpu_s: float = 0.01,
        steepness: float = STEEPNESS,
        spoil: Spoil | None = None,
    ) -> None:
        self.objective, self.capacity = objective, capacity
        self.response_s, self.cpu_s = response_s, cpu_s
        self.steepness, self.spoil = steepness, spoil

    def __call__(self, trial: Trial) -> Observation:
        load, limit = trial.load, self.capacity(trial.candidate)
        through = 1.08 * limit
        rates = load.rates or (0.0,)
        levels = [self._level(rate, limit, through, load.window_s) for rate in rates]
        one_user = load.users == 1
        seen = Observation(
            levels=levels,
            took_s=OVERHEAD_S + load.duration_s,
            response_s=self.response_s if one_user else load.users / through or None,
            cpu_s=self.cpu_s,
            memory_bytes=trial.candidate.processes * (60 << 20) + (trial.candidate.slots or 0),
        )
        if one_user:
            goals = self.objective.goals
            met = tuple(
                75 if goal.within_s is None or goal.within_s > self.response_s else 0
                for goal in goals
            )
            seen = replace(seen, levels=[Level(rate=0.0, planned=75, met=met, goodput=25.0)])
        return self.spoil(trial, seen) if self.spoil else seen

    def _level(self, rate: float, limit: float, through: float, window_s: float) -> Level:
        if not rate:
            planned = round(through * window_s)
            return Level(rate=0.0, planned=planned, met=self._all(planned), goodput=through)
        planned = max(1, round(rate * window_s))
        goal = self.objective.goals[0]
        logit = math.log(goal.share / (1 - goal.share)) + self.steepness * math.log(limit / rate)
        share = 1 / (1 + math.exp(-logit))
        met = tuple(
            planned if one.within_s is None else round(share * planned)
            for one in self.objective.goals
        )
        return Level(rate=rate, planned=planned, met=met, goodput=rate)

    def _all(self, planned: int) -> tuple[int, ...]:
        return (planned,) * len(self.objective.goals)


def driven(search: Search, measure: Callable[[Trial], Observation], most: int = 10_000) -> Notebook:
    """The notebook at its end, or after so many trials."""
    for count, _ in enumerate(going(search, measure)):
        if count >= most:
            break
    return search.notebook


def going(
    search: Search, measure: Callable[[Trial], Observation]
) -> Generator[tuple[Trial, Observation], None, None]:
    """Each trial with what was seen of it, as the search makes them."""
    while (trial := search.next) is not None:
        seen = measure(trial)
        yield trial, seen
        search.tell(seen)
