"""Whether memory grows like a leak, and how much of it one more connection takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, sqrt

import numpy as np

CONFIDENCE = 0.95
FEWEST_STEPS = 3  #: Two points are always on a line: nothing can be said of how well they are.

ARENA_BYTES = 2**20
"""A process takes memory in pieces of up to that (CPython's arenas), so each value may be off by as
much."""


@dataclass(frozen=True, slots=True)
class Slope:
    """A slope with its interval."""

    value: float
    low: float
    high: float


def slope(steps: Sequence[tuple[float, float]]) -> Slope | None:
    """The slope through (how many, bytes), with its 95 % interval; None for fewer than three steps.

    A process keeps what it took: its errors add up from step to step, and the scatter about a line
    hides them. So the line is fitted to the differences between steps (least squares with
    integrated noise), and the interval is that of their scatter, by Student's t. Errors that don't
    add up make it too wide, never too narrow. Both ends may lie anywhere within an arena.
    """
    if len({many for many, _ in steps}) < FEWEST_STEPS:
        return None
    from scipy import stats

    more, taken = np.diff(np.array(steps, dtype=float), axis=0).T
    square = float((more**2).sum())
    value = float((more * taken).sum()) / square
    free = len(more) - 1
    scatter = sqrt(float(((taken - value * more) ** 2).sum()) / free / square)
    ends = ARENA_BYTES / sqrt(6) / abs(float(more.sum()))
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, free)) * hypot(scatter, ends)
    return Slope(value, value - half, value + half)


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
