"""Making a trial: its load, its seed, its repetition where it said nothing, and what it costs."""

import random
from collections.abc import Generator, Sequence
from dataclasses import replace

from benchsuite.tuning.notebook import Notebook
from benchsuite.tuning.trial import Candidate, Load, Observation, Phase, Trial

Steps = Generator[Trial, Observation, None]
Seen = Generator[Trial, Observation, Observation]
Narrowed = Generator[Trial, Observation, list[Candidate]]  #: Steps that leave some in the race.

PHASES = tuple(Phase)
CONFIRMING_S = 10.0  #: The window of each rate that is confirmed.
THOROUGH_S = 40.0
DIAGNOSING_S = 5.0
SHORTEST_S = 1.0  #: No window is shorter, however short those are that confirm.


class Making:
    """What all steps of a search share: the notebook, one source of chance, how long windows are.

    Trials of one phase and place have the same seed for all candidates: they meet the same
    arrivals, so what chance does to one it does to all.
    """

    def __init__(self, book: Notebook) -> None:
        self.book, self.question = book, book.question
        self.random = random.Random(self.question.seed)
        self.longer = self.question.window_factor

    def start(
        self,
        candidate: Candidate,
        phase: Phase,
        load: Load,
        reason: str,
        *,
        place: int = 0,
        ends_early: bool = False,
        again: bool = True,
    ) -> Seen:
        """One start, and `again` another one if the machine or the load generator spoiled it."""
        trial = Trial(
            candidate=candidate,
            phase=phase,
            load=load,
            seed=1000 * self.question.seed + 100 * PHASES.index(phase) + place,
            reason=reason,
            ends_early=ends_early,
        )
        seen = yield trial
        self.book.note(trial, seen)
        if not (again and seen.says_nothing) or self.cost_s(load) > self.left_s:
            return seen
        second = replace(trial, reason=f"{reason}; once more, because of {', '.join(seen.codes)}")
        seen = yield second
        self.book.note(second, seen)
        return seen

    def users(self, count: int, warmup_s: float, window_s: float) -> Load:
        return self._load(warmup_s, window_s, users=count)

    def arrivals(self, rates: Sequence[float], warmup_s: float, window_s: float) -> Load:
        return self._load(warmup_s, window_s, rates=rates)

    def _load(
        self, warmup_s: float, window_s: float, *, users: int = 0, rates: Sequence[float] = ()
    ) -> Load:
        """With longer windows the warm-up stays as it is, with shorter ones it shrinks too."""
        return Load(
            users=users,
            rates=tuple(rates),
            warmup_s=warmup_s * min(1.0, self.question.window_factor),
            window_s=max(SHORTEST_S, window_s * self.longer),
        )

    def confirming(self, rates: Sequence[float]) -> Load:
        load = self.arrivals(rates, 2, CONFIRMING_S)
        if self.question.thorough:
            return replace(load, window_s=max(THOROUGH_S, load.window_s))
        return load

    def cost_s(self, load: Load, starts: int = 1) -> float:
        return starts * (self.book.overhead_s + load.duration_s)

    def diagnosing(self, rates: Sequence[float] = ()) -> Load:
        return self.arrivals(rates, 1, DIAGNOSING_S)

    @property
    def unspent_s(self) -> float:
        """Of the budget."""
        return self.question.budget_s - self.book.spent_s

    @property
    def left_s(self) -> float:
        """The same beside what a diagnostic start of the pick will take."""
        return self.unspent_s - self.cost_s(self.diagnosing())

    def shuffled(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        order = list(candidates)
        self.random.shuffle(order)
        return order
