"""B301, B302 and B305: the run that trips each, and the one just below that doesn't."""

import random
from dataclasses import replace

import numpy as np

from benchsuite.core.observations import Probes
from benchsuite.core.results import Level
from benchsuite.findings.window import is_surely_beyond
from benchsuite.stats import histogram
from tests.unit.findings.clean import CLEAN, found, intervals, planned, summary, words


def overloaded(throughput, busy):
    """Evidence of an open run in which the median grows all the time."""
    medians: list[float | None] = [0.1 + 0.01 * second for second in range(10)]
    return {
        "intervals": intervals([100] * 10, medians),
        "arrived_per_s": 100.0,
        "under_way": 10.0,
        "total": summary(throughput=throughput),
        "waiting_users": None,
        "busy_percent": busy,
    }


def two_ways(second, slower_s):
    """Half of a second's answers take 0.1 s, the others longer."""
    times = histogram.encode(histogram.of(np.array([0.1] * 50 + [slower_s] * 50)))
    return replace(intervals([100])[0], second=second, histogram=times)


def stage(users, **changes):
    return replace(CLEAN, stage=f"{users} users", **changes)


def of_stages(*stages):
    """As of a run whose figures as a whole would trip everything, were they looked at."""
    return found(
        stages=stages,
        ceiling_rate=1.0,
        arrivals=planned(100.0, 1.0),
        waiting_users=1000.0,
        probes=Probes(sent=1, answered=0, lateness_s=0.0, load=summary()),
        answers_by_user=(1000, 0, 0, 0),
    )


def test_what_the_target_does_beyond_the_level_told_is_no_doubt():
    failing = summary(requests=1000, failures=400, failures_by_kind={"status": 400})

    def at(users, **changes):
        return stage(users, **{"total": replace(CLEAN.total or failing, level=users), **changes})

    beyond = at(40, total=replace(failing, level=40.0), ceiling_rate=110.0)
    levels = (at(10), at(20), beyond)
    assert found(stages=levels, headline=1)["B201"].level is Level.INFO
    assert found(stages=levels, headline=2)["B201"].level is Level.INVALID, "its own level"
    below = (at(10, total=replace(failing, level=10.0)), at(20))
    assert found(stages=below, headline=1)["B201"].level is Level.INVALID


def test_noise_alone_is_seldom_a_finding():
    """At most one of fifty, at ten seconds and 8 % of noise in each."""
    draw = random.Random(7)
    flagged = sum(
        "B301" in found(intervals=intervals([round(draw.gauss(1000, 80)) for _ in range(10)]))
        for _ in range(500)
    )
    assert flagged <= 10


def test_values(golden):
    golden.values(words)


def test_twice_the_spread_of_arrivals_may_stay_unanswered_by_chance():
    """Of 1 000 that is 63, of 100 it is 20; of very many 2 %."""

    def beyond(per_s, answered, end=15.0):
        total = summary(throughput=answered)
        window = (5.0, end)
        return is_surely_beyond(replace(CLEAN, arrived_per_s=per_s, window=window, total=total))

    assert [beyond(100.0, answered) for answered in (94.0, 93.0)] == [False, True]
    assert [beyond(10.0, answered) for answered in (8.1, 7.9)] == [False, True]
    assert [beyond(100.0, answered, 10_005.0) for answered in (98.1, 97.9)] == [False, True]
    for missing in ("arrived_per_s", "total", "window"):
        assert not is_surely_beyond(replace(CLEAN, **{missing: None}))


def test_one_request_more_under_way_at_the_end_is_not_beyond_capacity():
    few = summary(requests=40, throughput=3.9)
    assert "B304" not in found(arrived_per_s=4.0, under_way=0.4, waiting_users=None, total=few)
