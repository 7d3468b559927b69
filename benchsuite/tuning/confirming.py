"""What fresh starts show: the highest rate at which the objective holds, and how surely."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from benchsuite.tuning.notebook import Notebook
from benchsuite.tuning.trial import Candidate, Level, Phase

CONFIDENCE = 0.95
FEWEST_STARTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A rate that was held, by the fresh starts alone."""

    rate: float
    share: float  #: Of the planned arrivals that met the first goal.
    low: float
    high: float  #: Ends of the interval of that share, over starts.
    starts: int
    planned: int
    failures: int
    window_s: float


def held(book: Notebook, candidate: Candidate) -> Held | None:
    """The highest rate where the one-sided bound of the share of each goal, over starts, reaches
    the goal; None where there is none. Shares and not their logits: one start of several that
    fails must weigh. No correction for several rates: a higher one counts only while all below
    hold.
    """
    found = None
    for rate, levels in _by_rate(book, candidate).items():
        if len(levels) < FEWEST_STARTS or not _reached(book, levels):
            break
        found = _held(rate, levels, book, candidate)
    return found


def _by_rate(book: Notebook, candidate: Candidate) -> dict[float, list[Level]]:
    rates: dict[float, list[Level]] = {}
    for entry in book.of(candidate, Phase.CONFIRM):
        for level in entry.seen.levels:
            rates.setdefault(level.rate, []).append(level)
    return dict(sorted(rates.items()))


def _reached(book: Notebook, levels: Sequence[Level]) -> bool:
    goals = book.question.objective.goals
    return all(
        _lower([level.met[place] / level.planned for level in levels]) >= goal.share
        for place, goal in enumerate(goals)
    )


def _lower(values: Sequence[float]) -> float:
    """One-sided lower bound of their mean, by Student's t."""
    mean, error = _mean(values)
    return mean - _quantile(CONFIDENCE, len(values) - 1) * error


def _held(rate: float, levels: Sequence[Level], book: Notebook, candidate: Candidate) -> Held:
    shares = [level.met[0] / level.planned for level in levels]
    mean, error = _mean(shares)
    half = _quantile((1 + CONFIDENCE) / 2, len(shares) - 1) * error
    return Held(
        rate=rate,
        share=mean,
        low=max(0.0, mean - half),
        high=min(1.0, mean + half),
        starts=len(levels),
        planned=sum(level.planned for level in levels),
        failures=sum(level.failures for level in levels),
        window_s=book.of(candidate, Phase.CONFIRM)[0].trial.load.window_s,
    )


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """Mean and its standard error."""
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return mean, math.sqrt(variance / len(values))


def _quantile(share: float, freedom: int) -> float:
    from scipy import stats

    return float(stats.t.ppf(share, freedom))
