"""How often an injected bottleneck is named, and how often one is named of a healthy run.

python -m benchmarks.bottlenecks [--times 10] [--seconds 6] [--only L03]
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import django

from benchmarks.false_alarms import Silent
from benchmarks.machine import command_line, description
from benchmarks.table import markdown
from benchsuite.core.results import RunResult
from benchsuite.core.specs import (
    OPEN,
    DatabaseSpec,
    DelaySpec,
    LoadProfile,
    RunSpec,
    ServerSpec,
    WorkloadSpec,
)
from benchsuite.system import cpus

HEALTHY = "none"
POSTGRESQL: dict[str, Any] = {"use": "postgresql", "rows": 1000, "fsync": False}


@dataclass(frozen=True, eq=False)
class Case:
    """What is injected, and the rule that must name it."""

    number: str
    words: str
    server: dict[str, Any]
    work: WorkloadSpec
    load: dict[str, Any]
    database: dict[str, Any] | None = None
    pinned: bool = True
    to_database_s: float = 0.0


def gthread(processes: int, threads: int) -> dict[str, Any]:
    return {"server": "gunicorn-gthread", "processes": processes, "threads": threads}


def work(name: str, **options: Any) -> WorkloadSpec:
    return WorkloadSpec(workload=name, options=options)


def rate(per_s: float) -> dict[str, Any]:
    return {"model": OPEN, "arrival_rate": per_s, "arrivals": "poisson"}


SLEEP = work("sleep", seconds=0.05)
LOCK = work("io_lock", among=1)
CASES = (
    Case("L01", "10 ms of CPU, 8 users", gthread(1, 4), work("cpu", seconds=0.01), {"users": 8}),
    Case(
        "L02",
        "the same in one process on two CPUs",
        gthread(1, 4),
        work("cpu", seconds=0.01),
        {"users": 8},
        pinned=False,
    ),
    Case("L03", "pages that wait 50 ms, 2 threads", gthread(1, 2), SLEEP, {"users": 20}),
    Case(
        "L04b",
        "8 users change one row, 5 ms to the database",
        gthread(2, 4),
        LOCK,
        {"users": 8},
        {**POSTGRESQL, "conn_max_age_s": 60.0},
        to_database_s=0.005,
    ),
    Case(
        "L05",
        "5 connections for 16 threads",
        gthread(1, 16),
        work("io_read"),
        {"users": 16},
        {**POSTGRESQL, "max_connections": 5, "conn_max_age_s": 60.0},
    ),
    Case(HEALTHY, "plain at 50 /s", gthread(1, 4), work("plain"), rate(50)),
    Case(HEALTHY, "io_read at 20 /s", gthread(2, 4), work("io_read"), rate(20)),
    Case(HEALTHY, "sleep at 20 /s", gthread(1, 8), SLEEP, rate(20)),
    Case(HEALTHY, "uvicorn at 50 /s", {"server": "uvicorn"}, work("plain_async"), rate(50)),
    Case(HEALTHY, "PostgreSQL at 20 /s", gthread(1, 4), work("io_read"), rate(20), POSTGRESQL),
)


def runs(times: int, seconds: float, only: str) -> Iterator[tuple[Case, RunResult]]:
    from benchsuite.runner import planning, session

    target, load = cpus.split(cpus.available(), 1) or (None, None)
    cases = [case for case in CASES if only in ("", case.number)]
    with session(settings_module="testproject.settings.target") as at_work:
        for seed in range(times):
            for case in cases:
                spec = RunSpec(
                    server=ServerSpec(**case.server, cpus=target if case.pinned else None),
                    workload=case.work,
                    load=LoadProfile(
                        warmup_s=1.0,
                        duration_s=seconds,
                        cpus=load if case.pinned else None,
                        **case.load,
                    ),
                    database=DatabaseSpec(**(case.database or {"rows": 1000})),
                    delay=DelaySpec(to_database_s=case.to_database_s),
                    seed=seed,
                )
                yield case, at_work.run(planning.resolve(spec), Silent())


def named(result: RunResult) -> set[str]:
    """The rules that speak of it, as of its stored row."""
    from uuid import uuid4

    from benchsuite import bottlenecks, store
    from benchsuite.comparing.limiting import evidence
    from benchsuite.runner import planning

    facts = planning.resolve(result.spec).server_facts
    run = store.begun(result.spec, batch=uuid4(), started_at=result.started_at, server_facts=facts)
    store.fill(run, result)
    found = evidence(run)
    return {one.code.split()[0] for one in bottlenecks.name(found)} if found else set()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=10, help="of each case")
    parser.add_argument("--seconds", type=float, default=6.0, help="of each window")
    parser.add_argument("--only", default="", help="the cases of this rule, or none")
    given = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "testproject.settings.console")
    django.setup()
    sys.argv[0] = str(Path(sys.argv[0]).resolve())
    begun = datetime.now().astimezone()
    made: Counter[Case] = Counter()
    right: Counter[Case] = Counter()
    others: dict[Case, Counter[str]] = {}
    load = [os.getloadavg()[0]]
    for case, result in runs(given.times, given.seconds, given.only):
        if result.total is None:
            raise SystemExit(f"{case.words}: {result.failure}")
        numbers = named(result)
        made[case] += 1
        right[case] += case.number in numbers if case.number != HEALTHY else not numbers
        others.setdefault(case, Counter()).update(numbers - {case.number})
        load.append(os.getloadavg()[0])
        print(f"{case.number} {case.words}: {sorted(numbers)}", file=sys.stderr, flush=True)
    print(f"{description()}\n")
    print(
        f"`{command_line()}`, {begun:%Y-%m-%d %H:%M}; "
        f"load average {min(load):.1f} to {max(load):.1f}\n"
    )
    rows = [
        [
            case.words,
            case.number,
            f"{right[case]} of {made[case]}",
            ", ".join(f"{many} × {number}" for number, many in sorted(others[case].items())) or "—",
        ]
        for case in made
    ]
    print(markdown(["injected", "rule", "named", "others that spoke"], rows))


if __name__ == "__main__":
    main()
