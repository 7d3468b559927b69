"""B301, B302 and B305: the run that trips each, and the one just below that doesn't."""

import random
from dataclasses import replace
from typing import Any

import pytest

from benchsuite import findings
from benchsuite.core.observations import Connection, Effort, Evidence, Probes, UnderWay
from benchsuite.core.results import Distribution, Finding, Level
from tests.unit.findings.clean import CLEAN, found, intervals, planned, summary


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


def stage(users: int, **changes: Any) -> Evidence:
    return replace(CLEAN, stage=f"{users} users", **changes)


def of_stages(*stages: Evidence) -> dict[str, Finding]:
    """As of a run whose figures as a whole would trip everything, were they looked at."""
    whole = replace(
        CLEAN,
        stages=stages,
        ceiling_rate=1.0,
        arrivals=planned(100.0, 1.0),
        waiting_users=1000.0,
        probes=Probes(sent=1, answered=0, lateness_s=0.0, load=summary()),
        answers_by_user=(1000, 0, 0, 0),
    )
    return {one.code.split()[0]: one for one in findings.assess(whole)}


def test_clean_stages_have_no_finding() -> None:
    assert of_stages(stage(10), stage(20)) == {}


def test_one_stage_beyond_the_ceiling_is_named() -> None:
    finding = of_stages(stage(10), stage(20, ceiling_rate=110.0), stage(40))["B103"]
    assert finding.level is Level.INVALID
    assert finding.message.startswith(
        "At 20 users: The throughput of 100\u2009/s is 90.9\u2009% of"
    )
    assert "other" not in finding.message


def test_the_worst_stage_is_told_first_and_the_others_by_name() -> None:
    finding = of_stages(
        stage(10, waiting_users=10.8), stage(20, waiting_users=20.0), stage(40, waiting_users=10.7)
    )["B105"]
    assert finding.level is Level.INVALID
    assert finding.message.startswith("At 20 users: 20.0 users did not pause")
    assert finding.message.endswith("The same check finds fault with 10 users and 40 users.")
    assert finding.stages == ("20 users",), "the others are weak there"


def test_each_check_of_a_level_looks_at_the_stages() -> None:
    seen = of_stages(
        stage(10, answers_by_user=(100,) * 6 + (0,) * 4),
        stage(20, arrivals=planned(100.0, 97.0)),
        stage(
            30,
            probes=Probes(
                sent=50,
                answered=50,
                connections=(Connection(times_s=(0.3, 0.3)),) * 25,
                lateness_s=0.0,
                load=summary(),
            ),
        ),
    )
    assert {number: one.message.partition(":")[0] for number, one in seen.items()} == {
        "B104": "At 20 users",
        "B106": "At 30 users",
        "B206": "At 10 users",
    }


def test_what_the_target_does_beyond_the_level_told_is_no_doubt() -> None:
    failing = summary(requests=1000, failures=400, failures_by_kind={"status": 400})

    def at(users: int, **changes: Any) -> Evidence:
        return stage(users, **{"total": replace(CLEAN.total or failing, level=users), **changes})

    beyond = at(40, total=replace(failing, level=40.0), ceiling_rate=110.0)
    levels = (at(10), at(20), beyond)
    told = findings.assess(replace(CLEAN, stages=levels, headline=1))
    assert {one.code.split()[0]: one.level for one in told}["B201"] is Level.INFO
    itself = findings.assess(replace(CLEAN, stages=levels, headline=2))
    assert {one.code.split()[0]: one.level for one in itself}["B201"] is Level.INVALID
    below = findings.assess(
        replace(CLEAN, stages=(at(10, total=replace(failing, level=10.0)), at(20)), headline=1)
    )
    assert {one.code.split()[0]: one.level for one in below}["B201"] is Level.INVALID


def test_the_generators_own_limit_is_a_doubt_at_every_level() -> None:
    levels = (stage(10), stage(40, ceiling_rate=110.0))
    (finding,) = findings.assess(replace(CLEAN, stages=levels, headline=0))
    assert finding.level is Level.INVALID


def test_other_checks_look_at_the_whole_run() -> None:
    whole = replace(CLEAN, stages=(stage(10), stage(20)), load_cpu_percent=95.0)
    (finding,) = findings.assess(whole)
    assert finding.message.startswith("The busiest load process used 95")


def test_failures_in_a_stage_leave_mean_times_alone_there() -> None:
    failed = summary(failures=1, failures_by_kind={"http status": 1}, throughput=1.0)
    assert of_stages(stage(10, total=failed)) == {}


def test_each_population_is_held_to_littles_law() -> None:
    pages = replace(CLEAN, stage="8 users of url")
    echoes = replace(CLEAN, stage="2 users of ws_echo", unit="message", waiting_users=12.5)
    whole = replace(CLEAN, stages=(pages, echoes), headline=None)
    (finding,) = (one for one in findings.assess(whole) if one.code.startswith("B105"))
    assert finding.level is Level.INVALID
    assert finding.message.startswith("At 2 users of ws_echo: 12.5 connections did not pause")
