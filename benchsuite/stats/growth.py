"""Whether memory grows and goes on growing, as it does with a leak."""

from collections.abc import Sequence

from benchsuite.stats.slope import Slope, slope

FEWEST = 8  #: Of fewer points nothing is said.
STEADY = 0.7  #: The growth of the later half, as a share of the earlier's: less is levelling off.


def growth(points: Sequence[tuple[float, float]]) -> Slope | None:
    """The slope through (second, bytes) with its interval; None where they don't grow.

    They do when the lower end of the interval is above 0, for all points and for the later half of
    them; the lower of both is told. What levels off, such as a cache that fills, is no growth.
    """
    if len(points) < FEWEST:
        return None
    half = len(points) // 2
    whole, earlier, later = slope(points), slope(points[: half + 1]), slope(points[half:])
    if whole is None or earlier is None or later is None or min(whole.low, later.low) <= 0:
        return None
    if later.value < STEADY * earlier.value:
        return None
    return Slope(whole.value, min(whole.low, later.low), whole.high)
