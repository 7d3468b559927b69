"""What the rows of a stored run tell of its limits."""

from typing import Any

import pytest

from benchsuite.bottlenecks.evidence import Alone
from benchsuite.comparing.limit_evidence import alone, evidence, highest_rate, profiled
from benchsuite.core.plain import plain
from benchsuite.core.samples import Kind
from benchsuite.models import Reading as Row
from benchsuite.models import Run
from benchsuite.stats import stacks
from tests.factories import INVALID, make_run

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


def found(run, stage=None, **more):
    return evidence(run, stage, **more)


def with_counts(run, part, counts):
    """A reading of each second of the run."""
    Row.objects.filter(run=run, part=part).delete()
    Row.objects.bulk_create(
        Row(run=run, part=part, second=float(second), cpu_percent=50.0, counts=counts)
        for second in range(1, 14)
    )
    return Run.objects.get(pk=run.pk)


def test_figures_are_those_of_the_window():
    run = make_run(rate=600.0, cpu_percent=150.0, environment=MACHINE)
    seen = found(run)
    assert seen.rate == pytest.approx(run.throughput)
    assert seen.response_s == run.mean_s
    assert seen.cpu_percent == {"target": pytest.approx(150.0, rel=0.2)}
    assert (seen.processes, seen.threads, seen.interface) == (2, 4, "wsgi")


def test_a_load_generator_without_cpus_of_its_own_is_told():
    assert found(make_run(environment=MACHINE)).load_percent > 0


def test_runs_of_another_unit_or_format_are_left_alone():
    run = make_run()
    run.unit = "message"
    assert evidence(run) is None
    other = make_run()
    other.spec = {"format_version": 99, "anything": 1}
    assert found(other).cpu_percent == {}


def test_a_stage_is_looked_at_over_its_own_window():
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


def test_another_run_of_one_user_tells_what_one_is_served():
    run, one = make_run(users=8), make_run(users=1, rate=90.0, duration_s=20.0, seed=3)
    assert alone(run, [run, one]) == Alone(mean_s=one.mean_s or 0.0, p95_s=one.p95_s)
    unlike: list[dict[str, Any]] = [
        {"users": 2},
        {"users": 1, "threads": 8},
        {"users": 1, "workload": "io_create"},
        {"users": 1, "keep_alive": False},
        {"users": 1, "findings": (INVALID,)},
        {"users": 1, "failed_share": 0.1},
        {"users": 1, "packages": {"django": "6.0"}},
    ]
    assert alone(run, [make_run(**other) for other in unlike]) is None


def test_memory_that_grows_all_the_time_is_seen():
    run = make_run(environment=MACHINE, duration_s=30.0)
    Row.objects.filter(run=run, part="target").delete()
    Row.objects.bulk_create(
        Row(run=run, part="target", second=float(second), memory_bytes=2**28 + second * 2**20)
        for second in range(1, 34)
    )
    seen = found(Run.objects.get(pk=run.pk))
    assert (seen.memory_grows, seen.window_s) == (2**20, 30.0)


def page(requests, request_s, **figures):
    means = {"queries": 4, "query_s": 0.1, "connecting_s": 0.01, "shapes": [], **figures}
    return {"page": f"GET /{requests}/", "requests": requests, "request_s": request_s, **means}


@pytest.mark.parametrize(("samples", "function"), [(100, "view"), (101, "")])
def test_a_function_of_the_project_is_named_that_takes_a_twentieth(samples, function):
    view, helper = "view (shop/views.py:12)", "helper (shop/parts.py:3)"
    met = {(view, "render (django/shortcuts.py:9)"): 5, (view, helper): 4, ("idle (x.py:1)",): 9}
    flame = {"project": [view, helper], "stacks": stacks.packed(met), "samples": samples}
    seen = profiled(Run(diagnosis={"flame": flame}))
    shown = (seen.function, seen.place, seen.share)
    assert shown == ((function, "shop/views.py:12", 0.05) if function else ("", "", 0.0))
    assert profiled(Run(diagnosis={"pages": []})) is None


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
    seen = found(run)
    golden(rounded(plain(seen)), replace={r'"(response_s|p95_s)": [\d.e-]+': r'"\1": "…"'})


def test_the_highest_rate_is_that_of_the_same_work_on_the_same_cpus():
    run, faster = make_run(rate=600.0), make_run(rate=900.0)
    most = highest_rate(run)
    assert highest_rate(run, [faster]) == faster.goodput != most
    for part, value in (("workload", {"workload": "plain"}), ("server", {"cpus": [1]})):
        other = make_run(rate=900.0)
        other.spec[part] |= value
        assert highest_rate(run, [other, run]) == most
    faster.diagnosis = {"pages": []}
    assert highest_rate(run, [faster]) == most
