"""Stalls and starvation, seen in samples."""

import numpy as np
import pytest

from benchsuite.core.samples import Kind
from benchsuite.stats import signs, summary

WINDOW = (10.0, 20.0)


def samples(times: list[float], users: list[int] | None = None) -> summary.Samples:
    """One request each tenth of a second from second 9 on."""
    made = np.zeros(len(times), dtype=summary.DTYPE)
    made["start"] = made["intended_start"] = 9.0 + np.arange(len(times)) / 10
    made["finish"] = made["start"] + times
    if users is not None:
        made["user"] = users
    return made


@pytest.mark.parametrize(("seconds", "at_s"), [(0.0445, 0.04), (0.206, 0.2), (0.042, 0.04)])
def test_a_cluster_at_a_timer(seconds: float, at_s: float) -> None:
    found = signs.cluster(samples([0.002] + [0.01] * 10 + [seconds] * 89), WINDOW)
    assert found is not None
    assert (found.at_s, round(found.percent)) == (at_s, 99)
    assert found.fastest_s == pytest.approx(0.002), "also before the window"


def test_a_cluster_above_a_page_that_takes_its_time() -> None:
    found = signs.cluster(samples([0.03] * 20 + [0.072] * 80), WINDOW)
    assert found is not None
    assert (found.at_s, round(found.percent)) == (0.04, 89)


@pytest.mark.parametrize("times", [[0.03, 0.055], [0.043, 0.044], [0.001, 0.03], [0.001, 0.07]])
def test_times_elsewhere_are_no_cluster(times: list[float]) -> None:
    found = signs.cluster(samples(times * 40), WINDOW)
    assert found is not None
    assert found.percent == 0


def test_failures_make_no_cluster() -> None:
    failed = samples([0.044] * 40)
    failed["kind"] = Kind.RESET
    assert signs.cluster(failed, WINDOW) is None
    assert signs.cluster(samples([0.044] * 5), WINDOW) is None, "all of it before the window"


def test_users_without_a_journey_count_as_none() -> None:
    made = samples([0.01] * 40, [0] * 25 + [2] * 15)
    assert signs.answers_by_user(made, WINDOW, 4) == (15, 0, 15, 0)


def test_only_whole_right_journeys_inside_the_window_count() -> None:
    made = samples([0.01] * 11 + [99.0], [1] * 12)
    assert signs.answers_by_user(made, WINDOW, 2) == (0, 1)
    made["kind"] = Kind.HTTP_STATUS
    assert signs.answers_by_user(made, WINDOW, 2) == (0, 0)


def test_requests_that_waited_through_the_whole_window() -> None:
    made = samples([99.0] * 5 + [10.0] + [99.0] * 20)
    made["kind"] = [Kind.UNFINISHED] * 3 + [Kind.READ_TIMEOUT, Kind.OK] + [Kind.UNFINISHED] * 21
    assert signs.in_vain(made, WINDOW) == 8, "not the answered one, nor what ended or began in it"


def test_slots_of_the_open_model_that_waited_in_vain() -> None:
    made = samples([0.01] * 40, [0] * 34 + [1, 1, 2, 3, 4, 0])
    made["kind"][34:39] = [
        Kind.OK,
        Kind.READ_TIMEOUT,
        Kind.UNFINISHED,
        Kind.HTTP_STATUS,
        Kind.READ_TIMEOUT,
    ]
    found = signs.slots(made, WINDOW)
    assert found is not None
    assert found.used == 5, "0, which is answered, and 1 to 4"
    assert found.starved == 2, "2 and 4; 1 was answered once, and 3 refused"
    assert found.answered == pytest.approx(27 / 30), "those made in the window"
    assert signs.slots(made[:5], WINDOW) is None


def test_a_slot_that_waits_since_the_warm_up_is_starved() -> None:
    made = samples([99.0] + [0.01] * 30, [1] + [0] * 30)
    made["kind"][0] = Kind.UNFINISHED
    found = signs.slots(made, WINDOW)
    assert found is not None
    assert (found.used, found.starved) == (2, 1)


def test_requests_beyond_the_slots_are_queued() -> None:
    # one each tenth of a second, each a second long: ten in flight all the time, six beyond four
    made = samples([1.0] * 130)
    assert signs.queued(made, WINDOW, 4) == pytest.approx(6, abs=0.1)
    assert signs.queued(made, WINDOW, 10) == pytest.approx(0, abs=0.1)
    assert signs.slots_busy_percent(made, WINDOW, 10) == pytest.approx(100, abs=1)
