"""B201 to B206: the run that trips each, and the one just below that doesn't."""

from dataclasses import replace

import numpy as np

from benchsuite.core.observations import Cluster, FrontShares, Turnover
from benchsuite.core.results import Distribution, Level
from benchsuite.core.samples import Round, Stall
from benchsuite.stats import histogram
from tests.unit.findings.clean import CLEAN, found, intervals, summary, words

CLUSTER = Cluster(at_s=0.04, percent=90.0)
STALLS = Stall((Round(0.003, 0.044, 0.002),) * 10)
HONEST = Stall((Round(0.043, 0.044, 0.043),) * 4)


IDLE = FrontShares(
    name="nginx",
    front_percent=20.0,
    front_cpus=1,
    target_percent=60.0,
    target_cpus=1,
    answering_percent=80.0,
    cpus=4,
)


def told(**changes):
    return found(front=replace(IDLE, **changes)).get("B211")


PAUSING = Distribution(count=20, mean_s=2.5, min_s=2.5, max_s=2.5, percentiles={50: 2.5})


def crowd(counts, users):
    return [replace(second, users=users) for second in intervals(counts)]


def test_values(golden):
    golden.values(words)


def test_one_answer_that_was_awaited_through_a_silence_shows_that_it_ended():
    seconds = intervals([100] * 4 + [0] * 3 + [100] * 3)
    assert "B201" in found(intervals=seconds)
    times = histogram.encode(histogram.of(np.array([0.1] * 99 + [3.1])))
    waited = [replace(one, histogram=times) if one.second == 7 else one for one in seconds]
    assert "B201" not in found(intervals=waited)


def test_a_trend_is_told_beside_a_silence():
    falling = [100 - second // 2 for second in range(97)]
    seen = found(intervals=intervals([*falling, 0, 0, 0]), window=(0.0, 100.0))
    assert [seen[code].level for code in ("B201", "B301")] == [Level.WEAK, Level.INVALID]


def test_what_a_front_answers_for_a_lost_process_is_lost_with_stages_too():
    total = summary(failures=10, failures_by_kind={"http status": 10})
    stage = replace(CLEAN, stage="10 users", front=IDLE, total=total)
    seen = found(turnover=Turnover(replaced=10), total=total, stages=[stage], headline=0)
    assert seen["B203"].level is Level.INVALID


def test_ports_that_handshakes_did_not_get_are_a_limit():
    failures = {"other": "no connection: Cannot assign requested address"}
    handshakes = summary(scope="handshake", failures=9, failure_examples=failures)
    seen = found(unit="message", total=summary(requests=0), handshakes=[handshakes])
    assert "no port left" in seen["B204"].message
