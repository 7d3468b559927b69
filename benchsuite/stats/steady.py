"""Whether a series of equal intervals stays where it is."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchsuite.core.units import format_duration, format_percent
from benchsuite.stats.cycles import cycle

CONFIDENCE = 0.99
FEWEST_BESIDE = 2  #: A step with fewer values than that on one side of it is an outlier.
FEWEST_IN_GAP = 3
GAP_PERCENT = 50.0
"""Sides that don't overlap and lie so far apart need no test, where each has enough values."""
MOST_EXACT = 40  #: In longer series the normal approximation is as good.
MOST_POINTS = 240
"""Longer series are averaged in groups first: the tests compare each point with each other."""

Series = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Change:
    """A series that did not stay where it was."""

    percent: float
    """By how much it rose (or fell, negative) of what it was before; of a cycle, how far its
    highest phase lies above its lowest, of the mean."""
    has_steady_half: bool
    at: int | None = None  #: Of a step: how many values came before it.
    period: float | None = None  #: Of a cycle: after how many values it comes again.

    @property
    def words(self) -> str:
        """What it did, each value being a second: "it fell by 12 % over the window"."""
        size = format_percent(abs(self.percent))
        if self.period is not None:
            return f"it went up and down by {size} every {format_duration(self.period)}"
        direction = f"it {'rose' if self.percent > 0 else 'fell'} by {size}"
        if self.at is None:
            return f"{direction} over the window"
        return f"{direction} after {format_duration(float(self.at))}"


def change(values: Sequence[float], *, least: int, percent: float) -> Change | None:
    """A trend, a step or a cycle of more than so many percent; None without, or with too few
    values.

    The trend is Theil and Sen's slope (Sen 1968): the median slope of all pairs, which outliers
    don't move; its 99 % interval must hold no 0. The step is the split of the series whose sides
    differ most by the exact Mann-Whitney test, at 1 % for all splits together (Bonferroni). How
    large a step is, the medians of its sides say. A cycle must swing by twice the limit.
    """
    series = _grouped(np.asarray(values, dtype=np.float64))
    size = math.ceil(len(values) / MOST_POINTS)
    if len(series) < least or series.mean() <= 0:
        return None
    trend, step = _trend(series), _step(series, percent)
    if abs(trend) <= percent or not _is_sure(series):
        trend = 0.0
    if trend or step is not None:
        steady = _has_steady_half(series, percent)
        if step is None or (trend and _line_fits_better(series, step[1])):
            return Change(trend, has_steady_half=steady)
        return Change(step[0], has_steady_half=steady, at=step[1] * size)
    found = cycle(series, percent=2 * percent)
    if found is not None:
        return Change(found.percent, has_steady_half=True, period=found.period * size)
    return None


def _grouped(series: Series) -> Series:
    size = math.ceil(len(series) / MOST_POINTS)
    if size <= 1:
        return series
    whole = len(series) // size * size
    grouped: Series = series[:whole].reshape(-1, size).mean(axis=1)
    return grouped


def _relative(before: float, after: float, level: float) -> float:
    """By how many percent of what it was; of the level, where it was nothing."""
    return (after - before) / (before if before > 0 else level) * 100


def _trend(series: Series) -> float:
    """From the beginning to the end of the line through all points, in percent."""
    rise = _slope(series) * (len(series) - 1)
    middle = float(np.median(series))
    before, after = max(0.0, middle - rise / 2), max(0.0, middle + rise / 2)
    return _relative(before, after, float(series.mean()))


def _slope(series: Series) -> float:
    first, second = np.triu_indices(len(series), k=1)
    return float(np.median((series[second] - series[first]) / (second - first)))


def _line_fits_better(series: Series, at: int) -> bool:
    """Than the medians of both sides of a split."""
    line = series - _slope(series) * np.arange(len(series))
    sides = (series[:at], series[at:])
    off = sum(float(np.abs(side - np.median(side)).sum()) for side in sides)
    return float(np.abs(line - np.median(line)).sum()) < off


def _is_sure(series: Series) -> bool:
    """Whether noise alone makes such a trend less than once in a hundred times."""
    from scipy.stats import theilslopes

    _, _, low, high = theilslopes(series, alpha=CONFIDENCE)
    return float(low) * float(high) > 0


def _step(series: Series, percent: float) -> tuple[float, int] | None:
    """The surest step: its size in percent, and how many values come before it.

    The middle is tried by itself, too: in a short series only its halves can differ surely.
    """
    best, half = _widest(series), len(series) // 2
    if _is_gap(series, best):
        return _size(series, best), best
    splits = len(series) - 2 * FEWEST_BESIDE + 1
    for at, tried in ((best, splits), (half, 1)):
        # most series end here, and scipy takes half a second to import
        if abs(_size(series, at)) > percent and _chance(series, at) * tried < 1 - CONFIDENCE:
            return _size(series, at), at
    return None


def _size(series: Series, at: int) -> float:
    before, after = float(np.median(series[:at])), float(np.median(series[at:]))
    return _relative(before, after, float(series.mean()))


def _is_gap(series: Series, at: int) -> bool:
    """Whether the sides don't even overlap and lie so far apart that it needs no test."""
    first, second = series[:at], series[at:]
    overlap = first.min() <= second.max() and second.min() <= first.max()
    enough = min(len(first), len(second)) >= FEWEST_IN_GAP
    return not overlap and enough and abs(_size(series, at)) > GAP_PERCENT


def _widest(series: Series) -> int:
    """The split whose sides differ most in their ranks, by the normal approximation of U."""
    count = len(series)
    splits = np.arange(FEWEST_BESIDE, count - FEWEST_BESIDE + 1)
    _, place, shared = np.unique(series, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(shared) - (shared - 1) / 2)[place]  # equal values share their mean rank
    expected = splits * (count + 1) / 2
    spread = np.sqrt(splits * (count - splits) * (count + 1) / 12)
    return int(splits[np.argmax(np.abs(np.cumsum(ranks)[splits - 1] - expected) / spread)])


def _chance(series: Series, at: int) -> float:
    """How often chance alone makes the two sides of a split as different (Mann-Whitney)."""
    from scipy.stats import mannwhitneyu

    first, second = series[:at], series[at:]
    exact = len(series) <= MOST_EXACT and not np.isin(first, second).any()
    method: Literal["asymptotic", "exact"] = "exact" if exact else "asymptotic"
    return float(mannwhitneyu(first, second, method=method).pvalue)


def _has_steady_half(series: Series, percent: float) -> bool:
    """Whether any half of the series, wherever it begins, moves by no more than that."""
    half = math.ceil(len(series) / 2)
    parts = (series[at : at + half] for at in range(len(series) - half + 1))
    return any(abs(_trend(part)) <= percent for part in parts if part.mean() > 0)
