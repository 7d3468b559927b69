"""Whether a series of equal intervals stays where it is."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchsuite.core.units import format_duration, format_percent
from benchsuite.stats.patterns import cycle

LEVEL = 0.01  #: How often noise alone may look like a trend or any step.
LEVEL_OF_HALF = 0.1  #: And how often a half does, once the whole was told to change.
FEWEST_BESIDE = 3  #: A step with fewer values than that on one side of it is an outlier.
MOST_POINTS = 240  #: Longer series are averaged in groups first.
OUTLIER = 6.0  #: In median deviations: what lies farther off counts as if it lay there.

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


def change(
    values: Sequence[float], *, least: int, percent: float, grain: float = 0.0
) -> Change | None:
    """A trend, a step or a cycle of more than so many percent; None without, or with too few
    values.

    A line and all steps are fitted; the surest of them counts, by Student's t of what it explains.
    Of chance alone, 1 % of series have any: a third each for the line, for a step in the middle,
    and for steps elsewhere, of which m = 3.1 √n - 4 are as good as independent (by simulation).
    Outliers are drawn in first. How large a change is, medians say: Theil and Sen's slope (Sen
    1968), the two sides of a step. A cycle must swing by twice the limit, and by more than the
    grain: by so much counts differ though they come evenly, as 8.3 a second do.
    """
    series = _grouped(np.asarray(values, dtype=np.float64))
    size = math.ceil(len(values) / MOST_POINTS)
    if len(series) < least or series.mean() <= 0:
        return None
    surest = _surest(series, percent)
    if surest is not None:
        return replace(surest, at=surest.at and surest.at * size)
    coarse_percent = grain / float(series.mean()) * 100
    cycle_seen = cycle(series, percent=max(2 * percent, 1.5 * coarse_percent))
    if cycle_seen is not None:
        return Change(cycle_seen.percent, has_steady_half=True, period=cycle_seen.period * size)
    return None


def _surest(series: Series, percent: float) -> Change | None:
    """Of a line and all steps of that size, what noise alone would show least often."""
    count = len(series)
    places = np.arange(count, dtype=np.float64)
    splits = np.arange(FEWEST_BESIDE, count - FEWEST_BESIDE + 1)
    chances = _chances(series, np.vstack([places, places >= splits[:, None]]))
    elsewhere = max(1.0, 3.1 * math.sqrt(count) - 4)
    chances[1:] *= np.where(splits == count // 2, 1.0, elsewhere)
    for surest in np.argsort(chances):
        if chances[surest] >= LEVEL / 3:
            break
        at = int(splits[surest - 1]) if surest else None
        size = _trend(series) if at is None else _size(series, at)
        if abs(size) > percent:
            return Change(size, has_steady_half=_has_steady_half(series, percent), at=at)
    return None


def _chances(series: Series, shapes: Series) -> Series:
    """How often noise alone fits each shape as well, by Student's t."""
    from scipy.special import stdtr  # scipy.stats takes half a second to import

    off = series - np.median(series)
    spread = np.median(np.abs(off)) or np.abs(off).mean()
    if not spread:
        return np.ones(len(shapes))
    drawn_in = np.clip(off, -OUTLIER * spread, OUTLIER * spread)
    squares = np.minimum(np.corrcoef(drawn_in, shapes)[0, 1:] ** 2, 1 - 1e-12)
    free = len(series) - 2
    chances: Series = 2 * stdtr(free, -np.sqrt(squares * free / (1 - squares)))
    return chances


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


def _size(series: Series, at: int) -> float:
    before, after = float(np.median(series[:at])), float(np.median(series[at:]))
    return _relative(before, after, float(series.mean()))


def _has_steady_half(series: Series, percent: float) -> bool:
    """Whether any half of the series, wherever it begins, is not sure to move by more than that."""
    half = math.ceil(len(series) / 2)
    parts = [series[at : at + half] for at in range(len(series) - half + 1)]
    return not all(
        abs(_trend(part)) > percent
        and _chances(part, np.arange(half, dtype=np.float64)[None])[0] < LEVEL_OF_HALF
        for part in parts
        if part.mean() > 0
    )
