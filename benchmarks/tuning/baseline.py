"""What anybody would do: the search of `tunebench` must not be worse than this."""

import random
from collections.abc import Callable, Sequence

from benchsuite.tuning.planning import full_load
from benchsuite.tuning.trial import Candidate, Load, Observation, Phase, Probe, Question, Trial

BISECTED, HALVINGS, CONFIRMING = 4, 5, 4
SCREENING = 0.4  #: Of the budget, at most.


class Baseline:
    """Probe, screen each once under a full load, bisect the best four, confirm the best."""

    def __init__(self, question: Question, measure: Callable[[Trial], Observation]) -> None:
        self.question, self.measure, self.spent_s = question, measure, 0.0

    def tune(
        self, grid: Callable[[Probe], Sequence[Candidate]], first: Candidate
    ) -> tuple[Candidate | None, float | None]:
        """The pick and the rate that it is said to hold; None for what was not found."""
        objective = self.question.objective
        alone = self._start(first, users=1)
        cpu_s = alone.cpu_s or 0.01
        response_s = alone.response_s or cpu_s
        users = full_load(objective, self.question.cpus / cpu_s)
        sizes = [*grid(Probe(response_s=response_s, cpu_s=cpu_s, goodput=0.0, memory_bytes=None))]
        random.Random(self.question.seed).shuffle(sizes)
        through: dict[Candidate, float] = {}
        for one in sizes:
            if self.spent_s < SCREENING * self.question.budget_s:
                seen = self._start(one, users=users)
                if seen.levels and (seen.memory_bytes or 0) <= (objective.memory_bytes or 1e18):
                    through[one] = seen.levels[0].goodput
        held: dict[Candidate, float] = {}
        for one in sorted(through, key=lambda one: -through[one])[:BISECTED]:
            low, high = 0.5 * through[one], 1.1 * through[one]
            for _ in range(HALVINGS):
                if self.spent_s >= self.question.budget_s:
                    break
                rate = (low + high) / 2
                low, high = (rate, high) if self._holds(one, rate, 6) else (low, rate)
            held[one] = low
        if not held:
            return None, None
        pick = max(held, key=lambda one: held[one])
        rate = held[pick]
        while self.spent_s < self.question.budget_s:
            if all(self._holds(pick, rate, 10) for _ in range(CONFIRMING)):
                return pick, rate
            rate *= 0.95
        return pick, None

    def _holds(self, one: Candidate, rate: float, window_s: float) -> bool:
        seen = self._start(one, rates=(rate,), window_s=window_s)
        goals = self.question.objective.goals
        return bool(seen.levels) and all(
            count >= goal.share * level.planned
            for level in seen.levels
            for goal, count in zip(goals, level.met, strict=True)
        )

    def _start(
        self,
        one: Candidate,
        *,
        users: int = 0,
        rates: tuple[float, ...] = (),
        window_s: float = 4.0,
    ) -> Observation:
        """Once more where the machine was busy or it did not start."""
        load = Load(users=users, rates=rates, warmup_s=1.0, window_s=window_s)
        seed = self.question.seed + int(self.spent_s)
        trial = Trial(candidate=one, phase=Phase.SCREEN, load=load, seed=seed, reason="")
        seen = self.measure(trial)
        self.spent_s += seen.took_s
        if not seen.levels:
            seen = self.measure(trial)
            self.spent_s += seen.took_s
        return seen
