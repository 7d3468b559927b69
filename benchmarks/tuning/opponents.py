"""The search, without one of its steps each, and the baseline: what each finds in a world."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from statistics import mean
from unittest.mock import patch

from benchmarks.table import share
from benchmarks.tuning.baseline import Baseline
from benchmarks.tuning.ideal import driven
from benchmarks.tuning.simulated import (
    Exhaustive,
    Measured,
    asked,
    candidate,
    grid,
    keeps,
    search,
)
from benchmarks.tuning.worlds import CASES, Case
from benchsuite.tuning.answer import Outcome
from benchsuite.tuning.search import Search
from benchsuite.tuning.trial import Candidate, Question

MINUTES = 10  #: Starts that are asked to hold what a tuning told.
TRUTHS = {case.world.name: Exhaustive(case.world, case.objective) for case in CASES}


@dataclass(slots=True)
class Found:
    """By many tunings of a world, or of some worlds."""

    regrets: list[float] = field(default_factory=list)
    """By how much less the pick holds than the best size; 1 without one, or of a flaky server."""
    near: list[bool] = field(default_factory=list)  #: Whether nobody would act on that.
    rates: list[float] = field(default_factory=list)  #: That were told, of the true ones.
    kept: list[bool] = field(default_factory=list)
    """Whether another start holds them for a minute, of several starts for each tuning."""
    took_s: list[float] = field(default_factory=list)

    def add(self, other: "Found") -> None:
        for name in self.__slots__:
            getattr(self, name).extend(getattr(other, name))

    @property
    def short(self) -> str:
        return f"{100 * mean(self.regrets):.1f} / {100 * max(self.regrets):.1f} %"

    @property
    def cells(self) -> list[str]:
        """Short of the best, within, confirmed, holds a minute."""
        count = len(self.regrets)
        return [
            self.short,
            share(sum(self.near), count),
            share(len(self.rates), count),
            share(sum(self.kept), len(self.kept)),
        ]


Tuned = tuple[Candidate | None, float | None, float]
"""The pick, the rate that is told, and how long it took."""
Tuner = Callable[[Case, Question], Tuned]


def found(case: Case, tuner: Tuner, seeds: Sequence[int], budget_s: float = 900.0) -> Found:
    truth, world, result = TRUTHS[case.world.name], case.world, Found()
    now = candidate(*case.current) if case.current else None
    for seed in seeds:
        question = asked(world, case.objective, seed)
        question = replace(question, budget_s=budget_s, current=now)
        pick, rate, took_s = tuner(case, question)
        lost = 1.0 if pick is None or pick.server in world.flaky else truth.regret(pick)
        result.regrets.append(lost)
        result.near.append(lost <= case.within)
        result.took_s.append(took_s)
        if pick is not None and rate:
            result.rates.append(rate / truth.of(pick))
            result.kept += [
                keeps(world, question, pick, rate, took_s, minute) for minute in range(MINUTES)
            ]
    return result


def _driven(case: Case, made: Search) -> Tuned:
    notebook = driven(made, Measured(case.world, made.question.objective, made.question.seed))
    told = Outcome(notebook)
    return told.pick, told.rate, notebook.spent_s


def ours(case: Case, question: Question) -> Tuned:
    return _driven(case, search(case.world, question))


def unbounded(case: Case, question: Question) -> Tuned:
    """Starts what arithmetic finds hopeless, too."""
    with patch.multiple("benchsuite.tuning.search", hopeless=lambda *_: {}):
        return ours(case, question)


def unwalked(case: Case, question: Question) -> Tuned:
    """Tries no size next to the best."""
    made = search(case.world, question)
    made.resize = lambda like, processes, threads: None
    return _driven(case, made)


def unloaded(case: Case, question: Question) -> Tuned:
    """Screens with no more users than are served in time."""
    with patch.multiple("benchsuite.tuning.planning", FULL=0.6):
        return ours(case, question)


def short(case: Case, question: Question) -> Tuned:
    """Bisects in short windows alone."""
    with patch.multiple("benchsuite.tuning.search", LONG_FROM=99):
        return ours(case, question)


def unsure(case: Case, question: Question) -> Tuned:
    """Confirms what the average start just holds."""
    with patch.multiple("benchsuite.tuning.confirming", NEARLY_ALL=0.0):
        return ours(case, question)


def baseline(case: Case, question: Question) -> Tuned:
    made = Baseline(question, Measured(case.world, question.objective, question.seed))
    first = candidate(next(iter(case.world.servers)), case.world.cpus, 4)
    pick, rate = made.tune(lambda probe: grid(case.world, probe), first)
    return pick, rate, made.spent_s


WITHOUT = {
    "as it is": ours,
    "without bounds": unbounded,
    "without the walk": unwalked,
    "screening without overload": unloaded,
    "bisecting in short windows alone": short,
    "without caution": unsure,
    "baseline": baseline,
}
