"""What a run found out is stored whole, or not at all."""

from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

import numpy as np
import pytest
from django.db import DatabaseError, router, transaction

from benchsuite import bottlenecks, models, store
from benchsuite.core.results import (
    Common,
    Finding,
    Level,
    Pattern,
    Reading,
    RunResult,
    Status,
    Verdict,
)
from benchsuite.core.specs import RunSpec, ServerSpec
from benchsuite.report.limiting import evidence
from benchsuite.stats import histogram, summary
from tests.factories import begin, finish

pytestmark = pytest.mark.django_db

SPEC = RunSpec(server=ServerSpec(server="uvicorn"))
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def result(**changes):
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


def begun():
    return begin(SPEC, batch=uuid4(), started_at=NOW)


def stored(spec=SPEC, **changes):
    run = begin(spec, batch=uuid4(), started_at=NOW)
    finish(run, result(spec=spec, **changes))
    return models.Run.objects.get(pk=run.pk)


def columns(run):
    """Those that are not empty, but for times and what stands in other columns, too."""
    values = {field.attname: getattr(run, field.attname) for field in run._meta.concrete_fields}
    away = ("id", "batch", "spec", "key", "started_at", "ended_at", "environment_id", "software_id")
    return {name: one for name, one in values.items() if name not in away and one not in ("", None)}


def test_values(golden):
    golden.values()


def test_a_stored_histogram_gives_the_percentiles_back():
    run = begun()
    finish(run, result())
    measurement = run.measurements.get(scope="all")
    decoded = histogram.decode(measurement.response_histogram)
    assert histogram.size(decoded) == 400
    stored = measurement.response_time["p95_s"]
    assert histogram.values_at(decoded, (95,))[95] == pytest.approx(stored, rel=0.001)


def test_a_fault_while_storing_leaves_nothing_half_written(monkeypatch):
    run = begun()

    def full(*_, **__):
        raise DatabaseError("database or disk is full")

    monkeypatch.setattr(models.Finding.objects, "bulk_create", full)
    with pytest.raises(DatabaseError):
        finish(run, result())
    run.refresh_from_db()
    assert (run.status, run.measurements.count(), run.intervals.count()) == ("running", 0, 0)


def test_it_is_rolled_back_where_routers_put_the_runs(monkeypatch):
    class Router:
        @staticmethod
        def db_for_write(model, **hints):
            return "results"

    asked = []
    with monkeypatch.context() as patch:
        patch.setattr(router, "routers", [Router])
        patch.setattr(models.Run.objects, "create", lambda **_: None)
        patch.setattr(transaction, "set_rollback", lambda _, using: asked.append(using))
        patch.setattr(transaction, "atomic", lambda using: nullcontext(asked.append(using)))
        store.check()
        with store.atomic():
            assert asked == ["results"] * 3


def test_what_slow_answers_have_in_common_is_stored_and_read():
    pattern = Pattern(
        common=Common.PROCESS, share=0.2, percent=99, at_s=0.2, without_s=0.1, slow=1, groups=4
    )
    made = result()
    run = begun()
    finish(run, replace(made, total=replace(made.total, patterns=(pattern,))))
    seen = evidence(models.Run.objects.get(pk=run.pk))
    assert list(seen.patterns) == [pattern]
    (limit,) = (one for one in bottlenecks.name(seen) if one.code == "L16 slow-for-some")
    assert "p99 would be 100\u2009ms instead of 200\u2009ms" in limit.evidence
