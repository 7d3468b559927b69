"""Whether a series goes up and down in cycles of one length."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SURE = 0.001  #: At most so often noise alone may look like a cycle of any of the lengths tried.
SHORTEST = 2.5
FEWEST_CYCLES = 3
STEP = 0.25  #: Lengths are tried so far apart; both in intervals of the series.
FEWEST_FREE = 3  #: Values that must be left over when each phase has its mean.


@dataclass(frozen=True, slots=True)
class Cycle:
    period: float  #: In intervals of the series.
    percent: float  #: How far the highest phase lies above the lowest, of the mean of the series.


@dataclass(frozen=True, slots=True)
class _Folded:
    period: float
    swing: float
    ratio: float  #: Variance between the phases by that within them (F).
    free: tuple[int, int]


def cycle(series: NDArray[np.float64], *, percent: float) -> Cycle | None:
    """The surest cycle that swings by more than so many percent; None without.

    Epoch folding (Leahy et al. 1983): the series, less its trend, is cut into pieces of one
    length and laid over itself; a cycle of that length is what the phases' means differ by more
    than their values do, by the F test. All lengths of which three fit are tried, and the test is
    corrected for their number.
    """
    level = float(series.mean())
    places = np.arange(len(series))
    if level <= 0 or np.ptp(series) / level * 100 <= percent:
        return None
    flat = series - np.polyval(np.polyfit(places, series, 1), places)
    tried = list(_folded(flat))
    strong = [one for one in tried if one.swing / level * 100 > percent]
    if not strong:
        return None
    from scipy.stats import f

    chances = [float(f.sf(one.ratio, *one.free)) * len(tried) for one in strong]
    best = int(np.argmin(chances))
    if chances[best] >= SURE:
        return None
    return Cycle(strong[best].period, strong[best].swing / level * 100)


def _folded(flat: NDArray[np.float64]) -> Iterator[_Folded]:
    count = len(flat)
    for period in np.arange(SHORTEST, count / FEWEST_CYCLES + STEP / 2, STEP):
        phases = np.floor(np.arange(count) % period).astype(np.int64)
        sizes = np.bincount(phases)
        free = (len(sizes) - 1, count - len(sizes))
        if free[1] < FEWEST_FREE:
            continue
        means = np.bincount(phases, flat) / sizes
        within = float(((flat - means[phases]) ** 2).sum()) / free[1]
        between = float((sizes * (means - flat.mean()) ** 2).sum()) / free[0]
        ratio = between / within if within > 0 else float("inf")
        yield _Folded(float(period), float(np.ptp(means)), ratio, free)
