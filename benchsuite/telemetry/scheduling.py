"""How the processes of the target share the CPUs, what they wait for, and how fast these are."""

import os
import time
from collections import deque
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import ClassVar

from benchsuite.core.exceptions import UnavailableError
from benchsuite.core.readings import BUSIEST, IDLE, MAJOR_FAULTS, MEMORY_WAIT, RUN_DELAY, TARGET
from benchsuite.system.procfs import read_bytes
from benchsuite.telemetry.base import Device, Figures, Snapshot
from benchsuite.telemetry.devices import TICKS_PER_S
from benchsuite.telemetry.host import waiting_us

BASE, EXPONENT, MODULUS = 3**500, (1 << 28) - 1, (1 << 1021) - 9
"""Of a modular power: a tenth of a millisecond of arithmetic that needs no memory."""

PIECES = 2  #: Timed after one that only warms the cache.


class Speed(Device):
    """The CPU time of a fixed piece of work, each time on the next CPU that the part may use.

    CPU time, because the part keeps those CPUs busy: waiting for one is not the CPU's speed. What
    is left grows with a lower clock, with work on the same core's other thread, and with time that
    a hypervisor takes and doesn't tell of.
    """

    cost: ClassVar[str] = "0.3 ms a look (benchmarks/telemetry_cost.py)"
    parts: ClassVar[tuple[str, ...]] = ("target", "load")

    def __init__(self) -> None:
        self._turn = 0

    def sample(self, snapshot: Snapshot) -> Figures:
        cpus = sorted(affinity(stat.pid for stat in snapshot.stats) or ())
        if not cpus:
            return {"work_s": None}
        self._turn += 1
        return {"work_s": timed_on(cpus[self._turn % len(cpus)])}


def timed_on(cpu: int) -> float:
    """Seconds of CPU for the piece of work on this one; raises OSError where it is not ours."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    try:
        pow(BASE, EXPONENT, MODULUS)
        begin = time.thread_time()
        for _ in range(PIECES):
            pow(BASE, EXPONENT, MODULUS)
        return (time.thread_time() - begin) / PIECES
    finally:
        os.sched_setaffinity(0, before)


def affinity(pids: Iterable[int]) -> frozenset[int] | None:
    """The CPUs on which any of these processes may run; None when that can't be known."""
    cpus: set[int] = set()
    for pid in pids:
        try:
            cpus |= os.sched_getaffinity(pid)
        except OSError:
            continue
    return frozenset(cpus) or None


SPAN = 6
"""Samples over which the busiest process is told: in one second chance makes one the busiest."""

MOST_THREADS = 256  #: Of more, only when the sampler's budget allows it.

SHORTEST_S = 0.25  #: Over a shorter time, shares would be mostly rounding.

PRESSURE = Path("/proc/pressure/memory")

_Key = tuple[int, int]


class Scheduling(Device):
    """The busiest process, waits for a CPU, idle CPUs, pages read back, and waits for memory.

    The wait for a CPU is the second number of each thread's `schedstat`, in ns, if kernels count
    it. A thread that ends takes what it has waited since the last sample with it.
    """

    cost: ClassVar[str] = "8 µs a thread (benchmarks/telemetry_cost.py)"
    parts: ClassVar[tuple[str, ...]] = (TARGET,)

    def __init__(self) -> None:
        self._at: float | None = None
        self._ticks: deque[tuple[float, Mapping[_Key, int]]] = deque(maxlen=SPAN)
        self._faults: Mapping[_Key, int] = {}
        self._delays: Mapping[_Key, int] = {}
        self._memory_us: int | None = None
        self._idle: Mapping[int, int] = {}

    def start(self) -> None:
        if not any(delays(os.getpid()).values()):
            raise UnavailableError(
                "This kernel does not count in /proc/PID/task/TID/schedstat how long threads wait "
                "for a CPU (CONFIG_SCHED_INFO, or a sandbox): that time is not known."
            )

    def sample(self, snapshot: Snapshot) -> Figures:
        now = snapshot.at
        seconds = None if self._at is None else now - self._at
        many = sum(stat.threads for stat in snapshot.stats) > MOST_THREADS
        if (seconds is not None and seconds < SHORTEST_S) or (many and not snapshot.costly):
            return {}
        keys = {stat.pid: (stat.pid, stat.started) for stat in snapshot.stats}
        allowed = affinity(keys) or frozenset()
        self._ticks.append((now, {keys[one.pid]: one.own_ticks for one in snapshot.stats}))
        faults = {keys[one.pid]: one.major_faults for one in snapshot.stats}
        waited = {key: ns for pid in keys for key, ns in delays(pid).items()}
        memory_us, idle = waiting_us(PRESSURE), {}  #: CPU → ticks with nothing to do, since boot.
        for line in (read_bytes("/proc/stat") or b"").partition(b"\nintr")[0].splitlines()[1:]:
            name, *fields = line.decode().split()
            if (cpu := int(name.removeprefix("cpu"))) in allowed:
                idle[cpu] = int(fields[3]) + int(fields[4])
        counts: dict[str, int] = {}
        if seconds is not None:
            counts = {
                RUN_DELAY: round(100 * _grown(self._delays, waited) / 1e9 / seconds),
                MAJOR_FAULTS: round(_grown(self._faults, faults) / seconds),
            }
            # Of the processes that were there at both ends of the span, in percent of one CPU.
            (before, first), (_, last) = self._ticks[0], self._ticks[-1]
            if grown := [ticks - first[key] for key, ticks in last.items() if key in first]:
                counts[BUSIEST] = round(100 * max(grown) / TICKS_PER_S / (now - before))
            if idle and idle.keys() == self._idle.keys():
                idle_s = (sum(idle.values()) - sum(self._idle.values())) / TICKS_PER_S
                counts[IDLE] = round(min(100.0, 100 * idle_s / seconds / len(idle)))
            if memory_us is not None and self._memory_us is not None:
                counts[MEMORY_WAIT] = round((memory_us - self._memory_us) / 1e4 / seconds)
        self._at, self._faults, self._delays = now, faults, waited
        self._memory_us, self._idle = memory_us, idle
        return {"counts": counts} if counts else {}


def delays(pid: int) -> dict[_Key, int]:
    """Thread of a process → nanoseconds it waited for a CPU; empty where that can't be read."""
    folder = f"/proc/{pid}/task"
    try:
        threads = os.listdir(folder)
    except OSError:  # it has ended
        return {}
    delays = {}
    for thread in threads:
        fields = (read_bytes(f"{folder}/{thread}/schedstat") or b"").split()
        if len(fields) == 3:
            delays[pid, int(thread)] = int(fields[1])
    return delays


def _grown(before: Mapping[_Key, int], now: Mapping[_Key, int]) -> int:
    """What the processes or threads that were there before have added, and all of the new ones."""
    return sum(max(0, value - before.get(key, 0)) for key, value in now.items())
