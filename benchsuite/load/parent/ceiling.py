"""How many requests this load generator can make: the same machinery against the null responder."""

import os
import secrets
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

from benchsuite.core.exceptions import LoadError
from benchsuite.core.results import Ceiling
from benchsuite.core.samples import REQUEST, Kind
from benchsuite.core.specs import OPEN, LoadProfile, WorkloadSpec
from benchsuite.core.specs.load import MAX_RATE
from benchsuite.load.job import Job
from benchsuite.load.parent import null
from benchsuite.load.parent.driver import load_pool
from benchsuite.load.parent.figures import Figures
from benchsuite.stats import summary
from benchsuite.stats.levels import ceiling_doubt
from benchsuite.system import cpus, folders
from benchsuite.system.guard import guarded
from benchsuite.system.network import free_port
from benchsuite.system.process import Process, any_program, running, wait_until_ready
from benchsuite.system.procfs import read_stat
from benchsuite.telemetry.devices import TICKS_PER_S
from benchsuite.telemetry.host import Host
from benchsuite.telemetry.prober.answer import Probe

HOST = "127.0.0.1"
USERS = (1, 10, 100)
TRIES = 2  #: The best one counts: disturbances can only lower a ceiling.
CONNECTIONS = {True: "connections kept", False: "one connection each"}
OVERLOAD = 2.0  #: Arrivals as a multiple of what users make, so that all slots are always busy.
WARMUP_S = 0.5
DRAIN_S = 0.1
READY_S = 10.0


class Responder(NamedTuple):
    process: Process
    base_url: str
    token: str


@contextmanager
def responder(
    folder: Path, *, processes: int = 1, on_cpus: Collection[int] | None = None, token: str = ""
) -> Iterator[Responder]:
    """The null responder while the block runs; the token is its processes' mark, too."""
    port, token = free_port(HOST), token or secrets.token_hex(16)
    base_url = f"http://{HOST}:{port}"
    with running(
        [sys.executable, "-I", "-S", null.__file__, str(port), token, str(processes)],
        name="the null responder",
        log=folder / "null.log",
        env={"LC_ALL": "C.UTF-8"},
        marker=token,
        grace_s=1.0,
        on_cpus=on_cpus,
    ) as process:
        wait_until_ready(process, Probe(base_url, token, timeout_s=READY_S), timeout_s=READY_S)
        yield Responder(process, base_url, token)


def ceilings(
    *, seconds: float = 2.0, users: tuple[int, ...] = USERS, processes: int = 1
) -> Iterator[Ceiling]:
    """Closed and open, for each number of users, connections kept and not, on a run's own CPUs."""
    for_responder, for_load = cpus.split(cpus.available(), processes) or (None, None)
    token = secrets.token_hex(16)
    with (
        folders.scratch() as folder,
        folders.explained(folder),
        guarded(token, folder),
        responder(
            folder, processes=processes, on_cpus=for_responder, token=token
        ) as null_responder,
    ):
        for keep_alive, count in product((True, False), users):
            if count < processes:
                continue
            common = LoadProfile(
                users=count,
                keep_alive=keep_alive,
                processes=processes,
                cpus=for_load,
                warmup_s=WARMUP_S,
                duration_s=seconds,
                timeout_s=5.0,
                drain_s=DRAIN_S,
            )
            closed = _best(null_responder, common, folder)
            yield closed
            open_model = replace(
                common,
                model=OPEN,
                max_in_flight=count,
                arrival_rate=min(MAX_RATE, max(1.0, OVERLOAD * closed.throughput)),
            )
            yield _best(null_responder, open_model, folder)


def _best(responder: Responder, load: LoadProfile, folder: Path) -> Ceiling:
    tries = [_measure(responder, load, folder) for _ in range(TRIES)]
    return max(tries, key=lambda attempt: (not ceiling_doubt(attempt), attempt.throughput))


def _measure(responder: Responder, load: LoadProfile, folder: Path) -> Ceiling:
    job = Job(
        base_url=responder.base_url,
        run_header=responder.token,
        workload_class="benchsuite.workloads.pages.Plain",
        workload=WorkloadSpec(),
        load=load,
    )
    with load_pool(
        load.processes, spool=folder, log=folder / "load.log", env=any_program(), on_cpus=load.cpus
    ) as pool:
        pool.check(job)
        process = responder.process
        host = Host(lambda: [*process.living(), *pool.pids], cpus=os.cpu_count() or 1)
        host.look()
        began, before = time.monotonic(), _cpu_s(process)
        done = pool.run(lambda tick: None)
        ended = time.monotonic()
        after = _cpu_s(process)
        host.look()
        shares = host.shares(host.looks[0].at, ended)
        samples, names = pool.samples()
    asked = Figures(samples, names, done, load).of(REQUEST)
    total = summary.summarise(asked, name="null", scope="all", window=done.window)
    failures = dict(total.failures_by_kind)
    failures.pop(Kind.UNFINISHED.words, None)  # the end of an open load cuts those off
    if failures:
        kinds = ", ".join(f"{count} × {kind}" for kind, count in failures.items())
        raise LoadError(
            f"The null responder did not answer everything ({kinds}), so the ceiling is not known; "
            "checkbench without --calibrate shows which limits of this machine are low."
        )
    busiest = max((after[pid] - before.get(pid, 0.0) for pid in after), default=0.0)
    return Ceiling(
        model=load.model,
        processes=load.processes,
        users=load.in_flight_limit if load.is_open else load.users,
        keep_alive=load.keep_alive,
        throughput=total.goodput,
        load_cpu_percent=done.cpu_percent,
        responder_cpu_percent=100 * busiest / (ended - began),
        others_percent=shares.others_percent if shares else None,
    )


def _cpu_s(process: Process) -> dict[int, float]:
    """CPU seconds of each process of a program, by its number."""
    stats = [stat for pid in process.living() if (stat := read_stat(pid)) is not None]
    return {stat.pid: stat.own_ticks / TICKS_PER_S for stat in stats}
