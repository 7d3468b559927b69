"""Which subscribers of a broadcast are slow. Pure functions."""

import numpy as np
from numpy.typing import NDArray

from benchsuite.stats.summary import Samples

HEALTHY, SLOW = " (healthy subscribers)", " (slow subscribers)"
"""What the name of a broadcast's messages ends with where some subscribers were slow."""

TIMES = 5.0
LEAST_S = 0.01
"""A subscriber is slow when its median time is longer than five times the median subscriber's, and
by 10 ms at least; the others are healthy."""


def slow_users(deliveries: Samples, lost: Samples) -> NDArray[np.uint32]:
    """The numbers of those that are; what one never got took it for ever."""
    users = np.concatenate([deliveries["user"], lost["user"]])
    took = np.concatenate(
        [deliveries["finish"] - deliveries["intended_start"], np.full(len(lost), np.inf)]
    )
    names = np.unique(users)
    if not len(names):
        return names
    medians = np.array([_lower_median(took[users == name]) for name in names])
    usual = _lower_median(medians)
    slow: NDArray[np.uint32] = names[medians > max(TIMES * usual, usual + LEAST_S)]
    return slow


def _lower_median(values: NDArray[np.float64]) -> float:
    """One of the values, so that half of them may be infinite."""
    return float(np.sort(values)[(len(values) - 1) // 2])
