"""Growth is told of what goes on growing, not of what levels off."""

from collections.abc import Callable

import numpy as np

MIB = 2**20


Curve = Callable[[float], float]


def points(of_second: Curve, noise: float = 0.0, *, seed: int = 2) -> list[tuple[float, float]]:
    """Of a window of 10 s, in a process that keeps what it takes."""
    taken = np.cumsum(np.random.default_rng(seed).normal(0, noise, 10)).tolist()
    return [(float(second), of_second(second) + taken[second]) for second in range(10)]


def test_values(golden):
    golden.values()
