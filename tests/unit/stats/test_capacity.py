"""The rate at which margins cross zero, and what one start says of it."""

import math
import random

from benchsuite.stats.levels import Point


def line(rates, at=100.0, steepness=25.0, noise=0.0, seed=0) -> list[Point]:
    chance = random.Random(seed)
    return [
        Point(rate, steepness * math.log(at / rate) + chance.gauss(0, noise), 400) for rate in rates
    ]


def test_values(golden):
    golden.values()
