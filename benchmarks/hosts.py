"""Whether a load of several hosts is the load of one process, and what a load host costs.

    python -m benchmarks.hosts [--pairs 10] [--seconds 8] [--rate 400] [--most 2]

Needs root: "hosts" are network namespaces of this machine, each behind a pair of virtual cards. One
process of this machine and two hosts load the same responder in turn, at `--rate` (open model):
each figure is compared by its ratio, hosts to process, with the 95 % interval of its mean over
the pairs (t of the logarithms). Then 1 to `--most` hosts load it as fast as they can, each with
its users and a CPU; the responder runs on all CPUs.

Both ways to put a load together are timed: all samples, and the figures of each host. From what one
host sends and one sample takes it is reckoned what 100 hosts at 10 000 requests a second would.
"""

import argparse
import json
import math
import os
import resource
import secrets
import socket
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from time import monotonic, sleep

import msgpack
import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from benchmarks.machine import command_line, description, wait_until_quiet
from benchmarks.table import show
from benchsuite.core.observations import LoadHost
from benchsuite.core.plain import plain
from benchsuite.core.samples import REQUEST, Kind
from benchsuite.core.specs import LoadProfile, WorkloadSpec
from benchsuite.load.hosts.master import HostsPool
from benchsuite.load.hosts.wire import CHUNK, OURS, PIECE
from benchsuite.load.job import MOST_SAMPLES, Done, Job, Tick
from benchsuite.load.parent.driver import LoadPool, NameEntry, Samples, load_pool
from benchsuite.load.parent.figures import Figures, added
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
MANY, RATE_EACH = 100, 10_000  #: Hosts, and requests a second of each, that are reckoned.
SPANS_S = (5, 60, 600)
SAMPLES_EACH = 2  #: Of an arrival: a journey and its request.


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedUp:
    """What it took to put a load together by figures, and by the samples that were there."""

    tick_bytes: int  #: Of the message that each host sends each second.
    histograms: int  #: Of each host, beside those of each second.
    packed_bytes: float  #: For each histogram of a host, with its counts.
    text_bytes: float
    add_s: float  #: The same.
    figures_s: float  #: Of all samples.
    peak_bytes: int  #: Of memory, beside the samples.


@dataclass(frozen=True, slots=True)
class Measured:
    """A load that was made, and what putting it together took."""

    done: Done
    samples: Samples
    names: list[NameEntry]
    hosts: tuple[LoadHost, ...]
    merge_s: float
    memory_bytes: tuple[int, ...]  #: Of the master, then of each host's process.
    added_up: AddedUp | None  #: None where one process made the load.

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
    ticks: list[Tick] = []
    pool.check(job)
    done = pool.run(ticks.append)
    begun = monotonic()
    samples, names = pool.samples()
    merge_s = monotonic() - begun
    hosts: tuple[LoadHost, ...] = ()
    added_up = None
    if isinstance(pool, HostsPool):
        hosts = pool.hosts
        added_up = by_figures(pool, job, Figures(samples, names, done, job.load, alike=True), ticks)
    memory = tuple(map(resident, pids))
    return Measured(done, samples, names, hosts, merge_s, memory, added_up)


def by_figures(pool: HostsPool, job: Job, whole: Figures, ticks: Sequence[Tick]) -> AddedUp:
    """Puts the same load together by the figures of each host."""
    sent = sum(host.packed_bytes for host in pool.hosts)
    pool.most_samples = 0
    pool.samples()
    moments = [monotonic()]
    added(pool.figures, done=whole.done, load=job.load, alike=True)
    moments.append(monotonic())
    whole.together()
    moments.append(monotonic())
    tracemalloc.start()
    whole.together()
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    add_s, figures_s = np.diff(moments)
    part = pool.figures[0]
    histograms = 3 * (1 + len(part.by_name) + len(part.segments))
    each = len(pool.figures) * (histograms + len(part.intervals))
    text_bytes = sum(len(json.dumps(plain(part))) for part in pool.figures)
    line = json.dumps({"event": "tick", **plain(ticks[-1])})
    message = [OURS, {"kind": "event", "run": 1, "line": line}, "h" * 40]
    sent = sum(host.packed_bytes for host in pool.hosts) - sent
    return AddedUp(
        tick_bytes=len(msgpack.packb(message)),
        histograms=histograms,
        packed_bytes=sent / each,
        text_bytes=text_bytes / each,
        add_s=float(add_s) / each,
        figures_s=float(figures_s),
        peak_bytes=peak_bytes,
    )


def resident(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def by_process(job: Job, count: int = 1) -> Measured:
    with tempfile.TemporaryDirectory(prefix="benchsuite-") as folder:
        spool = Path(folder)
        with load_pool(count, spool=spool, log=spool / "log") as pool:
            return measured(pool, job, (*pool.pids,))


def by_hosts(
    job: Job, networks: Sequence[Namespace], *, at: str = HERE, pinned: bool = False
) -> Measured:
    cpus = sorted(os.sched_getaffinity(0))
    with (
        tempfile.TemporaryDirectory(prefix="benchsuite-") as folder,
        place(Path(folder), at) as hosts,
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


class Here(Namespace):
    """No host but this one."""

    before = ()


def one_path(url: str, token: str, seconds: float, rate: float) -> None:
    """What processes of this machine cost as processes and as hosts that join a master here."""
    load = LoadProfile(
        model="open", arrival_rate=rate, warmup_s=WARMUP_S, duration_s=seconds, timeout_s=5.0
    )
    here = Here("", "")
    rows = []
    for way, make in (
        ("processes", lambda job: by_process(job, 2)),
        ("hosts", lambda job: by_hosts(job, [here, here], at="127.0.0.1")),
    ):
        wait_until_quiet(QUIET_S)
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), monotonic()
        loaded = make(a_job(url, token, 0, load))
        beside_s = monotonic() - begun - load.window_end_s
        after, samples = resource.getrusage(resource.RUSAGE_CHILDREN), len(loaded.samples)
        cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        lag_s, cpu_percent = loaded.done.lag_p99_s or 0.0, loaded.done.cpu_percent or 0.0
        rows.append(
            [
                f"two {way}",
                f"{beside_s:.1f}",
                f"{cpu_s:.1f}",
                f"{cpu_percent:.1f}",
                f"{1e3 * lag_s:.2f}",
                f"{1e6 * loaded.merge_s / samples:.2f}",
                f"{sum(loaded.memory_bytes) / MIB:.0f}",
            ]
        )
    head = ["way", "s beside the load", "CPU s of all", "CPU % of the busiest", "lag p99 ms"]
    head += ["collecting, s/million", "MiB (hosts: without their processes)"]
    show(f"On one machine, {rate:g}/s", head, rows)


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


def on_paper(load: Measured) -> None:
    """What many hosts would take, by what this load took of each host, sample and histogram; beside
    the messages go Locust's heartbeats, one a second each way.
    """
    way, samples = load.added_up, len(load.samples)
    assert way is not None
    sample_bytes = sum(host.packed_bytes for host in load.hosts) / samples
    rows = []
    for span_s in SPANS_S:
        count = SAMPLES_EACH * RATE_EACH * MANY * span_s
        if count <= MOST_SAMPLES:
            sent = count * sample_bytes
            messages = count / CHUNK
            collect_s, figures_s = (
                each_s * count / samples for each_s in (load.merge_s, way.figures_s)
            )
            held = count * (way.peak_bytes / samples + load.samples.itemsize)
        else:
            histograms = way.histograms + span_s
            sent, held = (MANY * histograms * each for each in (way.packed_bytes, way.text_bytes))
            messages = MANY * math.ceil(sent / MANY / PIECE)
            # each host adds up its own, all at the same time
            collect_s = way.figures_s * SAMPLES_EACH * RATE_EACH * span_s / samples
            figures_s = MANY * histograms * way.add_s
        rows.append(
            [
                f"{span_s} s",
                f"{count / 1e6:.0f}",
                "samples" if count <= MOST_SAMPLES else "figures",
                f"{MANY}",
                f"{MANY * way.tick_bytes / 1024:.0f}",
                f"{messages:.0f}",
                f"{sent / MIB:.0f}",
                f"{collect_s:.0f}",
                f"{figures_s:.0f}",
                f"{held / MIB:.0f}",
                f"{count / MANY * load.samples.itemsize / MIB:.0f}",
            ]
        )
    head = ["load", "million samples", "sent", "messages/s", "KiB/s", "then messages", "MiB"]
    head += ["collecting s", "figures s", "MiB in the parent", "MiB of samples in each host"]
    show(f"On paper: {MANY} hosts at {RATE_EACH}/s each", head, rows)


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
        one_path(url, token, asked.seconds, asked.rate)
        loads = [*loads[-1:], *scaling(networks[: asked.most], url, token, asked.seconds)]
        costs(loads)
        on_paper(loads[-1])


if __name__ == "__main__":
    main()
