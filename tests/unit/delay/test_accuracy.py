"""Figures of the accuracy from round trips."""

import pytest

from benchsuite.delay.accuracy import MESSAGES, accuracy
from benchsuite.stats.summary import samples_needed


def test_errors_are_what_is_more_than_the_delay() -> None:
    times = [0.1 + number * 1e-5 for number in range(400, 0, -1)]
    found = accuracy(times, 0.1)
    assert found.messages == 400
    assert found.median_error_s == pytest.approx(200.5e-5)
    assert found.p99_error_s == pytest.approx(396e-5)
    assert found.worst_error_s == pytest.approx(400e-5)
    assert found.ceiling_per_s is None


def test_ceiling_is_what_a_whole_cpu_would_do() -> None:
    assert accuracy([0.1] * 400, 0.1, cpu_s=0.04).ceiling_per_s == pytest.approx(10_000)


def test_no_cpu_time_that_could_be_seen_gives_no_ceiling() -> None:
    assert accuracy([0.1] * 400, 0.1, cpu_s=0.0).ceiling_per_s is None


def test_too_early_is_negative() -> None:
    assert accuracy([0.09] * 3, 0.1).median_error_s == pytest.approx(-0.01)


def test_enough_messages_for_the_percentile() -> None:
    assert samples_needed(99) <= MESSAGES <= 500


def test_to_json_is_plain() -> None:
    data = accuracy([0.1], 0.1).to_json()
    assert data["messages"] == 1
    assert all(one is None or isinstance(one, int | float) for one in data.values())
