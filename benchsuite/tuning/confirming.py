"""Fresh starts, of which alone the figures come: which rate holds, and how surely."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from benchsuite.tuning.notebook import RISING, Notebook
from benchsuite.tuning.trial import Candidate, Level, Phase

GOOD = 0.99
BAD = 0.80
WITHIN = 1.1  #: Of the lower rate.
FEWEST = 2  #: Levels on either side.


def cliff(notebook: Notebook, candidate: Candidate) -> tuple[float, float] | None:
    """The highest rate up to which nearly all is in time, and the rate above it from which it
    collapses; None where shares fall slowly.
    """
    shares = sorted(
        (level.rate, min(level.met) / level.planned)
        for entry in notebook.of(candidate, *RISING, Phase.CONFIRM)
        for level in entry.seen.levels
        if level.planned and not entry.seen.limit
    )
    goods = [rate for rate, share in shares if share >= GOOD]
    bads = [rate for rate, share in shares if share < BAD]
    for low in reversed(goods):
        for high in bads:
            if low < high <= WITHIN * low and _falls(shares, low, high):
                return low, high
    return None


def _falls(shares: Sequence[tuple[float, float]], low: float, high: float) -> bool:
    """Not where starts differ: where one collapsed below, or one did well above."""
    below = [share for rate, share in shares if rate <= low]
    above = [share for rate, share in shares if rate >= high]
    return min(len(below), len(above)) >= FEWEST and min(below) >= BAD and max(above) < GOOD


CONFIDENCE = 0.95
FEWEST_STARTS = 3
FEWEST_MISSES = 3.0
"""So many misses must a goal allow, of all that was planned, before its bound is asked for: no
number of starts shows "failures < 0.1%" with 500 arrivals. Then it is enough that no more are
missed than allowed, and the answer says how many there may be."""
FLATTERS = 0.2
"""Times the root of the longest time allowed over the length of a window: by what share the window
flatters. The queue of a server near its limit comes and goes with the bursts of its arrivals, and a
short window often meets none (3 % in 10 s where 200 ms are allowed, half of it in 40 s; simulated).
"""
CHANCE = 0.99  #: With which a start that just reaches a goal misses by no more than is let pass.


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A rate that was held, by the fresh starts alone."""

    rate: float  #: Lower than `shown`, by as much as so short windows flatter.
    shown: float  #: The rate of the windows that the other figures come from.
    share: float  #: Of the planned arrivals that met the first goal.
    low: float
    high: float  #: Ends of the interval of that share, over starts.
    starts: int
    planned: int
    failures: int
    window_s: float
    percentile_s: float | None  #: Mean over starts of the response time at the first goal's share.


def held_by(notebook: Notebook, candidate: Candidate) -> Held | None:
    """By the highest rate where each goal is reached by the one-sided bound of its share, over
    starts, and by each of the starts; None where there is none. Shares and not their logits: one
    start of several that fails must weigh. No correction for several rates: a higher one counts
    only while all below hold.
    """
    held = None
    for rate, levels in _by_rate(notebook, candidate).items():
        if len(levels) < FEWEST_STARTS or not _reached(notebook, levels):
            break
        held = _held(rate, levels, notebook, candidate)
    return held


def missed(notebook: Notebook, candidate: Candidate, rate: float) -> bool:
    """Whether a fresh start missed a goal at this rate, so that more starts can't show that it is
    held.
    """
    goals, levels = notebook.question.objective.goals, _by_rate(notebook, candidate).get(rate, [])
    return any(
        _misses(level.planned, count, goal.share)
        for level in levels
        for goal, count in zip(goals, level.met, strict=True)
    )


def shares(notebook: Notebook, candidate: Candidate, rate: float) -> list[float]:
    """Of each fresh start at this rate, the share that met the first goal."""
    return [one.met[0] / one.planned for one in _by_rate(notebook, candidate).get(rate, [])]


def rates_of(notebook: Notebook, candidate: Candidate) -> list[float]:
    """That its fresh starts were asked for, rising."""
    return list(_by_rate(notebook, candidate))


def at_most(failures: int, planned: int) -> float:
    """The share of failures that so few would not show once in twenty times (Clopper & Pearson)."""
    from scipy.special import betaincinv  # imported much faster than scipy.stats

    if failures >= planned:
        return 1.0
    return float(betaincinv(failures + 1, planned - failures, CONFIDENCE))


def _by_rate(notebook: Notebook, candidate: Candidate) -> dict[float, list[Level]]:
    by_rate: dict[float, list[Level]] = {}
    for entry in notebook.of(candidate, Phase.CONFIRM):
        for level in entry.seen.levels:
            if level.planned:
                by_rate.setdefault(level.rate, []).append(level)
    return dict(sorted(by_rate.items()))


def _reached(notebook: Notebook, levels: Sequence[Level]) -> bool:
    planned = sum(level.planned for level in levels)
    for place, goal in enumerate(notebook.question.objective.goals):
        allowed = planned * (1 - goal.share)
        if allowed < FEWEST_MISSES:
            if planned - sum(level.met[place] for level in levels) > allowed:
                return False
        elif not _is_shown(levels, place, goal.share):
            return False
    return True


def _is_shown(levels: Sequence[Level], place: int, share: float) -> bool:
    """By the bound over starts, and by each start as far as its arrivals can tell."""
    if any(_misses(level.planned, level.met[place], share) for level in levels):
        return False
    return _lower([level.met[place] / level.planned for level in levels]) >= share


def flattered(window_s: float, limit_s: float) -> float:
    """A rate that a window of this length shows, of the one that is held for long."""
    return 1 + FLATTERS * math.sqrt(limit_s / window_s)


def _misses(planned: int, met: int, share: float) -> bool:
    """Whether that is fewer than chance explains where the goal is just reached."""
    from scipy import stats

    return planned - met > stats.binom.ppf(CHANCE, planned, 1 - share)


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Mean, and half of its interval, by Student's t."""
    mean, error = _mean(values)
    return mean, _quantile((1 + CONFIDENCE) / 2, len(values) - 1) * error


def _lower(values: Sequence[float]) -> float:
    """One-sided lower bound of their mean, by Student's t."""
    mean, error = _mean(values)
    return mean - _quantile(CONFIDENCE, len(values) - 1) * error


def _held(rate: float, levels: Sequence[Level], notebook: Notebook, candidate: Candidate) -> Held:
    shares = [level.met[0] / level.planned for level in levels]
    mean, half = interval(shares)
    times = [level.percentile_s for level in levels if level.percentile_s is not None]
    window_s = min(
        entry.trial.load.window_s
        for entry in notebook.of(candidate, Phase.CONFIRM)
        if rate in entry.trial.load.rates
    )
    return Held(
        rate=rate / flattered(window_s, notebook.question.objective.limit_s),
        shown=rate,
        share=mean,
        low=max(0.0, mean - half),
        high=min(1.0, mean + half),
        starts=len(levels),
        planned=sum(level.planned for level in levels),
        failures=sum(level.failures for level in levels),
        window_s=window_s,
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
