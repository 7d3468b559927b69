"""Two sides against each other: by how much they differ, and whether that can be chance.

The unit is the server start: each side is one figure per fresh start, not per request. Requests of
one start share its memory layout, its hash seed and its moment, so their number proves nothing
about the next start (Georges et al., OOPSLA 2007; Kalibera & Jones, ISMM 2013). Means are compared,
as Kalibera & Jones recommend: their ratio says what a fleet of such servers would do, and its error
is known. A pair has one ratio, which its interval is about.

The interval is bootstrapped over starts by the expanded percentile method (Hesterberg 2015, "What
Teachers Should Know About the Bootstrap"): with five starts the plain one holds the truth in 88 %
of cases instead of 95 %. Its tails are widened from α/2 to Φ(t(α/2, ν) · se / se_plug-in), with
Welch's ν. `benchmarks/comparisons.py` measures what that gives; docs/comparing.md has its table.
The studentized bootstrap was tried: with ties, which percentiles of a histogram have, its length
can be without bound.

A difference counts as shown when the interval excludes "no difference" *and* the rank test rejects
it, *and* its value lies beyond the margin below which nobody would act. The interval alone is a
little too eager with few starts; the rank test is exact whatever the noise; the margin keeps out
what is real and tiny, such as a page of memory that two starts share.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from statistics import NormalDist, fmean, variance
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchsuite.core.metrics.every import Scale
from benchsuite.stats.distributions import student_quantile

Floats = NDArray[np.float64]
FEWEST_STARTS = 5  #: Of each side. Three against three can never be significant: least p is 0.1.
CONFIDENCE, LEVEL = 0.95, 0.05  #: Of intervals, and of tests.
EXACT_UP_TO = 60  #: Starts a side up to which p is exact; above, that takes seconds.


def mann_whitney(first: Sequence[float], second: Sequence[float]) -> tuple[float, str]:
    """The two-sided p of the Mann–Whitney U test (Mann & Whitney 1947), and its method: "exact",
    over all ways of dealing the values to the sides, ties or not; "asymptotic" of very many starts.
    """
    pooled = sorted([*first, *second])
    doubled = {one: 2 * pooled.index(one) + pooled.count(one) + 1 for one in {*pooled}}
    ranks = [doubled[value] for value in pooled]
    mine = sum(doubled[value] for value in first)
    if max(len(first), len(second)) > EXACT_UP_TO:
        beyond = abs(mine - len(first) * fmean(ranks)) - 1
        spread = math.sqrt(len(first) * len(second) / len(pooled) * variance(ranks))
        return min(1.0, 2 * NormalDist().cdf(-beyond / spread)) if spread else 1.0, "asymptotic"
    ways = _ways(ranks, len(first))
    tails = ways[: mine + 1].sum(), ways[mine:].sum()
    return min(1.0, 2 * float(min(tails) / ways.sum())), "exact"


def _ways(ranks: Iterable[int], many: int) -> Floats:
    """In how many ways so many of the ranks have each sum."""
    ranks = sorted(ranks)
    ways = np.zeros((many + 1, sum(ranks[-many:]) + 1))
    ways[0, 0] = 1.0
    for rank in ranks:
        ways[1:, rank:] = ways[1:, rank:] + ways[:-1, :-rank]
    return ways[-1, :]


def holm(values: Sequence[float]) -> list[float]:
    """p values of several tests, corrected so that the chance of any false one stays what it was
    (Holm 1979, "A simple sequentially rejective multiple test procedure").
    """
    ps = np.array(values, dtype=float)
    order = np.argsort(ps)
    ps[order] = np.maximum.accumulate(ps[order] * np.arange(len(ps), 0, -1)).clip(max=1.0)
    corrected: list[float] = ps.tolist()
    return corrected


def least_p(first: int, second: int) -> float:
    """The smallest two-sided p that so many starts can ever give: 0.0079 for five against five."""
    return min(1.0, 2 / math.comb(first + second, first))


def attained_level(first: int, second: int, level: float) -> float:
    """The largest p at or below the level that so many starts can give: 0.032 for 5 against 5 at
    5 %. With more than 30 starts a side, ps lie close enough for the level itself.
    """
    if max(first, second) > 30:
        return level
    ways = _ways(range(1, first + second + 1), first)
    ps = 2 * ways.cumsum() / ways.sum()
    return float(ps[ps <= level].max(initial=0.0))


def starts_needed(compared: int = 1) -> int:
    """Starts of each side from which a difference can be shown: 5; 6 from the 7th comparison on."""
    starts = FEWEST_STARTS
    while least_p(starts, starts) * compared > LEVEL:
        starts += 1
    return starts


POWER = 0.9  #: Chance with which a difference of `detectable` would have been shown.
RANK_EFFICIENCY = math.sqrt(3 / math.pi)
RESAMPLES = 9999
MOST_RUNS = 25  #: Of each side; nobody makes more for one answer.


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A figure with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


class Outcome(StrEnum):
    SHOWN = "shown"
    TOO_SMALL = "too small to matter"
    """Less than the margin: the value of a difference that is there, or the whole interval."""
    NOT_SHOWN = "not shown"
    TOO_FEW = "too few runs"
    UNDEFINED = "undefined"  #: A figure is 0, so there is no ratio.


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A candidate against a baseline in one figure."""

    scale: Scale
    starts: tuple[int, int]  #: Of the baseline and of the candidate.
    means: tuple[float | None, float | None]
    value: float | None  #: The ratio (or difference) of the means; None when there is none.
    low: float | None = None
    high: float | None = None  #: Ends of the interval; None with too few starts.
    confidence: float = CONFIDENCE
    margin: float = 0.0  #: A smaller change of the ratio (or a smaller difference) doesn't matter.
    p: float | None = None  #: Of the Mann–Whitney test, two-sided, as it stands alone.
    p_method: str = ""
    p_corrected: float | None = None  #: After Holm, when several were compared; else equal to `p`.
    compared: int = 1  #: How many comparisons were made together, this one included.
    error: float | None = None  #: Standard error of the value, of its logarithm for a ratio.
    freedom: float | None = None  #: Welch's degrees of freedom of that error.

    @property
    def nothing(self) -> float:
        """The value that means "no difference"."""
        return 1.0 if self.scale is Scale.RATIO else 0.0

    @property
    def outcome(self) -> Outcome:
        """What may be said; see the module's text for the rule."""
        if min(self.starts) < FEWEST_STARTS or least_p(*self.starts) * self.compared > LEVEL:
            return Outcome.TOO_FEW
        if self.low is None or self.high is None or self.p_corrected is None:
            return Outcome.UNDEFINED
        apart = self.low > self.nothing or self.high < self.nothing
        if apart and self.p_corrected <= LEVEL:
            return Outcome.TOO_SMALL if self._is_small(self.value) else Outcome.SHOWN
        whole = self.margin and self._is_small(self.low) and self._is_small(self.high)
        return Outcome.TOO_SMALL if whole else Outcome.NOT_SHOWN

    def _is_small(self, value: float | None) -> bool:
        """Whether it lies within the margin; a ratio and its reciprocal alike."""
        if value is None:
            return False
        if self.scale is Scale.DIFFERENCE:
            return abs(value) <= self.margin
        return 1 / (1 + self.margin) <= value <= 1 + self.margin

    @property
    def starts_needed(self) -> int:
        """Starts of each side from which something could be shown."""
        return starts_needed(self.compared)

    @property
    def detectable(self) -> float | None:
        """The smallest ratio above 1 (or difference above 0) that this spread and these starts
        would have shown in 9 of 10 cases.

        The minimum detectable effect (Bloom 1995, "Minimum detectable effects"): the standard error
        times t(1 - α/2, ν) + t(power, ν). α is divided by the number of comparisons and is what the
        rank test attains; the error is divided by √(3/π), as ranks use that much of the information
        in normal noise (Lehmann, Nonparametrics). With 5 starts a side it promises a little much
        (docs/comparing.md). Where the margin hides it, it is the margin and t(power, ν) errors.
        """
        if self.outcome in (Outcome.TOO_FEW, Outcome.UNDEFINED) or self.error is None:
            return None
        effect = self._detectable(self.starts, self.error, self.freedom, self.compared)
        return math.exp(effect) if self.scale is Scale.RATIO else effect

    def runs_wanted(self, compared: int = 1) -> int | None:
        """Starts of each side with which this difference, if it is as large as it seems, would be
        shown in 9 of 10 cases, beside so many comparisons; None for too many, a small one or a 0.
        """
        least = max(starts_needed(max(compared, self.compared)), min(self.starts) + 1)
        if self.value is None or (not self.value and self.scale is Scale.RATIO):
            return None
        is_small, fewest = self._is_small(self.value), min(self.starts)
        if (is_small and fewest >= FEWEST_STARTS) or (self.error is None and fewest > 1):
            return None
        if self.error is None or self.freedom is None or is_small:
            return least
        seen = abs(math.log(self.value)) if self.scale is Scale.RATIO else abs(self.value)
        now = 2 / sum(1 / starts for starts in self.starts)
        for runs in range(least, MOST_RUNS + 1):
            error = self.error * math.sqrt(now / runs)
            freedom = self.freedom * (runs - 1) / (now - 1)
            if self._detectable((runs, runs), error, freedom, max(compared, self.compared)) <= seen:
                return runs
        return None

    def _detectable(
        self, starts: tuple[int, int], error: float, freedom: float | None, compared: int
    ) -> float:
        """The smallest difference, or logarithm of a ratio, that would be shown in 9 of 10."""
        margin = math.log1p(self.margin) if self.scale is Scale.RATIO else self.margin
        if freedom is None:
            return margin
        level = attained_level(*starts, LEVEL / compared)
        quantiles = [student_quantile(freedom, q) for q in (1 - level / 2, POWER)]
        return max(sum(quantiles) * error / RANK_EFFICIENCY, margin + quantiles[1] * error)


def compare(
    baseline: Iterable[float],
    candidate: Iterable[float],
    *,
    scale: Scale = Scale.RATIO,
    margin: float = 0.0,
    seed: int = 0,
) -> Comparison:
    """The candidate against the baseline, each of one figure per server start, in any order. Raises
    ValueError for a figure that is negative or not a number.
    """
    first, second = (np.array(sorted(side), dtype=float) for side in (baseline, candidate))
    for side in (first, second):
        if not np.isfinite(side).all() or (side < 0).any():
            raise ValueError(f"Figures are finite and not negative, and these are not: {side}.")
    before, after = (float(side.mean()) if len(side) else None for side in (first, second))
    value = None
    if before is not None and after is not None:
        if scale is Scale.DIFFERENCE:
            value = after - before
        elif before:
            value = after / before
    starts, means = (len(first), len(second)), (before, after)
    plain = Comparison(scale=scale, starts=starts, means=means, value=value, margin=margin)
    has_value = scale is Scale.DIFFERENCE or (first.all() and second.all())
    if min(plain.starts) >= 2 and has_value:
        error, freedom, plug_in = _errors(scale, first, second)
        plain = replace(plain, error=error, freedom=freedom)
    if min(plain.starts) < FEWEST_STARTS:
        return plain
    p, method = mann_whitney(first.tolist(), second.tolist())
    tested = replace(plain, p=p, p_method=method, p_corrected=p)
    if not has_value:
        return tested
    values = (tuple(first.tolist()), tuple(second.tolist()))
    low, high = _interval(scale, *values, (error, freedom, plug_in), seed)
    return replace(tested, low=low, high=high)


def together(comparisons: Iterable[Comparison]) -> list[Comparison]:
    """The same, corrected for having been made together (Holm); those without a p don't count."""
    every = list(comparisons)
    at = [place for place, one in enumerate(every) if one.p is not None]
    for place, p in zip(at, holm([every[place].p or 0.0 for place in at]), strict=True):
        every[place] = replace(every[place], p_corrected=p, compared=len(at))
    return every


def _errors(scale: Scale, first: Floats, second: Floats) -> tuple[float, float | None, float]:
    """Standard error, its degrees of freedom (Welch–Satterthwaite; None where nothing varies), and
    what resampling takes the error for; of the logarithm for a ratio (delta method).
    """
    parts = []
    for side in (first, second):
        unit = float(side.mean()) if scale is Scale.RATIO else 1.0
        parts.append((float(side.var(ddof=1)) / unit**2 / len(side), len(side)))
    total = sum(variance for variance, _ in parts)
    if total < 1e-24:
        return 0.0, None, 0.0
    freedom = total**2 / sum(variance**2 / (starts - 1) for variance, starts in parts)
    plug_in = sum(variance * (starts - 1) / starts for variance, starts in parts)
    return math.sqrt(total), freedom, math.sqrt(plug_in)


@lru_cache(maxsize=2048)
def _interval(
    scale: Scale,
    first: tuple[float, ...],
    second: tuple[float, ...],
    errors: tuple[float, float | None, float],
    seed: int,
) -> tuple[float, float]:
    """The expanded percentile interval, alike whichever side is first; kept, as pages ask again."""
    if sum(first) * len(second) > sum(second) * len(first):
        low, high = _interval(scale, second, first, errors, seed)
        return (1 / high, 1 / low) if scale is Scale.RATIO else (-high, -low)

    sides = [np.array(first)[None], np.array(second)[None]]
    error, freedom, plug_in = errors
    tail = 0.5
    if freedom is not None:
        tail = NormalDist().cdf(student_quantile(freedom, LEVEL / 2) * error / plug_in)
        rng = np.random.default_rng(seed)
        sides = [side[0, rng.integers(0, side.size, (RESAMPLES, side.size))] for side in sides]
    a, b = (side.mean(axis=1) for side in sides)
    low, high = np.quantile(b / a if scale is Scale.RATIO else b - a, (tail, 1 - tail))
    return float(low), float(high)


FEWEST_BLOCKS = 3  #: That both were started in: of fewer there is no interval worth the name.


def ratio(own: Mapping[Any, float], theirs: Mapping[Any, float]) -> Estimate | None:
    """Of logarithms by block, with its interval by Student's t; None with too few blocks."""
    differences = [own[block] - theirs[block] for block in own if block in theirs]
    if len(differences) < FEWEST_BLOCKS:
        return None
    mean = sum(differences) / len(differences)
    error = float(np.std(differences, ddof=1)) / math.sqrt(len(differences))
    half = error * student_quantile(len(differences) - 1, (1 + CONFIDENCE) / 2)
    return Estimate(value=math.exp(mean), low=math.exp(mean - half), high=math.exp(mean + half))
