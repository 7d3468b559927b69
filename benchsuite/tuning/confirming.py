"""What fresh starts show: the highest rate at which the objective holds, and how surely."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from benchsuite.tuning.notebook import Notebook
from benchsuite.tuning.trial import Candidate, Level, Phase

CONFIDENCE = 0.95
FEWEST_STARTS = 3
FEWEST_MISSES = 3.0
"""So many misses must a goal allow, of all that was planned, before its bound is asked for: no
number of starts shows "failures < 0.1%" with 500 arrivals. Then it is enough that no more are
missed than allowed, and the answer says how many there may be."""


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
    percentile_s: float | None  #: Mean over starts of the response time at the first goal's share.


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


def missed(book: Notebook, candidate: Candidate, rate: float) -> bool:
    """Whether every fresh start missed a goal at this rate."""
    goals = book.question.objective.goals
    levels = _by_rate(book, candidate).get(rate, [])
    return all(
        any(
            count < goal.share * level.planned for goal, count in zip(goals, level.met, strict=True)
        )
        for level in levels
    )


def shares(book: Notebook, candidate: Candidate, rate: float) -> list[float]:
    """Of each fresh start at this rate, the share that met the first goal."""
    return [one.met[0] / one.planned for one in _by_rate(book, candidate).get(rate, [])]


def rates(book: Notebook, candidate: Candidate) -> list[float]:
    """That its fresh starts were asked for, rising."""
    return list(_by_rate(book, candidate))


def at_most(failures: int, planned: int) -> float:
    """The share of failures that so few would not show once in twenty times (Clopper & Pearson)."""
    from scipy.special import betaincinv  # imported much faster than scipy.stats

    if failures >= planned:
        return 1.0
    return float(betaincinv(failures + 1, planned - failures, CONFIDENCE))


def _by_rate(book: Notebook, candidate: Candidate) -> dict[float, list[Level]]:
    found: dict[float, list[Level]] = {}
    for entry in book.of(candidate, Phase.CONFIRM):
        for level in entry.seen.levels:
            if level.planned:
                found.setdefault(level.rate, []).append(level)
    return dict(sorted(found.items()))


def _reached(book: Notebook, levels: Sequence[Level]) -> bool:
    planned = sum(level.planned for level in levels)
    for place, goal in enumerate(book.question.objective.goals):
        allowed = planned * (1 - goal.share)
        if allowed < FEWEST_MISSES:
            if planned - sum(level.met[place] for level in levels) > allowed:
                return False
        elif _lower([level.met[place] / level.planned for level in levels]) < goal.share:
            return False
    return True


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Mean, and half of its interval, by Student's t."""
    mean, error = _mean(values)
    return mean, _quantile((1 + CONFIDENCE) / 2, len(values) - 1) * error


def _lower(values: Sequence[float]) -> float:
    """One-sided lower bound of their mean, by Student's t."""
    mean, error = _mean(values)
    return mean - _quantile(CONFIDENCE, len(values) - 1) * error


def _held(rate: float, levels: Sequence[Level], book: Notebook, candidate: Candidate) -> Held:
    found = [level.met[0] / level.planned for level in levels]
    mean, half = interval(found)
    times = [level.percentile_s for level in levels if level.percentile_s is not None]
    return Held(
        rate=rate,
        share=mean,
        low=max(0.0, mean - half),
        high=min(1.0, mean + half),
        starts=len(levels),
        planned=sum(level.planned for level in levels),
        failures=sum(level.failures for level in levels),
        window_s=book.of(candidate, Phase.CONFIRM)[0].trial.load.window_s,
        percentile_s=sum(times) / len(times) if times else None,
    )


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """Mean and its standard error."""
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return mean, math.sqrt(variance / len(values))


def _quantile(share: float, freedom: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, share))
