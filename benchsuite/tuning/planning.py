"""What the budget allows, and how a trial is made: its load, its seed, what it costs."""

import math
import random
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import TypeVar

from benchsuite.tuning.notebook import COUNTED, Notebook, State
from benchsuite.tuning.trial import Candidate, Load, Observation, Phase, Trial

T = TypeVar("T")
Steps = Generator[Trial, Observation, T]
"""Trials to be made, each sent what it showed, and what follows from all of them."""

LEAST_S = 120.0  #: A smaller budget shows nothing.
SCREENING = 0.40  #: Of the budget at most goes into screening.
CONFIRMING = 0.33  #: So much of it is left for fresh starts of the pick,
CURRENT = 0.15  #: and so much for those of what runs now, where that is another one.
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
            repeated = replace(trial, reason=f"{reason}; once more, {why}", wait_s=wait_s)
            seen = yield repeated
            notebook.note(repeated, seen)
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

    def diagnosing(self, rates: Sequence[float] = ()) -> Load:
        return self.load(1, DIAGNOSING_S, rates=rates)

    @property
    def unspent_s(self) -> float:
        """Of the budget."""
        return self.question.budget_s - self.notebook.spent_s

    @property
    def left_s(self) -> float:
        """The same beside what a diagnostic start of the pick will take."""
        return self.unspent_s - self.cost_s(self.diagnosing())

    def shuffled(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        return self.random.sample(candidates, len(candidates))


def least_s(window_factor: float) -> float:
    """The smallest budget that shows something; with short windows it is less."""
    return LEAST_S * min(1.0, window_factor)
