"""What the rows of a stored run tell of its limits."""

from typing import Any

import pytest

from benchsuite import bottlenecks
from benchsuite.bottlenecks.evidence import Evidence
from benchsuite.comparing.limiting import evidence
from benchsuite.core.results import Finding, Level, Reading
from benchsuite.models import Measurement, Run
from benchsuite.models import Reading as Row
from tests.factories import make_run

pytestmark = pytest.mark.django_db

MACHINE = {"cpu_usable": 4, "cgroup_cpu_max": "200000 100000", "memory_total_bytes": 2**33}
DATABASE = {
    "active": 3,
    "idle": 1,
    "limit": 97,
    "waits for Lock:tuple": 2,
    "waits for Client:ClientRead": 1,
}
TARGET = {
    "busiest_process_percent": 91,
    "run_delay_percent": 40,
    "major_faults": 2,
    "memory_wait_percent": 1,
}


def found(run: Run, stage: Measurement | None = None, **more: Any) -> Evidence:
    seen = evidence(run, stage, **more)
    assert seen is not None
    return seen


def with_counts(run: Run, part: str, counts: dict[str, int]) -> Run:
    """A reading of each second of the run."""
    Row.objects.filter(run=run, part=part).delete()
    Row.objects.bulk_create(
        Row(run=run, part=part, second=float(second), cpu_percent=50.0, counts=counts)
        for second in range(1, 14)
    )
    return Run.objects.get(pk=run.pk)


def test_figures_are_those_of_the_window() -> None:
    run = make_run(rate=600.0, cpu_percent=150.0, environment=MACHINE)
    seen = found(run)
    assert seen.rate == pytest.approx(run.throughput)
    assert seen.response_s == run.mean_s
    assert seen.cpu_percent == {"target": pytest.approx(150.0, rel=0.2)}
    assert (seen.processes, seen.threads, seen.interface) == (2, 4, "wsgi")


def test_a_quota_is_worth_fewer_cpus() -> None:
    assert found(make_run(environment=MACHINE)).cpus == 2.0
    assert found(make_run(environment={**MACHINE, "cgroup_cpu_max": "unlimited"})).cpus == 4.0
    assert found(make_run(environment={**MACHINE, "cgroup_cpu_max": "50000"})).cpus == 0.5


def test_a_load_generator_without_cpus_of_its_own_is_told() -> None:
    assert found(make_run(environment=MACHINE)).load_percent > 0


def test_sessions_at_work_and_what_they_wait_for() -> None:
    seen = found(with_counts(make_run(environment=MACHINE), "database", DATABASE))
    assert (seen.active, seen.active_samples) == (3, 30)
    assert seen.waits == pytest.approx({"Lock:tuple": 2 / 3, "Client:ClientRead": 1 / 3})
    assert (seen.connections, seen.connections_limit) == (4, 97)


def test_counts_of_the_target() -> None:
    seen = found(with_counts(make_run(environment=MACHINE), "target", TARGET))
    assert (seen.busiest_percent, seen.run_delay_percent) == (91, 40)
    assert (seen.major_faults_per_s, seen.memory_pressure_percent) == (2, 1)


def test_a_limit_that_a_finding_saw() -> None:
    limit = Finding(
        code="B204 target-limit",
        level=Level.WEAK,
        message="A limit was reached: 3 × the database had no connection left; SQLite was locked "
        "by another writer.",
    )
    run = make_run(environment=MACHINE, findings=(limit,))
    assert found(run).reached == [
        "3 × the database had no connection left",
        "SQLite was locked by another writer",
    ]
    assert {"L05 connections", "L13 sqlite"} <= {one.code for one in bottlenecks.name(found(run))}


def test_what_rows_do_not_hold_is_given() -> None:
    assert found(make_run(), objective_s=0.2).objective_s == 0.2


def test_runs_of_another_unit_or_format_are_left_alone() -> None:
    run = make_run()
    run.unit = "message"
    assert evidence(run) is None
    other = make_run()
    other.spec = {"format_version": 99, "anything": 1}
    assert found(other).cpu_percent == {}


def test_readings_of_a_result_are_read_alike() -> None:
    """The same functions read results and rows: they must have the same fields."""
    names = {field.name for field in Row._meta.concrete_fields} - {"id", "run"}
    assert names == set(Reading.__dataclass_fields__)


def test_a_stage_is_looked_at_over_its_own_window() -> None:
    run = make_run(environment=MACHINE, warmup_s=1.0, duration_s=4.0)
    run.spec["load"]["stages"] = [50, 100]
    Row.objects.filter(run=run).delete()
    Row.objects.bulk_create(
        Row(run=run, part="target", second=float(second), cpu_percent=50.0 if second < 6 else 150.0)
        for second in range(1, 11)
    )
    total = run.measurements.get(scope="all")
    spec = run.spec
    run = Run.objects.get(pk=run.pk)
    run.spec = spec
    for level, percent in ((50, 50.0), (100, 150.0)):
        total.level = level
        assert found(run, total).cpu_percent == {"target": percent}
