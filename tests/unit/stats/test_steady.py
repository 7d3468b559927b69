"""Trends and steps are told from noise."""

import numpy as np
import pytest

from benchsuite.stats.steady import change, slope


def is_trend(found):
    return found.at is None


def seen(values):
    """Whether it is a trend, its percent in tens, whether there is a steady half."""
    found = change(values, least=8, percent=5.0)
    return found and (is_trend(found), round(found.percent, -1), found.has_steady_half)


def noisy(values, percent):
    return list(values * np.random.default_rng(5).normal(1, percent / 100, len(values)))


def test_values(golden):
    golden.values()


EACH = 28_000.0


def independent(draw, steps):
    return draw.normal(0, 3e5, steps)


def kept(draw, steps):
    """What the process takes of its own accord, and keeps."""
    return np.cumsum(draw.normal(0, 6e5, steps))


def both(draw, steps):
    return independent(draw, steps) + kept(draw, steps) / 2


def uneven(draw, steps):
    """Each connection takes another amount: some nothing, some many times the mean."""
    return np.cumsum(draw.exponential(EACH, (steps, 250)).sum(axis=1) - 250 * EACH)


@pytest.mark.parametrize("steps", [4, 8, 12])
@pytest.mark.parametrize("arena", [0, 2**18, 2**20])
@pytest.mark.parametrize("errors", [independent, kept, both, uneven])
def test_the_interval_holds_the_truth(errors, arena, steps):
    """As docs/websockets.md says it of each: also where memory is taken in arenas."""
    draw = np.random.default_rng(1)
    many = 250.0 * np.arange(1, steps + 1)
    held = 0
    for _ in range(400):
        taken = draw.uniform(0, 2**20) + EACH * many + errors(draw, steps)
        if arena:
            taken = np.ceil(taken / arena) * arena
        found = slope(list(zip(many.tolist(), taken.tolist(), strict=True)))
        held += found.low <= EACH <= found.high
    assert held / 400 > 0.93


MIB = 2**20


def points(of_second, noise=0.0, *, seed=2):
    """Of a window of 10 s, in a process that keeps what it takes."""
    taken = np.cumsum(np.random.default_rng(seed).normal(0, noise, 10)).tolist()
    return [(float(second), of_second(second) + taken[second]) for second in range(10)]
