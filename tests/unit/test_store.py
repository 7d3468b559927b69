"""What a run found out is stored whole, or not at all."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from django.db import DatabaseError

from benchsuite import bottlenecks, models, store
from benchsuite.comparing.limit_evidence import evidence
from benchsuite.core.results import (
    Ceiling,
    Common,
    Finding,
    Level,
    Pattern,
    Reading,
    RunResult,
    Status,
    Verdict,
)
from benchsuite.core.specs import DatabaseSpec, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.stats import histogram, summary
from benchsuite.system import lock
from tests.factories import begin

pytestmark = pytest.mark.django_db

SPEC = RunSpec(server=ServerSpec(server="uvicorn"))
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def result(**changes: Any) -> RunResult:
    """A run of 400 requests over 4 s from one user, 10 ms each, the first second warm-up."""
    samples = np.zeros(500, dtype=summary.DTYPE)
    samples["start"] = samples["intended_start"] = 1000 + np.arange(500) / 100
    samples["finish"] = samples["start"] + 0.01
    window = (1001.0, 1005.0)
    total = summary.summarise(samples, name="all requests", scope="all", window=window)
    made = RunResult(
        spec=SPEC,
        status=Status.FINISHED,
        started_at=NOW,
        argv=("uvicorn", "--port", "1"),
        server_version="1.2",
        python_version="3.13.0",
        processes=2,
        threads=1,
        startup_s=0.5,
        window=(1.0, 5.0),
        total=total,
        summaries=(replace(total, name="GET /", scope="request"),),
        intervals=tuple(summary.intervals(samples, origin=1000.0, window=window)),
        readings=(
            Reading(second=0.5, part="target", cpu_percent=10.0, memory_bytes=9_000),
            Reading(second=2.0, part="target", cpu_percent=50.0, memory_bytes=7_000),
            Reading(second=3.0, part="target", cpu_percent=70.0, memory_bytes=None),
            Reading(second=3.0, part="load", cpu_percent=99.0, memory_bytes=99_000),
        ),
        findings=(Finding(code="B101 generator-cpu", level=Level.WEAK, message="m", hint="h"),),
        verdict=Verdict.WEAK,
        environment={"hostname": "here"},
        settings_changed={"DEBUG": "off"},
        log_tail="started",
    )
    return replace(made, **changes)


def begun() -> models.Run:
    return begin(SPEC, batch=uuid4(), started_at=NOW)


def test_a_run_that_begins_is_running_and_has_no_figures():
    run = begun()
    assert (run.status, run.goodput, run.verdict) == ("running", None, "")
    assert run.owner == lock.owner_name()
    assert RunSpec.from_json(run.spec) == SPEC


def test_everything_found_out_is_stored():
    run = begun()
    store.finish(run, result())
    run.refresh_from_db()
    assert (run.status, run.verdict, run.owner) == ("finished", "weak", "")
    assert (run.requests, run.failures, run.throughput, run.goodput) == (400, 0, 100.0, 100.0)
    assert (run.processes, run.threads, run.server_version) == (2, 1, "1.2")
    assert run.p50_s == pytest.approx(0.01, rel=0.001)
    assert run.p95_s == pytest.approx(0.01, rel=0.001)
    assert [one.scope for one in run.measurements.all()] == ["all", "request"]
    assert [one.phase for one in run.intervals.all()][:2] == ["warm-up", "window"]
    assert sum(one.successes for one in run.intervals.all()) == 500
    assert [one.code for one in run.findings.all()] == ["B101 generator-cpu"]
    assert run.readings.count() == 4
    assert run.environment is not None
    assert run.environment.data == {"hostname": "here"}


def test_cpu_is_the_mean_inside_the_window_and_memory_the_peak_of_the_target():
    run = begun()
    store.finish(run, result())
    assert (run.cpu_percent, run.memory_bytes) == (60.0, 9_000)


def test_a_stored_histogram_gives_the_percentiles_back():
    run = begun()
    store.finish(run, result())
    measurement = run.measurements.get(scope="all")
    decoded = histogram.decode(measurement.response_histogram)
    assert histogram.size(decoded) == 400
    stored = measurement.response_time["p95_s"]
    assert histogram.values_at(decoded, (95,))[95] == pytest.approx(stored, rel=0.001)


def test_p99_is_missing_where_the_sample_is_too_small():
    run = begun()
    few = result()
    assert few.total is not None
    times = summary.distribution(np.full(100, 0.01))
    store.finish(run, replace(few, total=replace(few.total, response_time=times)))
    assert run.p95_s is not None
    assert run.p99_s is None
    assert "p99_s" not in run.measurements.get(scope="all").response_time


def test_a_failed_run_has_a_reason_and_no_zeros():
    run = begun()
    store.finish(
        run,
        result(
            status=Status.FAILED,
            failure="it ended with status 3",
            total=None,
            summaries=(),
            intervals=(),
            readings=(),
            findings=(),
            verdict=None,
            window=None,
            startup_s=None,
        ),
    )
    run.refresh_from_db()
    assert (run.status, run.failure, run.verdict) == ("failed", "it ended with status 3", "")
    figures = (run.requests, run.failures, run.goodput, run.p50_s, run.cpu_percent, run.startup_s)
    assert figures == (None,) * 6


def test_two_runs_on_one_machine_share_its_environment():
    for _ in range(2):
        store.finish(begun(), result())
    assert models.Environment.objects.count() == 1


def test_runs_of_the_same_software_share_it():
    for version in ("5.2.8", "5.2.9", "5.2.9"):
        served = {"python": {"version": "3.13.0"}, "packages": {"django": version}}
        store.finish(begun(), result(**served))
    assert models.Software.objects.count() == 2
    found = sorted(run.packages["django"] for run in models.Run.objects.all())
    assert found == ["5.2.8", "5.2.9", "5.2.9"]


def test_a_fault_while_storing_leaves_nothing_half_written(monkeypatch):
    run = begun()

    def full(*_: object, **__: object) -> None:
        raise DatabaseError("database or disk is full")

    monkeypatch.setattr(models.Finding.objects, "bulk_create", full)
    with pytest.raises(DatabaseError):
        store.finish(run, result())
    run.refresh_from_db()
    assert (run.status, run.measurements.count(), run.intervals.count()) == ("running", 0, 0)


def test_a_password_is_not_stored():
    use = "postgres://ann:secret@127.0.0.1:5432/shop"
    spec = replace(SPEC, database=DatabaseSpec(use=use))
    run = begin(spec, batch=uuid4(), started_at=NOW)
    run.refresh_from_db()
    assert run.spec["database"]["use"] == "postgres://ann@127.0.0.1:5432/shop"


def test_ceilings_are_kept_with_their_environment_and_replaced():
    here, there = {"hostname": "here"}, {"hostname": "there"}
    first = Ceiling(users=1, keep_alive=True, throughput=10.0, load_cpu_percent=50.0)
    store.keep_ceilings(here, [first, replace(first, users=10)])
    store.keep_ceilings(there, [replace(first, throughput=99.0)])
    assert store.ceilings(here) == (first, replace(first, users=10))
    store.keep_ceilings(here, [replace(first, throughput=20.0)])
    assert store.ceilings(here) == (replace(first, throughput=20.0),)
    assert store.ceilings({"hostname": "nowhere"}) == ()


def test_ceilings_of_other_numbers_of_load_processes_stay():
    here = {"hostname": "here"}
    one = Ceiling(users=10, keep_alive=True, throughput=10.0)
    arriving, two = replace(one, model="open"), replace(one, processes=2)
    store.keep_ceilings(here, [one, arriving])
    store.keep_ceilings(here, [two])
    assert store.ceilings(here) == (one, two, arriving)


def test_journeys_with_names_of_their_own_are_completions():
    spec = replace(SPEC, workload=WorkloadSpec(workload="survey"))
    run = begin(spec, batch=uuid4(), started_at=NOW)
    made = replace(result(), spec=spec)
    assert made.total is not None
    coffee = replace(made.total, name="survey coffee", scope="journey", requests=30, failures=2)
    store.finish(run, replace(made, summaries=(coffee, replace(coffee, name="survey census"))))
    assert (run.completions, run.failed_completions) == (56, 4)


def test_other_workloads_complete_nothing():
    run = begun()
    store.finish(run, result())
    assert (run.completions, run.failed_completions) == (None, None)


def test_what_slow_answers_have_in_common_is_stored_and_read():
    pattern = Pattern(
        common=Common.PROCESS, share=0.2, percent=99, at_s=0.2, without_s=0.1, slow=1, groups=4
    )
    made = result()
    assert made.total is not None
    run = begun()
    store.finish(run, replace(made, total=replace(made.total, patterns=(pattern,))))
    seen = evidence(models.Run.objects.get(pk=run.pk))
    assert seen is not None
    assert list(seen.patterns) == [pattern]
    (limit,) = (one for one in bottlenecks.name(seen) if one.code == "L16 slow-for-some")
    assert "p99 would be 100\u2009ms instead of 200\u2009ms" in limit.evidence
