"""The figures of the originals, from stored seconds and parts of a run."""

import math
from types import SimpleNamespace
from typing import Any

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.core.metrics.metric import Unit
from benchsuite.core.results import Interval, Phase, Reading
from benchsuite.studies.figures import DERIVED, amounts, metric, of_readings, series, values
from benchsuite.studies.study import Figure


class Rows(list[Any]):
    def all(self) -> list[Any]:
        return list(self)


def seconds(counts: list[int], failures: list[int] | None = None, warmup: int = 0) -> Rows:
    return Rows(
        Interval(
            second=at,
            phase=Phase.WARM_UP if at < warmup else Phase.WINDOW,
            successes=count,
            failures=(failures or [0] * len(counts))[at],
            users=10 * (at + 1),
        )
        for at, count in enumerate(counts)
    )


def record(**given: Any) -> Any:
    return SimpleNamespace(
        **{"intervals": Rows(), "measurements": Rows(), "readings": Rows(), "unit": "request"}
        | given
    )


def value(of: str, found: Any, scope: str = "window", **options: Any) -> float | None:
    return values([Figure(name="it", of=of, scope=scope, options=options)], found)["it"]


RAMP = record(intervals=seconds([0, 2, 9, 9, 4, 4, 4, 4], warmup=4))


def test_the_best_window_is_of_whole_seconds_beside_each_other() -> None:
    assert value("best_window", RAMP, length="2s") == 4
    assert value("best_window", RAMP, "load", length="2s") == 9
    assert value("best_window", RAMP, "load", length="4s") == 6.5
    assert value("best_window", RAMP, "load") is None
    gap = record(intervals=Rows(RAMP.intervals[:3] + RAMP.intervals[4:]))
    assert value("best_window", gap, "load", length="4s") == 4


def test_successes_leave_out_the_drain() -> None:
    drained = Rows(
        [*RAMP.intervals, Interval(second=8, phase=Phase.DRAIN, successes=7, failures=3)]
    )
    found = record(intervals=drained)
    assert value("successes", found) == 16
    assert value("successes", found, "load") == 36
    assert value("errors", found, "load") == 3


def test_pieces_of_five_seconds_and_their_decay() -> None:
    falling = record(intervals=seconds([8] * 5 + [4] * 5 + [2] * 5 + [1] * 3))
    assert series(falling, 5) == [40, 20, 10]
    assert value("per_5s", falling) == pytest.approx(70 / 3)
    assert value("decay", falling) == 4
    assert value("decay", record(intervals=seconds([1] * 10))) is None
    assert value("decay", record(intervals=seconds([8] * 5 + [0] * 10))) == math.inf


def measured(scope: str, **given: Any) -> Any:
    return SimpleNamespace(scope=scope, name="", order=0, **given)


def test_the_band_of_a_stage() -> None:
    stages = [
        measured("stage", response_time={"min_s": 0.1 * at, "max_s": 1.0 * at}, throughput=at * 10)
        for at in (1, 2)
    ]
    for order, one in enumerate(stages, start=1):
        one.order = order
    found = record(measurements=Rows([*reversed(stages), measured("all", response_time={})]))
    assert value("band", found, stage=1) == pytest.approx(0.9)
    assert value("band", found, stage=-1, take="max") == 2
    assert value("max_s", found, stage=2) == 2
    assert value("throughput", found, stage=-2) == 10
    assert value("band", found, stage=3) is None
    assert value("throughput", found, stage=-3) is None
    assert value("band", found) is None


def test_rates_and_errors_of_websockets() -> None:
    found = record(
        unit="message",
        measurements=Rows(
            [
                measured("handshake", goodput=2.0, failures=3),
                measured("message", goodput=50.0, failures=1),
                measured("all", goodput=50.0, failures=1),
            ]
        ),
    )
    assert (value("handshakes_s", found), value("messages_s", found)) == (2, 50)
    assert value("errors", found) == 4
    assert value("handshakes_s", record()) is None


def test_users_when_answers_begin_to_fail() -> None:
    failing = record(intervals=seconds([10] * 10, [0] * 7 + [9] * 3))
    assert value("users_at_failures", failing, share=0.1) == 80
    assert value("users_at_failures", failing, share=0.9) == math.inf
    assert value("users_at_failures", record()) is None


def test_parts_are_taken_together_but_those_that_measure() -> None:
    rows = Rows(
        Reading(
            second=at + shift,
            part=part,
            cpu_percent=cpu,
            processes=2,
            memory_bytes=memory if at != 2 else None,
        )
        for at in (1, 2, 3)
        for part, cpu, memory, shift in (
            ("target", 50.0 + at, 100 * at, 0.0),
            ("front", 10.0, 10, 0.01),
            ("load", 99.0, 1000, 0.02),
        )
    )
    found = record(readings=rows, intervals=seconds([1, 1, 1], warmup=1))
    assert value("all_cpu_percent", found) == pytest.approx((62 + 63) / 2)
    assert value("all_cpu_percent", found, "load") == pytest.approx(62)
    assert value("all_memory_bytes", found) == 310
    assert value("all_processes", found) == 4
    assert value("all_processes", record(readings=rows)) is None


def test_what_is_not_known_is_none_and_never_0() -> None:
    empty = record()
    for name in DERIVED:
        if name != "completions_per_5min":
            assert value(name, empty, DERIVED[name].scopes[-1]) is None, name


def test_metrics_by_their_own_names() -> None:
    found = record(goodput=12.5, completions=None, workload="plain")
    assert value("goodput", found) == 12.5
    assert metric(Figure(name="plateau", of="goodput", title="answers a second")).heading == (
        "answers a second"
    )
    assert metric(Figure(name="memory", of="all_memory_bytes")).unit is Unit.BYTES
    assert value("completions_per_5min", found) is None


@pytest.mark.parametrize(
    ("figure", "says"),
    [
        (Figure(name="x", of="godput"), "there is no figure 'godput'; did you mean goodput?"),
        (Figure(name="x", of="p95_s", scope="load"), "scope: p95_s is of the window, not 'load'"),
        (Figure(name="x", of="successes", options={"length": "2s"}), "successes takes no option"),
        (Figure(name="x", of="band", options={"take": "p50"}), "take: 'p50' is not min, max or"),
        (Figure(name="x", of="band", options={"stage": 0}), "stage: 0 is not the place of a stage"),
        (
            Figure(name="x", of="best_window", options={"length": "0s"}),
            "length: '0s' is not a time",
        ),
        (Figure(name="x", of="users_at_failures", options={"share": 5}), "share: 5 is not a share"),
        (Figure(name="x", of="goodput", options={"share": 1}), "goodput takes only stage"),
    ],
)
def test_wrong_figures_are_refused_in_a_sentence(figure: Figure, says: str) -> None:
    with pytest.raises(UsageError, match=r"\.$") as caught:
        metric(figure)
    assert says in str(caught.value)


def test_times_of_the_few_who_are_served_are_not_those_of_all() -> None:
    few = record(p95_s=0.2, goodput=40.0)
    asked = [Figure(name="late", of="p95_s"), Figure(name="rate", of="goodput")]
    assert values(asked, few) == {"late": 0.2, "rate": 40.0}
    assert values(asked, few, starves=True) == {"late": math.inf, "rate": 40.0}


def test_a_figure_of_one_kind_of_users() -> None:
    kinds = [measured("population", response_time={"max_s": 0.5 * at}, goodput=1) for at in (1, 2)]
    for order, one in enumerate(kinds, start=1):
        one.order = order
    found = record(measurements=Rows([*reversed(kinds), measured("all", response_time={})]))
    assert (value("max_s", found, kind=2), value("max_s", found, kind=-2)) == (1.0, 0.5)
    assert value("max_s", found, kind=3) is None
    with pytest.raises(UsageError, match="max_s takes one of stage and kind, and has several"):
        value("max_s", found, kind=1, stage=1)
    with pytest.raises(UsageError, match="kind: 0 is not the place of a kind of users"):
        value("max_s", found, kind=0)


def test_threads_for_each_user_when_there_are_most() -> None:
    readings = Rows(
        Reading(second=1.0 + at, part=part, threads=threads)
        for part, counts in (("target", [4, 30, 25]), ("load", [99, 99, 99]))
        for at, threads in enumerate(counts)
    )
    found = record(intervals=seconds([1] * 6), readings=readings)
    assert value("threads_per_user", found, "load") == 30 / 60
    assert value("threads_per_user", record(readings=readings), "load") is None
    assert value("threads_per_user", record(intervals=seconds([1])), "load") is None
    assert of_readings([Figure(name="it", of="threads_per_user")])
    assert not of_readings([Figure(name="it", of="goodput")])


def test_what_failures_are_counted_of() -> None:
    figures = [
        Figure(name=name, of=of)
        for name, of in (("all", "errors"), ("share", "failed_share"), ("rps", "goodput"))
    ]
    found = record(measurements=Rows([measured("all", requests=1200, failures=0)]))
    assert amounts(figures, found) == {"all": 1.0, "share": 1200.0}
    assert amounts(figures, record()) == {"all": 1.0}
