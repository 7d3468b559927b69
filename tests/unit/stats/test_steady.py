"""Trends and steps are told from noise."""

import numpy as np
from numpy.typing import NDArray

from benchsuite.stats.steady import Change, change


def is_trend(found: Change) -> bool:
    return found.at is None and found.period is None


def seen(values: list[float]) -> tuple[bool, int, bool] | None:
    """Whether it is a trend, its percent in tens, whether there is a steady half."""
    found = change(values, least=8, percent=5.0)
    return found and (is_trend(found), round(found.percent, -1), found.has_steady_half)


def noisy(values: NDArray[np.float64], percent: float) -> list[float]:
    return list(values * np.random.default_rng(5).normal(1, percent / 100, len(values)))


def test_values(golden):
    golden.values()
