"""The order of runs, the estimate, and what a spec is resolved to."""

from datetime import UTC, datetime
from typing import Any

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.core.results import Distribution, RunResult, Status, Summary
from benchsuite.core.specs import DatabaseSpec, LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.runner import planning
from benchsuite.runner.plan import Plan
from benchsuite.runner.planning import (
    DATA_S,
    ROWS_PER_S,
    START_S,
    Estimate,
    resolve,
)


def spec(server: str = "uvicorn", **changes: object) -> RunSpec:
    return RunSpec(server=ServerSpec(server=server), **changes)  # type: ignore[arg-type]


def test_every_block_holds_every_server_once() -> None:
    names = ["uvicorn", "daphne", "hypercorn", "waitress"]
    runs = planning.blocks([spec(name) for name in names], repeat=6, seed=1)
    blocks = [runs[start : start + 4] for start in range(0, 24, 4)]
    assert all(sorted(run.server.server for run in block) == sorted(names) for block in blocks)
    assert [{run.repetition for run in block} for block in blocks] == [{n} for n in range(1, 7)]
    assert len({tuple(run.server.server for run in block) for block in blocks}) > 1


def test_the_order_follows_the_seed() -> None:
    specs = [spec(name) for name in ("uvicorn", "daphne", "hypercorn")]
    assert planning.blocks(specs, 5, seed=7) == planning.blocks(specs, 5, seed=7)
    assert planning.blocks(specs, 5, seed=7) != planning.blocks(specs, 5, seed=8)


def test_each_start_has_a_seed_of_its_own() -> None:
    runs = planning.blocks([spec()], repeat=10, seed=0)
    assert len({run.seed for run in runs}) == 10
    assert len({run.key for run in runs}) == 1


@pytest.mark.parametrize("repeat", [0, -1, 1001])
def test_repeats_are_bounded(repeat: int) -> None:
    with pytest.raises(UsageError, match="--repeat must be between 1 and 1000"):
        planning.blocks([spec()], repeat=repeat, seed=0)


def test_unknown_names_are_refused_with_the_valid_ones() -> None:
    with pytest.raises(
        UsageError, match=r"no server 'apache'; did you mean apache-prefork, .* listbench lists all"
    ):
        resolve(spec("apache"))
    with pytest.raises(UsageError, match=r"no workload 'slumber'; there are \d+, such as plain, "):
        resolve(spec(workload=WorkloadSpec(workload="slumber")))


LOAD = LoadProfile(users=10, spawn_rate=5, warmup_s=3, duration_s=10, drain_s=20)
LOAD_S = 2 + 3 + 10


def plan(server: str = "uvicorn", workload: str = "plain", **changes: Any) -> Plan:
    load = changes.pop("load", LOAD)
    return resolve(
        RunSpec(
            server=ServerSpec(server=server),
            workload=WorkloadSpec(workload=workload),
            load=load,
            **changes,
        )
    )


def summary(goodput: float) -> Summary:
    return Summary(
        name="",
        scope="all",
        requests=100,
        failures=0,
        throughput=goodput,
        goodput=goodput,
        response_time=Distribution(count=0),
        service_time=Distribution(count=0),
    )


def ended(one: Plan, goodput: float) -> RunResult:
    return RunResult(
        spec=one.spec,
        status=Status.FINISHED,
        started_at=datetime.now(UTC),
        total=summary(goodput),
    )


def test_before_the_first_run_it_is_load_start_and_data_made_once() -> None:
    estimate = Estimate()
    assert estimate.each_s([plan(), plan("daphne")]) == [
        LOAD_S + START_S + DATA_S,
        LOAD_S + START_S,
    ]
    rows = DatabaseSpec(rows=2 * ROWS_PER_S)
    first, second = estimate.each_s(
        [plan(workload=name, database=rows) for name in ("io_read", "io_read_async")]
    )
    assert first == second + DATA_S + 2
    assert estimate.run_s(plan("peer-ws", "ws_echo")) == LOAD_S + START_S


def test_past_runs_of_a_server_tell_what_it_takes_beside_its_load() -> None:
    estimate = Estimate({"uvicorn": 5.0, "daphne": 1.0})
    assert estimate.run_s(plan()) == LOAD_S + 5
    assert estimate.run_s(plan("waitress")) == LOAD_S + 3, "as the others do"


def test_a_cell_that_has_run_takes_as_long_again() -> None:
    estimate, one = Estimate(), plan()
    for took_s in (40 + DATA_S, 44, 60):
        estimate.learn(one, took_s, ended(one, 100))
    assert estimate.run_s(one) == pytest.approx(44)


def test_others_learn_drain_and_overhead_from_it() -> None:
    estimate, one = Estimate(), plan()
    estimate.learn(one, LOAD_S + 5 + 2 + DATA_S, ended(one, 2))  # 10 users ÷ 2/s: a drain of 5 s
    assert estimate.run_s(plan("daphne")) == pytest.approx(LOAD_S + 5 + 2)
    many = LoadProfile(users=1000, warmup_s=3, duration_s=10, drain_s=20)
    assert estimate.run_s(plan(load=many)) == pytest.approx(13 + 20 + 2), "no longer than --drain"
    assert estimate.each_s([plan("daphne")]) == [estimate.run_s(plan("daphne"))], "data is there"


def test_a_run_without_figures_teaches_others_nothing() -> None:
    estimate, one = Estimate(), plan()
    failed = RunResult(spec=one.spec, status=Status.FAILED, started_at=datetime.now(UTC))
    estimate.learn(one, 0.5 + DATA_S, failed)
    assert estimate.run_s(one) == pytest.approx(0.5)
    assert estimate.run_s(plan("daphne")) == LOAD_S + START_S


def test_users_who_get_no_answer_are_awaited_to_the_end() -> None:
    estimate, one = Estimate(), plan()
    estimate.learn(one, LOAD_S + 20 + 2 + DATA_S, ended(one, 0.0))
    assert estimate.run_s(plan("daphne")) == pytest.approx(LOAD_S + 20 + 2)


def test_a_cell_that_ran_in_the_past_takes_as_long_again_until_it_runs() -> None:
    one = plan()
    estimate = Estimate({"uvicorn": 5.0}, {one.spec.key: 31.0})
    assert estimate.run_s(one) == 31
    estimate.learn(one, 40 + DATA_S, ended(one, 100))
    assert estimate.run_s(one) == pytest.approx(40)
