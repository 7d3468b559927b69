"""Whether a load of several hosts is the load of one process, and what a load host costs.

    python -m benchmarks.hosts [--pairs 10] [--seconds 8] [--rate 400] [--most 2]

Needs root: "hosts" are network namespaces of this machine, each behind a pair of virtual cards. One
process of this machine and two hosts load the same responder in turn, at `--rate` (open model):
each figure is compared by its ratio, hosts to process, with the 95 % interval of its mean over
the pairs (t of the logarithms). Then 1 to `--most` hosts load it as fast as they can, each with
its users and a CPU; the responder runs on all CPUs.

What a host sends and keeps is printed in the units of which the load of many hosts can be reckoned.
"""

import argparse
import math
import os
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from time import monotonic, sleep

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from benchmarks.machine import command_line, description, wait_until_quiet
from benchmarks.table import show
from benchsuite.core.observations import LoadHost
from benchsuite.core.samples import REQUEST, Kind
from benchsuite.core.specs import LoadProfile, WorkloadSpec
from benchsuite.load.job import Done, Job
from benchsuite.load.parent.driver import LoadPool, NameEntry, Samples, load_pool
from benchsuite.system.network import free_port
from tests.integration.hosts.network import HERE, Namespace, namespaces
from tests.integration.hosts.workers import joined, place

RESPONDER = (
    "import socket, sys; from benchsuite.load.parent.null import serve; "
    "serve(socket.create_server((sys.argv[1], int(sys.argv[2])), backlog=4096), sys.argv[3])"
)
QUIET_S = 30.0  #: How long a quiet machine is waited for before each load.
WARMUP_S = 1.0
USERS = 8  #: Of each host, where it loads as fast as it can.
MIB = 2**20


@dataclass(frozen=True, slots=True)
class Measured:
    """A load that was made, and what putting it together took."""

    done: Done
    samples: Samples
    names: list[NameEntry]
    hosts: tuple[LoadHost, ...]
    merge_s: float
    memory_bytes: tuple[int, ...]  #: Of the master, then of each host's process.

    @property
    def schedule(self) -> NDArray[np.float64]:
        """Seconds from the begin to what was meant to start, in order."""
        moments: NDArray[np.float64] = np.sort(self.samples["intended_start"]) - self.done.origin
        return moments

    @property
    def figures(self) -> dict[str, float]:
        begin, end = self.done.window
        scopes = np.array([entry.scope for entry in self.names], dtype=object)
        requests = self.samples[scopes[self.samples["name"]] == REQUEST]
        requests = requests[requests["kind"] == Kind.OK]
        meant, finish = requests["intended_start"], requests["finish"]
        times = (finish - meant)[(meant >= begin) & (meant < end)]
        goodput = ((finish >= begin) & (finish < end)).sum() / (end - begin)
        p50, p95 = np.quantile(times, (0.5, 0.95))
        return {"goodput": float(goodput), "p50": float(p50), "p95": float(p95)}


@contextmanager
def responding() -> Iterator[tuple[str, str]]:
    """URL and token of what answers at once, where all namespaces reach it."""
    port, token = free_port(HERE), secrets.token_hex(16)
    with subprocess.Popen([sys.executable, "-c", RESPONDER, HERE, str(port), token]) as process:
        try:
            deadline = monotonic() + 10
            while True:
                try:
                    socket.create_connection((HERE, port), 1).close()
                    break
                except OSError:
                    if monotonic() > deadline:
                        raise
                    sleep(0.05)
            yield f"http://{HERE}:{port}", token
        finally:
            process.kill()


def measured(pool: LoadPool, job: Job, pids: tuple[int, ...] = ()) -> Measured:
    pool.check(job)
    done = pool.run(lambda tick: None)
    begun = monotonic()
    samples, names = pool.samples()
    merge_s = monotonic() - begun
    return Measured(
        done, samples, names, getattr(pool, "hosts", ()), merge_s, tuple(map(resident, pids))
    )


def resident(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def by_process(job: Job) -> Measured:
    with tempfile.TemporaryDirectory(prefix="benchsuite-") as folder:
        spool = Path(folder)
        with load_pool(1, spool=spool, log=spool / "log") as pool:
            return measured(pool, job)


def by_hosts(job: Job, networks: Sequence[Namespace], *, pinned: bool = False) -> Measured:
    cpus = sorted(os.sched_getaffinity(0))
    with (
        tempfile.TemporaryDirectory(prefix="benchsuite-") as folder,
        place(Path(folder), HERE) as hosts,
    ):
        for number, network in enumerate(networks):
            pin = ("taskset", "-c", str(cpus[-1 - number % len(cpus)])) if pinned else ()
            hosts.start(before=[*network.before, *pin])
        with joined(hosts, len(networks)) as pool:
            pids = (*pool.pids, *(worker.pid for worker in hosts.workers))
            return measured(pool, job, pids)


def a_job(url: str, token: str, seed: int, load: LoadProfile) -> Job:
    return Job(
        base_url=url,
        run_header=token,
        workload_class="benchsuite.workloads.pages.Plain",
        workload=WorkloadSpec(),
        load=load,
        spool="",
        seed=seed,
    )


def interval(ratios: list[float]) -> str:
    """ "1.01 [0.98, 1.04]": the geometric mean."""
    logs = [math.log(ratio) for ratio in ratios]
    middle = mean(logs)
    if len(logs) < 2:
        return f"{math.exp(middle):.3f}"
    half = float(student.ppf(0.975, len(logs) - 1)) * stdev(logs) / math.sqrt(len(logs))
    low, high = math.exp(middle - half), math.exp(middle + half)
    return f"{math.exp(middle):.3f} [{low:.3f}, {high:.3f}]"


def pairs(
    networks: Sequence[Namespace], url: str, token: str, count: int, seconds: float, rate: float
) -> list[Measured]:
    """Compares one process with two hosts; returns the loads of the hosts."""
    load = LoadProfile(
        model="open",
        arrival_rate=rate,
        arrivals="poisson",
        warmup_s=WARMUP_S,
        duration_s=seconds,
        timeout_s=5.0,
    )
    ways = {"process": by_process, "hosts": lambda job: by_hosts(job, networks[:2])}
    loads: dict[str, list[Measured]] = {way: [] for way in ways}
    for number in range(count):
        job = a_job(url, token, number, load)
        for way in sorted(ways, reverse=bool(number % 2)):
            wait_until_quiet(QUIET_S)
            loads[way].append(ways[way](job))
    rows = []
    for figure in ("goodput", "p50", "p95"):
        one = [measured.figures[figure] for measured in loads["process"]]
        two = [measured.figures[figure] for measured in loads["hosts"]]
        unit = 1.0 if figure == "goodput" else 1e3
        ratio = interval([b / a for a, b in zip(one, two, strict=True)])
        rows.append([figure, f"{unit * mean(one):.3f}", f"{unit * mean(two):.3f}", ratio])
    head = ["figure (/s, ms)", "one process", "two hosts", "ratio [95 %]"]
    show(f"A/A over {count} pairs at {rate:g}/s", head, rows)
    same = [
        len(a.samples) == len(b.samples) and np.allclose(a.schedule, b.schedule, rtol=0, atol=1e-8)
        for a, b in zip(loads["process"], loads["hosts"], strict=True)
    ]
    print(f"\n{sum(same)} of {count} pairs have the same schedule, to 10 ns.")
    return loads["hosts"]


def scaling(networks: Sequence[Namespace], url: str, token: str, seconds: float) -> list[Measured]:
    """As fast as they can, by one host and more."""
    loads, rows = [], []
    for count in range(1, len(networks) + 1):
        load = LoadProfile(
            users=USERS * count, warmup_s=WARMUP_S, duration_s=seconds, timeout_s=5.0
        )
        wait_until_quiet(QUIET_S)
        loads.append(by_hosts(a_job(url, token, count, load), networks[:count], pinned=True))
        goodput = loads[-1].figures["goodput"]
        each = goodput / loads[0].figures["goodput"] / count
        rows.append([str(count), f"{goodput:.0f}", f"{each:.2f}"])
    show("As fast as they can", ["hosts", "requests/s", "share of n × one"], rows)
    return loads


def costs(loads: list[Measured]) -> None:
    """What each host sends and keeps."""
    rows = []
    for load in loads:
        samples = sum(host.samples for host in load.hosts)
        begin, end = load.done.window
        lasted_s = end - begin + WARMUP_S
        sent, packed = (
            sum(getattr(host, name) for host in load.hosts) for name in ("messages", "packed_bytes")
        )
        master, *workers = load.memory_bytes
        rows.append(
            [
                str(len(load.hosts)),
                f"{samples / lasted_s:.0f}",
                f"{sent / lasted_s / len(load.hosts):.1f}",
                f"{packed / samples:.1f}",
                f"{1e6 * load.merge_s / samples:.2f}",
                f"{master / MIB:.0f}",
                f"{mean(workers) / MIB:.0f}",
                f"{1e3 * max(host.clock_error_s or 0.0 for host in load.hosts):.3f}",
            ]
        )
    head = ["hosts", "samples/s", "messages/s each", "bytes a sample", "collecting, s/million"]
    head += ["master MiB", "host MiB", "clock ± ms"]
    show("What it costs", head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--rate", type=float, default=400.0)
    parser.add_argument("--most", type=int, default=max(2, (os.cpu_count() or 2) - 1))
    asked = parser.parse_args()
    print(f"{description()}\n{command_line()}", flush=True)
    with namespaces(max(2, asked.most)) as networks, responding() as (url, token):
        loads = pairs(networks, url, token, asked.pairs, asked.seconds, asked.rate)
        costs([*loads[-1:], *scaling(networks[: asked.most], url, token, asked.seconds)])


if __name__ == "__main__":
    main()
