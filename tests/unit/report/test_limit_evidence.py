"""What the rows of a stored run tell of its limits."""

import pytest

from benchsuite.core.plain import plain
from benchsuite.core.samples import Kind
from benchsuite.models import Reading as Row
from benchsuite.models import Run, Software
from benchsuite.report.limiting import evidence as found
from tests.factories import make_run

pytestmark = pytest.mark.django_db

MACHINE = {"cpu_usable": 4, "cgroup_cpu_max": "200000 100000", "memory_total_bytes": 2**33}
DATABASE = {"active": 3, "idle": 1, "limit": 97}
DATABASE |= {"waits for Lock:tuple": 2, "waits for Client:ClientRead": 1}
TIMES = {r'"(response_s|p95_s)": [\d.e-]+': r'"\1": "…"'}
TARGET = {"busiest_process_percent": 91, "run_delay_percent": 40}
TARGET |= {"major_faults": 2, "memory_wait_percent": 1}


def with_readings(run, readings, part="target"):
    """The run with these readings of a part, one each second."""
    Row.objects.filter(run=run, part=part).delete()
    rows = enumerate(readings, 1)
    Row.objects.bulk_create(Row(run=run, part=part, second=at, **columns) for at, columns in rows)
    return Run.objects.get(pk=run.pk)


def with_counts(run, part, counts):
    return with_readings(run, [{"cpu_percent": 50.0, "counts": counts}] * 13, part)


def test_a_stage_is_looked_at_over_its_own_window():
    run = make_run(environment=MACHINE, warmup_s=1.0, duration_s=4.0)
    load = run.spec["load"]
    run = with_readings(
        run, [{"cpu_percent": 50.0 + 100 * (second > 5)} for second in range(1, 11)]
    )
    run.spec["load"] = {**load, "stages": [50, 100]}
    for level, percent in ((50, 50.0), (100, 150.0)):
        run.level = level
        assert found(run).cpu_percent == {"target": percent}


def staged(levels, **load):
    """A run with stages of so many users or arrivals each, whose figures are those of the last."""
    run = make_run(environment=MACHINE)
    (total,) = run.measurements.filter(scope="all")
    for order, (level, fields) in enumerate(levels.items(), 1):
        total.pk, total.scope, total.level, total.order = None, "stage", level, order
        total.response_time = {**total.response_time, **fields.pop("times")}
        for name, value in fields.items():
            setattr(total, name, value)
        total.save()
    Run.objects.filter(pk=run.pk).update(level=max(levels), **load)
    return Run.objects.get(pk=run.pk)


def one(**fields):
    return {"times": {"mean_s": 0.01, "p95_s": 0.02}, **fields}


def page(requests, request_s, **figures):
    means = {"queries": 4, "query_s": 0.1, "connecting_s": 0.01, "shapes": [], **figures}
    return {"page": f"GET /{requests}/", "requests": requests, "request_s": request_s, **means}


def test_values(golden):
    golden.values()


def rounded(value):
    if isinstance(value, dict):
        return {name: rounded(part) for name, part in sorted(value.items())}
    return float(f"{value:.7g}") if isinstance(value, float) else value


def test_all_that_rows_tell(golden):
    run = make_run(environment=MACHINE)
    (total,) = run.measurements.filter(scope="all")
    in_vain, refused = Kind.READ_TIMEOUT.words, Kind.CONNECT_REFUSED.words
    total.failures, total.failures_by_kind = 90, {in_vain: 60, refused: 30}
    total.wait_time, total.offered_rate, total.dropped = {"mean_s": 0.004}, 700.0, 5
    total.queued = 1.5
    total.save()
    with_counts(run, "database", DATABASE)
    run = with_counts(run, "target", {**TARGET, "idle_percent": 30})
    run.spec["server"] |= {"cpus": [0, 2], "instances": 3}
    run.spec["load"] |= {"cpus": [1]}
    run.spec["database"] |= {"pool": 4}
    run.server_facts |= {"at_once": 24, "connections": 30, "threads_word": "threads"}
    golden(rounded(plain(found(run))), replace=TIMES)


def test_what_another_kind_of_run_tells(golden):
    """Of so many journeys, of a Python without a GIL, of a server that makes connections anew."""
    run = make_run(environment={"memory_total_bytes": 2**33, "cgroup_memory_max": "1073741824"})
    run.software = Software(fingerprint="f", data={"python": {"gil": False}, "packages": {}})
    run.server_facts |= {"reuses_connections": False, "interface": "wsgi", "connections": 7}
    run.spec["load"] |= {"iterations": 5, "warmup_s": 0.0, "cpus": [0]}
    run.spec["server"] |= {"cpus": [0, 1]}
    golden(rounded(plain(found(run))), replace=TIMES | {r'"(load_percent)": [\d.]+': r'"\1": "…"'})


def test_of_two_stages_of_one_level_the_one_that_has_the_figures_of_the_run_is_looked_at():
    run = make_run(environment=MACHINE, warmup_s=1.0, duration_s=4.0)
    (total,) = run.measurements.filter(scope="all")
    total.scope, total.level = "stage", 50
    for order, goodput in enumerate((total.goodput / 2, total.goodput), 1):
        total.pk, total.order, total.goodput = None, order, goodput
        total.save()
    percents = (50.0 + 100 * (second > 5) for second in range(1, 11))
    run = with_readings(run, [{"cpu_percent": percent} for percent in percents])
    run.spec["load"] = {**run.spec["load"], "stages": [50, 50]}
    run.level = 50
    assert found(run).cpu_percent == {"target": 150.0}
