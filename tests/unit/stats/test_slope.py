"""A line through steps, and how sure it is."""

import numpy as np
import pytest

from benchsuite.stats.slope import slope


def test_a_line_is_found_exactly() -> None:
    found = slope([(100, 50_100.0), (200, 60_100.0), (300, 70_100.0), (400, 80_100.0)])
    assert found is not None
    assert found.value == pytest.approx(100)
    assert found.low == pytest.approx(100)
    assert found.high == pytest.approx(100)


@pytest.mark.parametrize("steps", [[], [(1, 2)], [(1, 2), (2, 3)], [(1, 2), (2, 3), (2, 4)]])
def test_two_points_say_nothing_of_their_line(steps: list[tuple[float, float]]) -> None:
    assert slope(steps) is None


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    draw = np.random.default_rng(1)
    held = 0
    for _ in range(400):
        steps = [(many, 28_000 * many + draw.normal(0, 3e5)) for many in range(250, 2001, 250)]
        found = slope(steps)
        assert found is not None
        held += found.low <= 28_000 <= found.high
    assert 0.92 < held / 400 < 0.98
