"""B301, B302 and B305: the run that trips each, and the one just below that doesn't."""

import random
from typing import Any

import pytest

from benchsuite.core.observations import Effort, UnderWay
from benchsuite.core.results import Distribution, Level
from tests.unit.findings.clean import found, intervals, summary


def test_a_drift_without_end_is_invalid() -> None:
    counts = [100 - 4 * second for second in range(10)]
    finding = found(intervals=intervals(counts))["B301"]
    assert finding.level is Level.INVALID
    assert "throughput" in finding.message
    assert "fell" in finding.message
    assert "no half of it was steady" in finding.message


def test_a_window_with_a_steady_half_is_weak() -> None:
    counts = [60, 65, 70, 75, 80, 85, 90, 95, *[100, 101, 99, 100, 100, 101, 99, 100]]
    assert found(intervals=intervals(counts), window=(0.0, 16.0))["B301"].level is Level.WEAK


def test_a_step_between_the_halves_is_weak() -> None:
    counts = [100, 101, 99, 102, 100, 80, 81, 79, 82, 80]
    assert found(intervals=intervals(counts))["B301"].level is Level.WEAK


def test_a_median_that_grows_at_a_steady_rate_is_found() -> None:
    medians: list[float | None] = [0.1 + 0.01 * second for second in range(10)]
    finding = found(intervals=intervals([100] * 10, medians))["B301"]
    assert "The response time was" in finding.message


@pytest.mark.parametrize(
    "counts",
    [
        [100, 99, 98, 97, 96, 95, 94],  # a trend, but of seven seconds
        [100, 80, 100, 80, 100, 80, 100, 80, 100, 80],  # noise
        [100, 100, 101, 101, 102, 102, 103, 103, 104, 104],  # 5 % and no more
        [0] * 10,
    ],
)
def test_what_is_no_trend(counts: list[int]) -> None:
    assert found(intervals=intervals(counts)) == {}


def test_seconds_outside_of_the_window_do_not_count() -> None:
    counts = [10, 20, 30, 40, 50, *[100] * 10, 30, 20, 10]
    assert found(intervals=intervals(counts), window=(5.0, 15.0)) == {}
    assert found(intervals=intervals(counts), window=(4.4, 15.6)) == {}
    assert found(intervals=intervals(counts), window=None) == {}


def test_a_window_that_begins_two_seconds_too_early_is_told_by_the_warm_up() -> None:
    counts = [50] * 12 + [100, 101, 99] * 8
    assert found(intervals=intervals(counts), window=(10.0, 36.0))["B301"].level is Level.WEAK


def test_a_change_in_the_late_warm_up_is_said() -> None:
    counts = [50] * 9 + [100, 101, 99] * 8
    finding = found(intervals=intervals(counts), window=(12.0, 33.0))["B301"]
    assert finding.level is Level.INFO
    assert "before the window" in finding.message


def test_what_is_wrong_in_the_window_is_said_before_what_was_in_the_warm_up() -> None:
    """Of an open run, whose throughput settles soon, while its times go on growing."""
    counts = [50] * 6 + [100] * 34
    medians: list[float | None] = [0.1] * 10 + [0.1 + 0.01 * second for second in range(30)]
    finding = found(intervals=intervals(counts, medians), window=(10.0, 40.0))["B301"]
    assert finding.level is Level.INVALID
    assert "The response time was" in finding.message


def overloaded(throughput: float, busy: float) -> dict[str, Any]:
    """Evidence of an open run in which the median grows all the time."""
    medians: list[float | None] = [0.1 + 0.01 * second for second in range(10)]
    return {
        "intervals": intervals([100] * 10, medians),
        "under_way": UnderWay(arrived_per_s=100.0, mean=10.0),
        "total": summary(throughput=throughput),
        "waiting_users": None,
        "busy_percent": busy,
    }


@pytest.mark.parametrize(
    ("throughput", "busy", "word"),
    [(97.0, 50.0, "Beyond"), (99.0, 96.0, "Near"), (99.0, 94.0, "")],
)
def test_near_capacity_more_warm_up_is_of_no_help(
    throughput: float, busy: float, word: str
) -> None:
    findings = found(**overloaded(throughput, busy))
    assert ("--warmup" in findings["B301"].hint) is (word == "")
    assert ("B304" in findings) is bool(word)
    if word:
        assert findings["B304"].level is Level.INFO
        assert findings["B304"].message.startswith(word)


@pytest.mark.parametrize(
    ("throughput", "busy", "each_s", "words"),
    [
        (99.0, 50.0, [0.01] * 10, "response time"),
        (99.0, 70.0, [0.01] * 10, ""),
        (99.0, 70.0, [0.01] * 5 + [0.012] * 5, "CPU time per answer"),
        (92.0, 70.0, [0.01] * 10, "response time"),  # more is left than chance leaves
    ],
)
def test_times_of_a_busy_target_rise_by_chance(
    throughput: float, busy: float, each_s: list[float], words: str
) -> None:
    effort = Effort("CPU time", each_s)
    findings = found(**overloaded(throughput, busy), effort=effort)
    assert (findings["B301"].message if "B301" in findings else "").startswith(
        f"The {words} was not" * bool(words)
    )
    assert ("B301" in findings) is bool(words)


def test_whole_counts_of_even_answers_are_no_cycle() -> None:
    """8.33 a second."""
    counts = [8, 8, 9] * 4
    assert found(intervals=intervals(counts), window=(0.0, 12.0)) == {}


def test_noise_alone_is_seldom_a_finding() -> None:
    """At most one of fifty, at ten seconds and 8 % of noise in each."""
    draw = random.Random(7)
    flagged = sum(
        "B301" in found(intervals=intervals([round(draw.gauss(1000, 80)) for _ in range(10)]))
        for _ in range(500)
    )
    assert flagged <= 10


@pytest.mark.parametrize(
    ("count", "level"),
    [
        (19, Level.INVALID),
        (20, Level.WEAK),
        (71, Level.WEAK),
        (72, Level.INFO),
        (367, Level.INFO),
        (368, None),
    ],
)
def test_few_samples(count: int, level: Level | None) -> None:
    few = Distribution(count=count, mean_s=0.1, percentiles={50: 0.1})
    findings = found(total=summary(response_time=few))
    assert {number: one.level for number, one in findings.items()} == (
        {"B302": level} if level else {}
    )


def test_work_that_was_not_done_is_told_with_its_amount() -> None:
    assert "B305" not in found(unmade=0)
    finding = found(unmade=1)["B305"]
    assert (finding.level, finding.message.split()[0]) == (Level.WEAK, "1")


def test_more_work_is_what_gives_more_samples() -> None:
    few = summary(response_time=Distribution(count=30))
    assert "Increase --iterations" in found(total=few, unmade=0)["B302"].hint
    assert "Increase --duration" in found(total=few)["B302"].hint
