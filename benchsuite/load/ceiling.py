"""How much this load generator can ask for: the same machinery against the null responder."""

import os
import secrets
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchsuite.exceptions import LoadError
from benchsuite.load import null, spool
from benchsuite.load.driver import load_worker
from benchsuite.load.job import Job
from benchsuite.probe import answers_as
from benchsuite.proc import Process, free_port, running, wait_until_ready
from benchsuite.procfs import read_stat
from benchsuite.results import Ceiling
from benchsuite.specs import LoadProfile, WorkloadSpec
from benchsuite.stats import summary
from benchsuite.stats.ceilings import doubt
from benchsuite.telemetry.cpu import TICKS_PER_S
from benchsuite.telemetry.host import Host

HOST = "127.0.0.1"
USERS = (1, 10, 100)
TRIES = 2
"""The best of them counts: what disturbs the machine can only lower a ceiling."""
CONNECTIONS = {True: "connections kept", False: "one connection each"}
WARMUP_S = 0.5
READY_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Responder:
    """A null responder that runs."""

    process: Process
    base_url: str
    token: str


@contextmanager
def responder(folder: Path) -> Iterator[Responder]:
    """The null responder while the block runs."""
    port, token = free_port(HOST), secrets.token_hex(16)
    base_url = f"http://{HOST}:{port}"
    with running(
        [sys.executable, "-I", "-S", null.__file__, str(port), token],
        name="the null responder",
        log=folder / "null.log",
        env={"LC_ALL": "C.UTF-8"},
        marker=token,
        grace_s=1.0,
    ) as process:
        wait_until_ready(process, lambda: answers_as(base_url, token), timeout_s=READY_S)
        yield Responder(process=process, base_url=base_url, token=token)


def ceilings(
    *,
    seconds: float = 2.0,
    users: tuple[int, ...] = USERS,
    on_begin: Callable[[int, str], None] = lambda users, connections: None,
) -> Iterator[Ceiling]:
    """One ceiling for each number of users, with connections kept and not.

    `on_begin` is told before each: the users, and the connections in words.
    """
    with tempfile.TemporaryDirectory(prefix="benchsuite-") as name:
        folder = Path(name)
        with responder(folder) as null_responder:
            for keep_alive in (True, False):
                for count in users:
                    on_begin(count, CONNECTIONS[keep_alive])
                    load = LoadProfile(
                        users=count,
                        keep_alive=keep_alive,
                        warmup_s=WARMUP_S,
                        duration_s=seconds,
                        timeout_s=5.0,
                    )
                    tries = [_measure(null_responder, load, folder) for _ in range(TRIES)]
                    yield max(tries, key=lambda one: (not doubt(one), one.throughput))


def _measure(target: Responder, load: LoadProfile, folder: Path) -> Ceiling:
    here = folder / secrets.token_hex(4)
    job = Job(
        base_url=target.base_url,
        run_header=target.token,
        workload_class="benchsuite.workloads.plain.Plain",
        workload=WorkloadSpec(),
        load=load,
        spool=str(here),
    )
    with load_worker(spool=here, log=folder / "load.log", env=dict(os.environ)) as worker:
        worker.check(job)
        host = Host(target.process.living, cpus=os.cpu_count() or 1)
        host.look()
        began, before = time.monotonic(), _cpu_s(target.process)
        done = worker.run(lambda tick: None)
        ended = time.monotonic()
        busy = (_cpu_s(target.process) - before) / (ended - began)
        host.look()
        shares = host.shares(host.looks[0].at, ended)
    samples, names = spool.read(here)
    requests = [index for index, name in enumerate(names) if name.scope == "request"]
    total = summary.summarise(
        samples[np.isin(samples["name"], requests)],
        name="null",
        scope="all",
        window=done.window,
    )
    if total.failures:
        kinds = ", ".join(f"{count} × {kind}" for kind, count in total.failures_by_kind.items())
        raise LoadError(
            f"The null responder did not answer everything ({kinds}), so the ceiling is not known; "
            "checkbench without --calibrate shows which limits of this machine are low."
        )
    return Ceiling(
        users=load.users,
        keep_alive=load.keep_alive,
        throughput=total.goodput,
        load_cpu_percent=done.cpu_percent,
        responder_cpu_percent=100 * busy,
        others_percent=shares.others_percent if shares else None,
    )


def _cpu_s(process: Process) -> float:
    stats = [stat for pid in process.living() if (stat := read_stat(pid)) is not None]
    return sum(stat.own_ticks for stat in stats) / TICKS_PER_S
