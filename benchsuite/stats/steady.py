"""Whether a series of equal intervals stays where it is."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.99
MOST_POINTS = 240
"""Longer series are averaged in groups first: the tests compare each point with each other."""

_Series = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Change:
    """A series that did not stay where it was."""

    percent: float
    """By how much it rose (or fell) over its length, of its median."""
    is_trend: bool
    """Otherwise its second half lies apart from its first."""
    has_steady_half: bool

    @property
    def words(self) -> str:
        direction = "rose" if self.percent > 0 else "fell"
        return f"it {direction}" if self.is_trend else f"its second half {direction}"


def change(values: Sequence[float], *, least: int, percent: float) -> Change | None:
    """A trend or a step of surely more than so many percent; None without, or with too few values.

    The trend is Theil and Sen's slope (Sen 1968): the median slope of all pairs, which outliers
    don't move. It must exceed the limit with the near end of its 99 % interval, so that noise alone
    is no trend. The step is Hodges and Lehmann's shift between the two halves: it must exceed the
    limit, and the halves must differ by the exact Mann-Whitney test at 1 %.
    """
    series = _grouped(np.asarray(values, dtype=np.float64))
    count = len(series)
    level = float(np.median(series)) if count else 0.0
    if count < least or level <= 0:
        return None
    trend = _trend(series, level)
    step = _step(series, level)
    if max(abs(trend), abs(step)) <= percent:
        return None  # most series end here, and scipy takes half a second to import
    if abs(trend) > percent and _sure_trend(series, level) > percent:
        return Change(trend, is_trend=True, has_steady_half=_has_steady_half(series, percent))
    if abs(step) > percent and _halves_differ(series):
        return Change(step, is_trend=False, has_steady_half=_has_steady_half(series, percent))
    return None


def _grouped(series: _Series) -> _Series:
    size = math.ceil(len(series) / MOST_POINTS)
    if size <= 1:
        return series
    whole = len(series) // size * size
    grouped: _Series = series[:whole].reshape(-1, size).mean(axis=1)
    return grouped


def _trend(series: _Series, level: float) -> float:
    """The median slope over the whole length, in percent of the level."""
    first, second = np.triu_indices(len(series), k=1)
    slopes = (series[second] - series[first]) / (second - first)
    return float(np.median(slopes)) * len(series) / level * 100


def _step(series: _Series, level: float) -> float:
    """The median difference between values of the second and of the first half, in percent."""
    half = len(series) // 2
    return float(np.median(series[-half:, None] - series[None, :half])) / level * 100


def _sure_trend(series: _Series, level: float) -> float:
    """The end of the trend's interval that is nearer to none; 0 when the interval holds none."""
    from scipy.stats import theilslopes

    _, _, low, high = theilslopes(series, alpha=CONFIDENCE)
    if low * high <= 0:
        return 0.0
    return min(abs(float(low)), abs(float(high))) * len(series) / level * 100


def _halves_differ(series: _Series) -> bool:
    from scipy.stats import mannwhitneyu

    half = len(series) // 2
    first, second = series[:half], series[-half:]
    exact = half <= 20 and not np.isin(first, second).any()
    method: Literal["asymptotic", "exact"] = "exact" if exact else "asymptotic"
    return float(mannwhitneyu(first, second, method=method).pvalue) < 1 - CONFIDENCE


def _has_steady_half(series: _Series, percent: float) -> bool:
    """Whether any half of the series, wherever it begins, moves by no more than that."""
    half = math.ceil(len(series) / 2)
    parts = (series[at : at + half] for at in range(len(series) - half + 1))
    return any(
        abs(_trend(part, level)) <= percent for part in parts if (level := float(np.median(part)))
    )
