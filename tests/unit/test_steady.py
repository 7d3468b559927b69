"""Trends and steps are told from noise."""

import pytest

from benchsuite.stats.steady import change


def seen(values: list[float]) -> tuple[bool, int, bool] | None:
    """Whether it is a trend, its percent in tens, whether there is a steady half."""
    found = change(values, least=8, percent=5.0)
    return found and (found.is_trend, round(found.percent, -1), found.has_steady_half)


def test_a_straight_line_is_a_trend_in_percent_of_its_median() -> None:
    assert seen([100 + 2 * second for second in range(20)]) == (True, 30, False)
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


def test_an_outlier_is_no_trend() -> None:
    assert seen([100.0, 100, 101, 99, 100, 10, 100, 101, 99, 100]) is None


def test_a_long_series_is_grouped_first() -> None:
    assert seen([100 + at / 100 for at in range(3600)]) == (True, 30, False)
