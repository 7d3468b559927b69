"""Runs that look like measured ones: figures are made by `benchsuite.stats` from drawn samples."""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from typing import Any
from uuid import UUID, uuid4

import numpy as np

from benchsuite import conf, store
from benchsuite import findings as validity
from benchsuite.core.results import Finding, Level, Program, Reading, RunResult, Status
from benchsuite.core.samples import Kind
from benchsuite.core.specs import DatabaseSpec, LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.models import Run
from benchsuite.runner.planning import server_facts
from benchsuite.stats import summary

BEGUN = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
MIB = 2**20

MACHINE = {
    "hostname": "bench-1",
    "cpu_model": "Example CPU 3.2 GHz",
    "cpu_count": 4,
    "memory_gib": 16,
    "kernel": "6.1.0",
    "python_version": "3.11.7",
    "django": "5.2.19",
    "governor": None,
}

LOG = """[2026-03-14 09:26:53 +0000] [7001] [INFO] Starting gunicorn 23.0.0
[2026-03-14 09:26:53 +0000] [7001] [INFO] Listening at: http://127.0.0.1:45123 (7001)
[2026-03-14 09:26:53 +0000] [7001] [INFO] Using worker: gthread
[2026-03-14 09:26:53 +0000] [7004] [INFO] Booting worker with pid: 7004"""

GUNICORN = Program(
    part="target",
    name="gunicorn-gthread",
    argv=("/opt/venv/bin/gunicorn", "--workers=2", "--threads=4", "shop.wsgi:application"),
    version="23.0.0",
)

WEAK = Finding(
    code="B101 generator-cpu",
    level=Level.WEAK,
    message="The load process used 83 % of a CPU: it may be what was measured.",
    hint="Use fewer users or a heavier workload, or give the load a machine's free CPU.",
)
INVALID = Finding(
    code="B201 failures",
    level=Level.INVALID,
    message="12 % of the requests failed (734 × read timeout).",
    hint="Look at the server's log below; times are those of the successes only.",
)


def make_spec(server: str = "gunicorn-gthread", **given: Any) -> RunSpec:
    """A spec in few words; `given` names fields of any part of it."""
    load = {
        name: given.pop(name)
        for name in ("users", "warmup_s", "duration_s", "think_time_s", "keep_alive")
        if name in given
    }
    return RunSpec(
        workload=WorkloadSpec(
            workload=given.pop("workload", "io_read"), options=given.pop("options", {})
        ),
        server=ServerSpec(
            server=server,
            processes=given.pop("processes", 2),
            threads=given.pop("threads", 4),
            python=given.pop("python", ""),
            environment=given.pop("served_from", ""),
        ),
        load=LoadProfile(**{"users": 100, "warmup_s": 3.0, "duration_s": 10.0, **load}),
        database=DatabaseSpec(rows=given.pop("rows", 100_000)),
        **given,
    )


def begin(spec: RunSpec, batch: UUID | None = None, started_at: datetime = BEGUN) -> Run:
    """A run that begins, with what a command stores of its server."""
    known = facts(spec.server.server, spec.workload.workload)
    run = store.begun(spec, batch=batch or uuid4(), started_at=started_at, server_facts=known)
    run.save()
    return run


def facts(server: str, workload: str) -> dict[str, Any]:
    """What is stored of a server; nothing of one that there is not."""
    known = server in conf.paths("SERVERS")
    return server_facts(conf.server_class(server), workload) if known else {}


def finish(run: Run, result: RunResult) -> None:
    """Stores what the run found out, as a command does."""
    store.fill(run, result)
    store.write(run)


def make_run(
    server: str = "gunicorn-gthread",
    *,
    started_at: datetime = BEGUN,
    batch: UUID | None = None,
    rate: float = 600.0,
    failed_share: float = 0.0,
    memory_mib: float = 180.0,
    cpu_percent: float = 150.0,
    findings: tuple[Finding, ...] = (),
    version: str = "23.0.0",
    environment: dict[str, Any] | None = None,
    packages: dict[str, str] | None = None,
    seed: int = 0,
    **spec: Any,
) -> Run:
    """A finished run with everything that a real one has."""
    asked = make_spec(server, seed=seed, **spec)
    run = begin(asked, batch, started_at)
    load = asked.load
    total, summaries, intervals = drawn(load, asked.workload.workload, rate, failed_share, seed)
    finish(
        run,
        RunResult(
            spec=asked,
            status=Status.FINISHED,
            started_at=started_at,
            argv=GUNICORN.argv,
            programs=(GUNICORN,),
            server_version=version,
            python_version="3.11.7",
            packages=packages or {},
            processes=asked.server.processes,
            threads=asked.server.threads,
            startup_s=0.78,
            window=(load.window_start_s, load.window_end_s),
            total=total,
            summaries=summaries,
            intervals=intervals,
            readings=tuple(readings(load.window_end_s, memory_mib, cpu_percent, seed)),
            findings=findings,
            verdict=validity.verdict(findings),
            environment=MACHINE if environment is None else environment,
            settings_changed={"DEBUG": "False", "ALLOWED_HOSTS": "+ 127.0.0.1"},
            log_tail=LOG,
            sampler_cpu_percent=0.4,
        ),
    )
    return run


def stored(spec: RunSpec, total: Any, *parts: Any, **given: Any) -> Run:
    """A finished run of these figures alone, as it is read."""
    row = begin(spec, batch=UUID(int=1))
    given |= {"status": Status.FINISHED, "started_at": BEGUN, "environment": {"hostname": "here"}}
    finish(row, RunResult(spec=spec, total=total, summaries=parts, **given))
    return Run.objects.get(pk=row.pk)


def make_failed_run(
    server: str = "uvicorn",
    *,
    status: Status = Status.FAILED,
    failure: str = "uvicorn ended with status 1 before it answered.\nModuleNotFoundError: shop",
    started_at: datetime = BEGUN,
    batch: UUID | None = None,
    **spec: Any,
) -> Run:
    """A run without figures."""
    asked = make_spec(server, **spec)
    run = begin(asked, batch, started_at)
    finish(
        run,
        RunResult(
            spec=asked,
            status=status,
            started_at=started_at,
            failure=failure,
            environment=MACHINE,
            log_tail="ModuleNotFoundError: No module named 'shop'",
        ),
    )
    return run


def make_running_run(server: str = "granian-wsgi", **spec: Any) -> Run:
    return begin(make_spec(server, **spec), started_at=datetime.now(UTC))


@cache
def drawn(load, workload, rate, failed_share, seed):
    """Figures of a run: made once, as hundreds of runs of the tests have the same."""
    samples = draw(load, rate=rate, failed_share=failed_share, seed=seed)
    window = (load.window_start_s, load.window_end_s)
    examples = {Kind.READ_TIMEOUT: "no answer within 30 s"}
    names = {"all": "all requests", "request": "/bench/io_read/", "journey": workload}
    total, request, journey = (
        summary.summarise(samples, name=name, scope=scope, window=window, examples=examples)
        for scope, name in names.items()
    )
    users = [(0.0, load.users)]
    intervals = summary.intervals(samples, origin=0.0, window=window, users=users)
    return total, (request, journey), tuple(intervals)


def draw(load: LoadProfile, *, rate: float, failed_share: float, seed: int) -> summary.Samples:
    """Samples of a closed model: response times are log-normal around users / rate."""
    generator = np.random.default_rng(seed)
    end = load.window_end_s
    count = int(rate * end)
    samples = np.zeros(count, dtype=summary.DTYPE)
    start = np.sort(generator.uniform(0, end, count))
    mean = load.users / rate
    took = generator.lognormal(np.log(mean) - 0.08, 0.4, count)
    samples["intended_start"] = start
    samples["start"] = start
    samples["finish"] = start + took
    samples["kind"] = np.where(
        generator.uniform(size=count) < failed_share, Kind.READ_TIMEOUT, Kind.OK
    )
    samples["body_bytes"] = 1200
    return samples


def readings(end_s: float, memory_mib: float, cpu_percent: float, seed: int) -> Iterator[Reading]:
    generator = np.random.default_rng(seed)
    for tick in range(int(end_s) + 1):
        for part, share, size, processes in (
            ("target", cpu_percent, memory_mib, 3),
            ("load", 62.0, 74.0, 1),
        ):
            yield Reading(
                second=tick + 0.13 + (0.002 if part == "load" else 0.0),
                part=part,
                cpu_percent=float(share * generator.normal(1, 0.04)),
                memory_bytes=int(size * MIB * (1 + 0.002 * tick)) if tick % 2 == 0 else None,
                processes=processes,
                threads=processes * 4,
                open_files=30,
            )
