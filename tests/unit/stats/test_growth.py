"""Growth is told of what goes on growing, not of what levels off."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from benchsuite.stats.memory import FEWEST, growth

MIB = 2**20


Curve = Callable[[float], float]


def points(of_second: Curve, noise: float = 0.0, *, seed: int = 2) -> list[tuple[float, float]]:
    """Of a window of 10 s, in a process that keeps what it takes."""
    taken = np.cumsum(np.random.default_rng(seed).normal(0, noise, 10)).tolist()
    return [(float(second), of_second(second) + taken[second]) for second in range(10)]


def test_a_leak_is_told_in_ten_seconds() -> None:
    leak = [
        growth(points(lambda second: 60 * MIB + 2e6 * second, noise=3e5, seed=seed))
        for seed in range(200)
    ]
    assert sum(one is not None for one in leak) >= 0.98 * 200
    held = [one.low <= 2e6 <= one.high for one in leak if one is not None]
    assert np.mean(held) > 0.93


@pytest.mark.parametrize(
    "curve",
    [
        lambda second: 60 * MIB,
        lambda second: 60 * MIB - 1000 * second,
        lambda second: 60 * MIB + 4 * MIB * (1 - math.exp(-second / 3)),
        lambda second: 60 * MIB + 4 * MIB * math.log1p(second),
        lambda second: 60 * MIB + 4 * MIB * (second >= 6),
        lambda second: 60 * MIB + MIB * (second % 5),
    ],
    ids=["flat", "shrinking", "levelling off", "a cache", "a step", "sawteeth"],
)
def test_anything_else_is_not(curve: Curve) -> None:
    assert growth(points(curve)) is None
    noisy = [growth(points(curve, noise=1e5, seed=seed)) for seed in range(200)]
    assert sum(one is not None for one in noisy) <= 0.01 * 200


def test_chance_is_seldom_taken_for_growth() -> None:
    chance = np.random.default_rng(3)
    told = [growth(list(enumerate(np.cumsum(chance.normal(0, MIB, 16))))) for _ in range(400)]
    told += [growth(list(enumerate(chance.normal(0, MIB, 16)))) for _ in range(400)]
    assert sum(one is not None for one in told) <= 0.02 * 800


def test_of_few_points_nothing_is_told() -> None:
    few = [(float(second), 1e6 * second) for second in range(FEWEST - 1)]
    assert growth(few) is None
