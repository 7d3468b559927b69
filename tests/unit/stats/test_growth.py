"""Growth is told of what goes on growing, not of what levels off."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from benchsuite.stats.growth import FEWEST, growth

MIB = 2**20


Curve = Callable[[float], float]


def points(of_second: Curve, noise: float = 0.0) -> list[tuple[float, float]]:
    chance = np.random.default_rng(2)
    return [
        (float(second), of_second(second) + float(chance.normal(0, noise))) for second in range(20)
    ]


def test_a_leak_is_told_by_its_slope() -> None:
    found = growth(points(lambda second: 60 * MIB + 50_000 * second, noise=20_000))
    assert found == pytest.approx(50_000, rel=0.1)


@pytest.mark.parametrize(
    "curve",
    [
        lambda second: 60 * MIB,
        lambda second: 60 * MIB - 1000 * second,
        lambda second: 60 * MIB + 4 * MIB * (1 - math.exp(-second / 3)),
        lambda second: 60 * MIB + 4 * MIB * math.log1p(second),
        lambda second: 60 * MIB + 4 * MIB * (second >= 12),
        lambda second: 60 * MIB + MIB * (second % 5),
    ],
    ids=["flat", "shrinking", "levelling off", "a cache", "a step", "sawteeth"],
)
def test_anything_else_is_not(curve: Curve) -> None:
    assert growth(points(curve)) is None


def test_chance_is_seldom_taken_for_growth() -> None:
    chance = np.random.default_rng(3)
    walks = (np.cumsum(chance.normal(0, 1, 16)) for _ in range(400))
    told = sum(growth(list(enumerate(walk.tolist()))) is not None for walk in walks)
    assert told <= 0.2 * 400, "of walks by chance, which do drift"
    noise = (chance.normal(0, 1, 16).tolist() for _ in range(400))
    assert sum(growth(list(enumerate(one))) is not None for one in noise) <= 0.02 * 400


def test_of_few_points_nothing_is_told() -> None:
    few = [(float(second), 1e6 * second) for second in range(FEWEST - 1)]
    assert growth(few) is None
