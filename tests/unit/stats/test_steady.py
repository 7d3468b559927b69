"""Trends and steps are told from noise."""

import numpy as np
import pytest
from numpy.typing import NDArray

from benchsuite.stats.steady import Change, change


def is_trend(found: Change) -> bool:
    return found.at is None and found.period is None


def seen(values: list[float]) -> tuple[bool, int, bool] | None:
    """Whether it is a trend, its percent in tens, whether there is a steady half."""
    found = change(values, least=8, percent=5.0)
    return found and (is_trend(found), round(found.percent, -1), found.has_steady_half)


def test_a_straight_line_is_a_trend_in_percent_of_where_it_begins() -> None:
    assert seen([100 + 2 * second for second in range(20)]) == (True, 40, False)
    assert seen([140 - 2 * second for second in range(20)]) == (True, -30, False)


def test_a_step_is_told_with_the_steady_half() -> None:
    assert seen([100.0, 101, 99, 100.5, 99.5, 120, 121, 119, 120.5, 119.5]) is not None
    found = change(
        [100 + at % 3 for at in range(30)] + [150 + at % 3 for at in range(30)],
        least=8,
        percent=5.0,
    )
    assert found is not None
    assert found.has_steady_half


@pytest.mark.parametrize(
    "values",
    [
        [],
        [1.0] * 7,
        [1.0 * at for at in range(7)],
        [5.0] * 20,
        [100, 130, 90, 120, 80, 110, 100, 95, 125, 85],
        [0.0] * 12,
    ],
)
def test_no_change(values: list[float]) -> None:
    assert seen(values) is None


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_the_unit_changes_nothing(unit: float) -> None:
    quick = [0.9, 1.0, 1.1]
    step = [unit * value for value in (*quick * 3, *(1.5 * value for value in quick * 3))]
    slow = [unit * (3.0 if second % 5 < 2 else 1.0) for second in range(40)]
    found = change(step, least=8, percent=5.0)
    assert found is not None
    assert (found.at, round(found.percent), found.has_steady_half) == (9, 50, True)
    cycle = change(slow, least=8, percent=5.0)
    assert cycle is not None
    assert (round(cycle.period or 0), cycle.has_steady_half) == (5, True)


def test_an_outlier_is_no_trend() -> None:
    assert seen([100.0, 100, 101, 99, 100, 10, 100, 101, 99, 100]) is None


def test_a_long_series_is_grouped_first() -> None:
    assert seen([100 + at / 100 for at in range(3600)]) == (True, 40, False)


def test_a_fall_is_never_more_than_all() -> None:
    for values in ([300.0 - 15 * at for at in range(20)], [100.0] * 4 + [0.0] * 6):
        found = change(values, least=8, percent=5.0)
        assert found is not None
        assert -100 <= found.percent <= -90


def noisy(values: NDArray[np.float64], percent: float) -> list[float]:
    return list(values * np.random.default_rng(5).normal(1, percent / 100, len(values)))


def test_half_a_percent_each_second_is_a_trend() -> None:
    found = change(noisy(100 * 0.995 ** np.arange(20), 1.0), least=8, percent=5.0)
    assert found is not None
    assert is_trend(found)


@pytest.mark.parametrize("at", [5, 10, 20])
def test_a_step_is_found_wherever_it_is(at: int) -> None:
    """As of a page that is slow for its first seconds."""
    found = change(noisy(np.r_[[80.0] * at, [100.0] * (30 - at)], 2.0), least=8, percent=5.0)
    assert found is not None
    assert found.at == at
    assert found.percent == pytest.approx(25, abs=3)
    assert f"after {at}" in found.words


@pytest.mark.parametrize("length", [15, 20, 30, 60])
def test_a_sawtooth_of_five_seconds_is_a_cycle(length: int) -> None:
    saw = 100 * (1 + 0.3 * ((np.arange(length) + 0.4) % 5 / 5 - 0.5))
    found = change(noisy(saw, 1.0), least=8, percent=5.0)
    assert found is not None
    assert found.period is not None
    assert (found.period + 0.25) % 5 == pytest.approx(0.25, abs=0.25)
    assert found.percent == pytest.approx(24, abs=4)


@pytest.mark.parametrize("count", [10, 20])
@pytest.mark.parametrize("tails", [3, 1000])
def test_noise_alone_is_a_change_once_in_a_hundred_times(count: int, tails: int) -> None:
    """Over all splits. Four of 400 are due; ten would be there once in a hundred times."""
    draw = np.random.default_rng(count)
    series = [1000 + 80 * draw.standard_t(tails, count) for _ in range(400)]
    assert sum(change(list(one), least=8, percent=5.0) is not None for one in series) <= 9


def test_a_step_after_three_of_ten_seconds_is_found() -> None:
    found = change(noisy(np.r_[[80.0] * 3, [100.0] * 7], 2.0), least=8, percent=5.0)
    assert found is not None
    assert found.at == 3


def test_noise_that_has_a_trend_in_each_half_leaves_a_steady_half() -> None:
    steps = change(noisy(np.r_[[60.0] * 5, [100.0] * 5], 8.0), least=8, percent=5.0)
    assert steps is not None
    assert steps.has_steady_half
