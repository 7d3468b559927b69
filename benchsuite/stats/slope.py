"""What one more of something takes, from how much some took: a line through steps."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

CONFIDENCE = 0.95
FEWEST_STEPS = 3  #: Two points are always on a line: nothing can be said of how well they are.


@dataclass(frozen=True, slots=True)
class Slope:
    """The slope of a least-squares line, with its interval."""

    value: float
    low: float
    high: float


def slope(steps: Sequence[tuple[float, float]]) -> Slope | None:
    """The slope through (how many, how much), with its 95 % interval by Student's t.

    None for fewer than three steps. It is that of the steps' scatter about the line: what the
    process did between two steps of its own accord is in it, what every connection does is not.
    """
    if len({many for many, _ in steps}) < FEWEST_STEPS:
        return None
    from scipy import stats

    many, much = np.array(steps, dtype=float).T
    line = stats.linregress(many, much)
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(steps) - 2)) * float(line.stderr)
    value = float(line.slope)
    return Slope(value, value - half, value + half)
