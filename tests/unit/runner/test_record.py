"""What is known of a run whose load broke."""

from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from benchsuite.core.exceptions import LoadError
from benchsuite.core.observations import Cluster, Evidence, Segment
from benchsuite.core.results import Reading, Status
from benchsuite.core.samples import Round, Stall
from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec
from benchsuite.findings.window import is_surely_beyond
from benchsuite.load.job import Tick
from benchsuite.pythons.interpreter import Interpreter
from benchsuite.runner.planning import resolve
from benchsuite.runner.record import RunRecord, _cpus_busy, _of, _unseen, result
from benchsuite.runner.running_system import API
from benchsuite.runner.session import Session, _load
from benchsuite.system import network
from benchsuite.telemetry.sampler import Watched
from tests.unit.findings.clean import found, summary
from tests.unit.load.parent.test_driver import DONE

SPEC = RunSpec(server=ServerSpec(server="uvicorn"))
SINCE_BOOT_S = 86_400.0


class Sampler:
    """Three seconds of a machine that is up for a day."""

    def start(self):
        pass

    def stop(self):
        readings = tuple(
            Reading(second=SINCE_BOOT_S + second, part="target", cpu_percent=50.0)
            for second in range(3)
        )
        return Watched(readings=readings, cpu_percent=0.1, errors=())


@pytest.fixture
def record():
    return RunRecord(resolve(SPEC), started_at=datetime.now(UTC))


@pytest.mark.parametrize(("gil", "busy"), [(True, 100.0), (False, 37.5)])
def test_a_process_without_a_gil_can_use_all_cpus(gil, busy, record, monkeypatch):
    monkeypatch.setattr(Interpreter, "facts", {"gil": gil})
    assert _cpus_busy(record, {"target": 150.0}, frozenset(range(4))) == busy


def test_a_peer_has_no_python(record, monkeypatch):
    monkeypatch.setattr(Interpreter, "facts", {"gil": False})
    monkeypatch.setattr(type(record.plan.server), "serves_project", False)
    assert _cpus_busy(record, {"target": 100.0}, frozenset(range(4))) == 100.0


@pytest.mark.parametrize("unit", ["request", "message"])
def test_messages_beside_a_page_are_not_what_the_prober_asks(record, unit):
    record.summaries, record.unit = (summary(scope="request"), summary(scope="message")), unit
    assert not record.asks_one_page


def test_readings_are_told_from_the_first_one_when_the_load_broke(record):
    with pytest.raises(LoadError), record.watched(cast(Any, Sampler())):
        raise LoadError("The load process died.")
    record.fail(Status.FAILED, "The load process died.")
    found = result(record, {})
    assert [one.second for one in found.readings] == [0.0, 1.0, 2.0]
    assert found.window is None


def test_who_died_in_the_first_second_is_not_told_that_the_load_has_begun(record):
    told: list[float] = []
    died = SimpleNamespace(name="API", argv=(), poll=lambda: -9, log_tail=lambda: "it waits")
    record.serving.add(API, cast(Any, died), None)
    record.serving.services.append(cast(Any, SimpleNamespace(begun=told.append)))
    tick = Tick(elapsed_s=1.0, users=1, requests=0, failures=0, rate=0.0, p95_s=None)
    ignored = dict.fromkeys(("stop", "told", "tick", "last"), lambda *_: None)
    quiet: Any = SimpleNamespace(run=lambda on_tick: on_tick(tick), **ignored)
    _load(quiet, record, quiet, quiet, quiet)
    assert not told
    assert record.failure.startswith("API was ended by SIGKILL (out of memory?) while it was being")
    assert record.failure.endswith("its log ends with:\nit waits")
    assert found(died=record.evidence.died)["B203"].message.startswith("API ended")


def test_readings_are_told_from_the_first_request_also_when_nothing_else_came_of_it(record):
    with record.watched(cast(Any, Sampler())):
        begin = SINCE_BOOT_S + 0.5
        record.done = replace(DONE, origin=begin, window=(begin, begin + 2.0))
    assert [one.second for one in result(record, {}).readings] == [-0.5, 0.5, 1.5]


def test_a_stage_is_judged_by_the_time_that_it_took(record):
    """3/s of 100/s that stay unanswered are chance in 10 s, but not in the minute around them."""
    record.done = replace(DONE, origin=SINCE_BOOT_S, window=(SINCE_BOOT_S, SINCE_BOOT_S + 60.0))
    total = summary(throughput=97.0)
    window = (SINCE_BOOT_S + 10.0, SINCE_BOOT_S + 20.0)
    segment = Segment(total=total, window=window, arrived_per_s=100.0)
    whole = Evidence(window=(0.0, 60.0), total=total, arrived_per_s=100.0)
    stage = _of(segment, whole, record, ())
    assert stage.window == (10.0, 20.0)
    assert (is_surely_beyond(stage), is_surely_beyond(whole)) == (False, True)


@pytest.mark.parametrize("status", list(Status))
def test_only_a_run_that_went_to_its_end_asks_the_target_again(record, status):
    stalled = Stall((Round(0.003, 0.044, 0.002),) * 10)
    record.evidence.cluster = Cluster(at_s=0.04, percent=100.0)
    record.monitor = cast(Any, SimpleNamespace(stall=lambda: stalled))
    if status is not Status.FINISHED:
        record.fail(status, "It was not to be.")
    record.ask_again()
    assert (record.evidence.stall is stalled) == (status is Status.FINISHED)


def test_a_result_holds_no_password_whoever_told_it(record):
    told = "redis://:s3cr3t@host:6379 refused 'PASSWORD': 's3cr3t'"
    record.settings_changed = {"CACHES": told}
    record.serving.log = f"first\n{told}"
    record.fail(Status.FAILED, told)
    found = result(record, {})
    assert "s3cr3t" not in repr(found)
    assert found.log_tail == "first\nredis://host:6379 refused 'PASSWORD': '***'"


def test_what_forwards_may_open_files_for_both_ends(monkeypatch):
    raised: list[int] = []
    monkeypatch.setattr(network, "descriptors_raised", lambda count: raised.append(count) or 1 / 0)
    plan = resolve(RunSpec(server=ServerSpec(server="uwsgi"), load=LoadProfile(users=600)))
    watcher = cast(Any, SimpleNamespace(stage=str))
    with pytest.raises(ZeroDivisionError):
        Session(settings_module="")._measure(plan, cast(Any, None), Path(), ExitStack(), watcher)
    assert raised == [2 * 600 + network.MARGIN]


def test_a_run_without_a_whole_journey_is_not_said_to_have_been_stopped(record):
    record.segments = (Segment(total=summary(), window=(0.0, 10.0)),)
    assert "or no journey ended" in "".join(_unseen(record))
