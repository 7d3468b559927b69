"""B101 to B105: the run that trips each, and the one just below that doesn't."""

from dataclasses import replace
from typing import Any

import pytest

from benchsuite.core.observations import UnderWay
from benchsuite.core.results import Distribution, Level
from tests.unit.findings.clean import CLEAN, found, planned, summary


def level(number: str, **changes: Any) -> Level | None:
    findings = found(**changes)
    assert set(findings) <= {number}, "only this finding may come of it"
    return findings[number].level if findings else None


@pytest.mark.parametrize(
    ("percent", "expected"),
    [(None, None), (70.0, None), (70.1, Level.WEAK), (90.0, Level.WEAK), (90.1, Level.INVALID)],
)
def test_cpu(percent: float | None, expected: Level | None) -> None:
    assert level("B101", load_cpu_percent=percent) == expected


@pytest.mark.parametrize(
    ("lag_s", "expected"),
    [(None, None), (0.01, None), (0.0101, Level.WEAK), (0.1, Level.WEAK), (0.101, Level.INVALID)],
)
def test_lag_is_held_against_the_median(lag_s: float | None, expected: Level | None) -> None:
    assert level("B102", load_lag_p99_s=lag_s) == expected


def test_a_millisecond_of_lag_is_never_a_finding() -> None:
    fast = Distribution(count=1000, mean_s=0.1, percentiles={50: 0.0002})
    total = summary(response_time=fast)
    assert level("B102", total=total, load_lag_p99_s=0.001) is None
    assert level("B102", total=total, load_lag_p99_s=0.00101) is Level.INVALID


@pytest.mark.parametrize(
    ("usual_s", "expected"), [(0.0, Level.WEAK), (0.025, Level.WEAK), (0.026, Level.INVALID)]
)
def test_a_timer_that_is_late_now_and_then_spoils_the_tail_alone(
    usual_s: float, expected: Level
) -> None:
    assert level("B102", load_lag_p99_s=0.2, load_lag_p50_s=usual_s) is expected


@pytest.mark.parametrize(
    ("ceiling", "expected"),
    [(None, None), (143.0, None), (142.0, Level.WEAK), (112.0, Level.WEAK), (111.0, Level.INVALID)],
)
def test_ceiling(ceiling: float | None, expected: Level | None) -> None:
    assert level("B103", ceiling_rate=ceiling) == expected


@pytest.mark.parametrize(
    ("achieved", "dropped", "expected"),
    [
        (98.0, 0, None),
        (97.9, 0, Level.WEAK),
        (102.1, 0, Level.WEAK),
        (90.0, 0, Level.WEAK),
        (89.9, 0, Level.INVALID),
        (100.0, 1, Level.INVALID),
    ],
)
def test_rate_missed(achieved: float, dropped: int, expected: Level | None) -> None:
    arrivals = planned(100.0, achieved, dropped)
    assert level("B104", arrivals=arrivals) == expected


def test_a_closed_model_misses_no_rate() -> None:
    assert level("B104", arrivals=None) is None


@pytest.mark.parametrize(
    ("waiting_users", "expected"),
    [(10.5, None), (10.6, Level.WEAK), (11.7, Level.WEAK), (11.8, Level.INVALID), (None, None)],
)
def test_littles_law_finds_time_lost_in_the_generator(
    waiting_users: float | None, expected: Level | None
) -> None:
    assert level("B105", waiting_users=waiting_users) == expected


@pytest.mark.parametrize(
    ("wakes_per_s", "expected"), [(2500.0, None), (1500.0, Level.INVALID), (0.0, Level.INVALID)]
)
def test_users_who_pause_wake_as_late_as_any_timer(
    wakes_per_s: float, expected: Level | None
) -> None:
    assert level("B105", waiting_users=12.0, wakes_per_s=wakes_per_s) == expected


@pytest.mark.parametrize(
    ("throughput", "expected"),
    [(94.9, None), (94.7, Level.WEAK), (84.9, Level.WEAK), (84.7, Level.INVALID)],
)
def test_littles_law_finds_a_window_that_is_too_short(
    throughput: float, expected: Level | None
) -> None:
    """Apart from one answer, the longest, of 0.2 s in a window of 10 s."""
    assert level("B105", total=summary(throughput=throughput), ceiling_rate=None) == expected


@pytest.mark.parametrize(
    ("under_way", "expected"),
    [(10.0, None), (10.5, None), (10.6, Level.WEAK), (11.7, Level.WEAK), (11.8, Level.INVALID)],
)
def test_littles_law_in_the_open_model_counts_what_waits_to_be_sent(
    under_way: float, expected: Level | None
) -> None:
    seen = UnderWay(arrived_per_s=100.0, mean=under_way)
    for throughput, told in ((93.0, expected), (94.0, None)):  # so much is left by chance
        total = summary(throughput=throughput)
        findings = found(waiting_users=None, under_way=seen, total=total)
        assert {one.code[:4]: one.level for one in findings.values()}.get("B105") == told


def test_when_requests_failed_littles_law_has_no_mean_time_but_users_still_count() -> None:
    failed = summary(failures=1, failures_by_kind={"http status": 1}, throughput=10.0)
    assert level("B105", total=failed) is None
    assert level("B105", total=failed, waiting_users=100.0) is Level.INVALID
    seen = UnderWay(arrived_per_s=10.0, mean=99.0)
    assert level("B105", total=failed, waiting_users=None, under_way=seen) is None


def test_hints_speak_of_the_load_that_there_was() -> None:
    """ "Fewer users" is no way out of a run that has a rate."""
    slow = {"load_cpu_percent": 99.0, "load_lag_p99_s": 1.0}
    few = summary(response_time=replace(summary().response_time, count=30))
    for arrivals, less, more in (
        (None, "fewer users", "more --users"),
        (planned(100.0, 100.0), "a lower --rate", "a higher --rate"),
    ):
        findings = found(arrivals=arrivals, total=few, **slow)
        assert less in findings["B101"].hint
        assert less in findings["B102"].hint
        assert more in findings["B302"].hint
    stage = replace(CLEAN, stage="100 /s")
    assert replace(CLEAN, arrivals=None, stages=(stage,)).less == "a lower --rate"


def test_a_broken_measurement_is_invalid() -> None:
    assert found(broken=True)["B107"].level is Level.INVALID
    assert "B107" not in found(broken=False)
