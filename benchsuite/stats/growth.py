"""Whether something grows and goes on growing, such as memory that leaks."""

from collections.abc import Sequence

import numpy as np

FEWEST = 12  #: Of fewer points nothing is said.
CONFIDENCE = 0.95
STEADY = 0.5  #: The growth of the later half, as a share of the earlier's: less is levelling off.


def growth(points: Sequence[tuple[float, float]]) -> float | None:
    """The median slope (Theil–Sen) through (when, how much); None where the values don't grow.

    They do when the lower end of its interval is above 0, for all points and for the later half of
    them. What levels off, such as a cache that fills, is no growth.
    """
    if len(points) < FEWEST:
        return None
    from scipy import stats

    when, much = np.array(points, dtype=float).T
    half = len(points) // 2
    whole = stats.theilslopes(much, when, CONFIDENCE)
    later = stats.theilslopes(much[half:], when[half:], CONFIDENCE)
    earlier = stats.theilslopes(much[:half], when[:half], CONFIDENCE)
    if min(whole.low_slope, later.low_slope) <= 0 or later.slope < STEADY * earlier.slope:
        return None
    return float(whole.slope)
