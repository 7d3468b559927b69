"""What the budget allows, and how a trial is made: its load, its seed, what it costs."""

import random
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

from benchsuite.tuning.confirming import FEWEST_STARTS
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

    def __init__(self, notebook: Notebook) -> None:
        self.notebook, self.question = notebook, notebook.question
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
        self.notebook.note(trial, seen)
        if not (again and seen.says_nothing) or self.cost_s(load) > self.left_s:
            return seen
        second = replace(trial, reason=f"{reason}; once more, because of {', '.join(seen.codes)}")
        seen = yield second
        self.notebook.note(second, seen)
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
        return starts * (self.notebook.overhead_s + load.duration_s)

    def diagnosing(self, rates: Sequence[float] = ()) -> Load:
        return self.arrivals(rates, 1, DIAGNOSING_S)

    @property
    def unspent_s(self) -> float:
        """Of the budget."""
        return self.question.budget_s - self.notebook.spent_s

    @property
    def left_s(self) -> float:
        """The same beside what a diagnostic start of the pick will take."""
        return self.unspent_s - self.cost_s(self.diagnosing())

    def shuffled(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        order = list(candidates)
        self.random.shuffle(order)
        return order


LEAST_S = 240.0  #: A smaller budget shows nothing.
FEWEST_BLOCKS = 3  #: A race is planned with; more are made while there is time.
FEWEST_SCREENED = 4
RUNGS = (0.72, 0.82, 0.90, 0.97)  #: Of what a full load got through.
LEVELS = (0.93, 1.0, 1.06)  #: Of the estimate, in the race.
AGAIN = 0.4  #: Of the candidates are screened twice, about.
MOST = 0.6  #: Of the candidates: where fewer can be screened, the pick has fewer fresh starts.


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is made of each step."""

    survivors: int  #: Of the screening.
    blocks: int  #: Of the race, at most; 0 for none.
    starts: int  #: To confirm.
    confirmed: tuple[float, ...]
    """Rates that are confirmed, rising: so many steps (`spread.below`) below the highest."""


PLANS = (
    Plan(4, 6, 6, (2, 1, 0)),
    Plan(3, 6, 6, (2, 1, 0)),
    Plan(2, 5, 6, (1.75, 0.5)),
    Plan(2, 0, 5, (1.75, 0.5)),
)
"""From the most to the least; the first that the budget allows is made."""
LEAN = Plan(1, 0, 5, (1.75, 0.5))  #: With it fewer are screened twice, or none.
LEANEST = Plan(1, 0, 4, (1.5,))  #: Where not even most of the candidates could be screened with it.


def least_s(window_factor: float) -> float:
    """The smallest budget that shows something; with short windows it is less."""
    return LEAST_S * min(1.0, window_factor)


def planned(making: Making, candidates: int, screened: Load | None) -> Plan:
    """The most that the time left allows after so many candidates are screened, if they are."""
    once_s = making.cost_s(screened) * candidates if screened else 0.0
    for plan in PLANS:
        if (1 + AGAIN) * once_s <= spare_s(making, plan, candidates):
            return plan
    return LEAN if once_s <= spare_s(making, LEAN, candidates) else LEANEST


def affordable(making: Making, screened: Load, candidates: int) -> int:
    """How many of these can be screened so that time is left to confirm one: most of them, if need
    be in fewer fresh starts.
    """
    rooms = [
        int(spare_s(making, plan, candidates) / making.cost_s(screened)) for plan in (LEAN, LEANEST)
    ]
    room = next((one for one in rooms if one >= MOST * candidates), rooms[-1])
    return max(FEWEST_SCREENED, room)


def spare_s(making: Making, plan: Plan, candidates: int = 1) -> float:
    """What is left of the budget beside the ladder, a short race and the fresh starts."""
    survivors = min(plan.survivors + (making.question.current is not None), candidates)
    race_s = min(plan.blocks, FEWEST_BLOCKS) * block_s(making, survivors)
    after_s = survivors * ladder_s(making) + race_s + reserve_s(making, plan)
    return making.left_s - after_s


def ladder_s(making: Making) -> float:
    return making.cost_s(making.arrivals(RUNGS, 1, 5))


def block_s(making: Making, candidates: int) -> float:
    return making.cost_s(making.arrivals(LEVELS, 1, 5), candidates)


def reserve_s(making: Making, plan: Plan) -> float:
    """To confirm the pick, and what runs now; and the pick once more, at one lower rate, where it
    is the best of several, which may only have looked so.
    """
    question = making.question
    again = FEWEST_STARTS if question.only is None else 0
    again_s = making.cost_s(making.confirming(plan.confirmed[:1]), again)
    return again_s + confirming_s(making, plan) * (1 if question.current is None else 2)


def confirming_s(making: Making, plan: Plan) -> float:
    return making.cost_s(making.confirming(plan.confirmed), plan.starts)
