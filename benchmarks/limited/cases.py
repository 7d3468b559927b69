"""What is injected, and the rule that must name it."""

from dataclasses import dataclass, field, replace
from typing import Any

from benchsuite.core.specs import (
    CLOSED,
    OPEN,
    DatabaseSpec,
    DelaySpec,
    LoadProfile,
    RunSpec,
    ServerSpec,
    WorkloadSpec,
)

HEALTHY = "none"
ALONE_S = 3.0
POSTGRESQL: dict[str, Any] = {"use": "postgresql", "fsync": False}
KEPT: dict[str, Any] = {**POSTGRESQL, "conn_max_age_s": 60.0}

Cpus = tuple[int, ...] | None


@dataclass(frozen=True, eq=False)
class Case:
    """One configuration under one load."""

    number: str
    words: str
    server: dict[str, Any]
    work: WorkloadSpec
    load: dict[str, Any]
    database: dict[str, Any] = field(default_factory=dict)
    pinned: bool = True
    to_database_s: float = 0.0
    least_s: float = 0.0  #: How long its window is, at least.
    is_diagnosed: bool = False
    beside_one: bool = False  #: Whether one user's times are asked for.
    beside: str = ""  #: The case that it is compared with.

    def spec(self, target: Cpus, load: Cpus, seconds: float, seed: int) -> RunSpec:
        return RunSpec(
            server=ServerSpec(**self.server, cpus=target if self.pinned else None),
            workload=self.work,
            load=LoadProfile(
                warmup_s=1.0,
                duration_s=max(seconds, self.least_s),
                cpus=load if self.pinned else None,
                **self.load,
            ),
            database=DatabaseSpec(rows=1000, **self.database),
            delay=DelaySpec(to_database_s=self.to_database_s),
            seed=seed,
        )

    def alone(self, spec: RunSpec) -> RunSpec:
        load = replace(
            spec.load,
            model=CLOSED,
            users=1,
            arrival_rate=None,
            arrivals="constant",
            duration_s=ALONE_S,
        )
        return replace(spec, load=load)


def gthread(processes: int, threads: int, **more: Any) -> dict[str, Any]:
    return {"server": "gunicorn-gthread", "processes": processes, "threads": threads, **more}


def work(name: str, **options: Any) -> WorkloadSpec:
    return WorkloadSpec(workload=name, options=options)


def page(name: str) -> WorkloadSpec:
    return work("url", path=f"/{name}/")


def users(count: int) -> dict[str, Any]:
    return {"users": count}


def rate(per_s: float) -> dict[str, Any]:
    return {"model": OPEN, "arrival_rate": per_s, "arrivals": "poisson"}


CPU = work("cpu", seconds=0.01)
SLEEP = work("sleep", seconds=0.05)
READ, PLAIN = work("io_read"), work("plain")
BASE = "a light page, 16 users"
POLLED = "4 threads that ask for a lock again and again"
SHARED = "PostgreSQL on the server's one CPU, 32 users"

CASES = (
    Case("L01", "10 ms of CPU, 8 users", gthread(1, 4), CPU, users(8)),
    Case("L02", "the same in one process on two CPUs", gthread(1, 4), CPU, users(8), pinned=False),
    Case("L03", "pages that wait 50 ms, 2 threads", gthread(1, 2), SLEEP, users(20)),
    Case("L04", "queries of 20 ms", gthread(1, 4), page("asking"), users(8), KEPT),
    Case("L04a", SHARED, gthread(1, 4), READ, users(32), POSTGRESQL),
    Case(
        "L04a", "PostgreSQL there, 100 arrivals a second", gthread(1, 4), READ, rate(100),
        POSTGRESQL,
    ),
    Case(
        "L04b", "8 users change one row, 5 ms to the database", gthread(2, 4),
        work("io_lock", among=1), users(8), KEPT, to_database_s=0.005, least_s=12.0,
    ),
    Case(
        "L04c", "20 queries from one line", gthread(1, 4), page("looping"), users(4), KEPT,
        is_diagnosed=True,
    ),
    Case(
        "L04d", "a connection for each request", gthread(1, 4), READ, users(4), POSTGRESQL,
        is_diagnosed=True,
    ),
    Case(
        "L05", "5 connections for 16 threads", gthread(1, 16), READ, users(16),
        {**KEPT, "max_connections": 5},
    ),
    Case(
        "L06", "queries of 20 ms, a pool of 2 for 8 threads", gthread(1, 8), page("asking"),
        users(8), {**POSTGRESQL, "pool": 2},
    ),
    Case("L01", BASE, gthread(1, 4), PLAIN, users(16)),
    Case("L03", POLLED, gthread(1, 4), page("polling"), users(32)),
    Case(
        "L07", "32 threads that ask for it", gthread(1, 32), page("polling"), users(32),
        beside=POLLED,
    ),
    Case(
        "L08", "PostgreSQL there, 6 processes", gthread(6, 4), READ, users(32), POSTGRESQL,
        beside=SHARED,
    ),
    Case("L14", "a light page by uvicorn", {"server": "uvicorn"}, PLAIN, users(16), beside=BASE),
    Case(
        "L09", "one of two processes computes", gthread(2, 4), page("unequal"), users(8),
        pinned=False,
    ),
    Case(
        "L10", "1 of 40 requests stops the event loop", {"server": "uvicorn"}, page("blocking"),
        rate(40), beside_one=True,
    ),
    Case(
        "L11", "answers in two pieces", {"server": "uwsgi"},
        page("pieces"), users(2),
    ),
    Case(
        "L12a", "64 KiB of each request stay", gthread(1, 4), page("keeping"), rate(50),
        least_s=16.0,
    ),
    Case("L13", "transactions that read first", gthread(2, 4), page("writing"), users(8)),
    Case(
        "L15", "garbage is collected in each request", gthread(1, 4), page("collecting"), users(4),
        is_diagnosed=True,
    ),
    Case(HEALTHY, "plain at 50 /s", gthread(1, 4), PLAIN, rate(50)),
    Case(HEALTHY, "io_read at 20 /s", gthread(2, 4), READ, rate(20)),
    Case(HEALTHY, "sleep at 20 /s", gthread(1, 8), SLEEP, rate(20)),
    Case(HEALTHY, "uvicorn at 50 /s", {"server": "uvicorn"}, work("plain_async"), rate(50)),
    Case(HEALTHY, "PostgreSQL at 20 /s", gthread(1, 4), READ, rate(20), POSTGRESQL),
)  # fmt: skip
