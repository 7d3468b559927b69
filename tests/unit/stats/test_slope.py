"""What one more takes, and how sure that is."""

import numpy as np
import pytest

from benchsuite.stats.steady import slope

Draw = np.random.Generator
EACH = 28_000.0


def independent(draw: Draw, steps: int) -> np.ndarray:
    return draw.normal(0, 3e5, steps)


def kept(draw: Draw, steps: int) -> np.ndarray:
    """What the process takes of its own accord, and keeps."""
    return np.cumsum(draw.normal(0, 6e5, steps))


def both(draw: Draw, steps: int) -> np.ndarray:
    return independent(draw, steps) + kept(draw, steps) / 2


def uneven(draw: Draw, steps: int) -> np.ndarray:
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
        assert found is not None
        held += found.low <= EACH <= found.high
    assert held / 400 > 0.93


def test_values(golden):
    golden.values()
