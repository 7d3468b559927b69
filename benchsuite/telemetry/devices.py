"""The devices: of a process tree, how it shares the CPUs, what it waits for, how fast these are."""

import os
import re
import time
from collections import deque
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from benchsuite.core.exceptions import UnavailableError
from benchsuite.core.readings import BUSIEST, IDLE, MAJOR_FAULTS, MEMORY_WAIT, RUN_DELAY, TARGET
from benchsuite.system import cpus
from benchsuite.system.procfs import Key, Stat, read_bytes, read_stat
from benchsuite.telemetry.base import Device, Figures, Snapshot


class Counts(Device):
    """Processes and threads; both 0 when the part has no living process."""

    def sample(self, snapshot: Snapshot) -> Figures:
        threads = sum(stat.threads for stat in snapshot.stats)
        return {"processes": len(snapshot.stats), "threads": threads}


class OpenFiles(Device):
    """Open files, summed over the processes: one that several inherited counts for each. Costs 3 µs
    a process on Linux 6.2 and later; before, 7 µs and 0.4 µs a file.
    """

    def sample(self, snapshot: Snapshot) -> Figures:
        total = 0
        for stat in snapshot.stats:
            if (count := _open_files(stat.pid)) is not None:
                total += count
            elif (now := read_stat(stat.pid)) is not None and now.alive:
                return {"open_files": None}  # it lives and is not ours to read
        return {"open_files": total}


def _open_files(pid: int) -> int | None:
    folder = f"/proc/{pid}/fd"
    try:
        # Since Linux 6.2 the size of the folder is the number of files; before, it is 0.
        if os.access(folder, os.R_OK) and (count := os.stat(folder).st_size):
            return count
        return len(os.listdir(folder))
    except OSError:
        return None


_PSS = re.compile(rb"^Pss:\s+(\d+) kB", re.MULTILINE)


class Memory(Device):
    """Proportional set size: shared pages are divided, so it can be summed. The kernel walks each
    page table and holds up changes of the memory map for it: about 1 ms of CPU for each process of
    50 MB, more for larger ones. It is read when the budget allows it.
    """

    def sample(self, snapshot: Snapshot) -> Figures:
        if not snapshot.costly:
            return {}
        total = None
        for stat in snapshot.stats:
            if match := _PSS.search(read_bytes(f"/proc/{stat.pid}/smaps_rollup") or b""):
                total = (total or 0) + int(match[1]) * 1024
            elif (now := read_stat(stat.pid)) and now.alive and now.started == stat.started:
                return {"memory_bytes": None}  # it lives and is not ours to read
        return {"memory_bytes": total}


TICKS_PER_S = os.sysconf("SC_CLK_TCK")
SHORTEST_S = 0.25  #: Over a shorter time a share would be mostly the rounding of ticks.
TOLERANCE = 1.25  #: More than this times all CPUs is no rounding any more, but a wrong figure.


class Cpu(Device):
    """CPU time of the tree over the time since the sample before, in percent of one CPU.

    The time of a process that ends goes to its parent's account of waited-for children, and from
    there comes the part that no sample saw. What samples did see of it is subtracted, so nothing
    counts twice. Orphans are waited for by this process, whose account of them is a part's as well.
    Lost is only what a process used after its last sample when nobody waits for it (SIG_IGN for
    SIGCHLD).
    """

    def __init__(self) -> None:
        self._seen: dict[int, Stat] = {}
        self._was_there = False  #: Whether the part had a process at the last sample.
        self._owed: dict[int, int] = {}  #: Ticks counted that a parent's account will show again.
        self._at: float | None = None
        self._boot_ticks = 0.0

    def sample(self, snapshot: Snapshot) -> Figures:
        if self._at is not None and snapshot.at - self._at < SHORTEST_S:
            return {"cpu_percent": None}
        me = os.getpid()
        now = {stat.pid: stat for stat in snapshot.stats}
        # Of those that ended, the time may not yet be on their parent's account.
        for stat in [stat for pid, stat in self._seen.items() if pid not in now and pid != me]:
            last = read_stat(stat.pid)
            if last is not None and last.started == stat.started:
                now[stat.pid] = last
        is_there = bool(now)
        # This process is the one that waits for a part's orphans.
        reaped = int(snapshot.reaped_s * TICKS_PER_S)
        now.setdefault(me, Stat(me, "R", 0, 0, 0, reaped, 1, started=0))
        self._settle(now)
        used = sum(self._growth(stat) for stat in now.values())
        share = None
        if self._at is not None and (is_there or self._was_there):
            share = 100 * used / TICKS_PER_S / (snapshot.at - self._at)
            # A little above all CPUs is rounding, much is not known.
            most = 100.0 * (os.cpu_count() or 1)
            share = min(share, most) if share <= most * TOLERANCE else None
        self._seen, self._was_there = now, is_there
        self._at = snapshot.at
        self._boot_ticks = time.clock_gettime(time.CLOCK_BOOTTIME) * TICKS_PER_S
        return {"cpu_percent": share}

    def _settle(self, now: dict[int, Stat]) -> None:
        gone = [
            stat
            for pid, stat in self._seen.items()
            if pid not in now or now[pid].started != stat.started
        ]
        # Children start after their parents: youngest first hands debts up through any generations.
        for stat in sorted(gone, key=lambda stat: stat.started, reverse=True):
            counted = stat.own_ticks + stat.children_ticks + self._owed.pop(stat.pid, 0)
            self._owed[stat.ppid] = self._owed.get(stat.ppid, 0) + counted
        self._owed = {pid: ticks for pid, ticks in self._owed.items() if pid in now}

    def _growth(self, stat: Stat) -> int:
        before = self._seen.get(stat.pid)
        if before is None or before.started != stat.started:
            # Older than the last sample: found late, so its time until now belongs to no interval.
            is_new = stat.started >= self._boot_ticks - 1
            return stat.own_ticks + stat.children_ticks if is_new else 0
        own = max(0, stat.own_ticks - before.own_ticks)
        children = max(0, stat.children_ticks - before.children_ticks)
        covered = min(children, self._owed.get(stat.pid, 0))
        if covered:
            self._owed[stat.pid] -= covered
        return own + children - covered


BASE, EXPONENT, MODULUS = 3**500, (1 << 28) - 1, (1 << 1021) - 9
"""Of a modular power: a tenth of a millisecond of arithmetic that needs no memory."""
PIECES = 2  #: Timed after one that only warms the cache.


class Speed(Device):
    """The CPU time of a fixed piece of work, each time on the next CPU that the part may use.

    CPU time, because the part keeps those CPUs busy: waiting for one is not the CPU's speed. What
    is left grows with a lower clock, with work on the same core's other thread, and with time that
    a hypervisor takes and doesn't tell of. Costs 0.3 ms a look (benchmarks/telemetry_cost.py).
    """

    parts: ClassVar[tuple[str, ...]] = ("target", "load")

    def __init__(self) -> None:
        self._turn = 0

    def sample(self, snapshot: Snapshot) -> Figures:
        allowed = sorted(affinity(stat.pid for stat in snapshot.stats) or ())
        if not allowed:
            return {"work_s": None}
        self._turn += 1
        return {"work_s": timed_on(allowed[self._turn % len(allowed)])}


def timed_on(cpu: int) -> float:
    """Seconds of CPU for the piece of work on this one; raises OSError where it is not ours."""
    with cpus.given({cpu}):
        pow(BASE, EXPONENT, MODULUS)
        begin = time.thread_time()
        for _ in range(PIECES):
            pow(BASE, EXPONENT, MODULUS)
        return (time.thread_time() - begin) / PIECES


def affinity(pids: Iterable[int]) -> frozenset[int] | None:
    """The CPUs on which any of these processes may run; None when that can't be known."""
    allowed: set[int] = set()
    for pid in pids:
        with suppress(OSError):
            allowed |= os.sched_getaffinity(pid)
    return frozenset(allowed) or None


SPAN = 6  #: Samples over which the busiest process is told: in one second it is chance.
MOST_THREADS = 256  #: Of more, only when the sampler's budget allows it.
PRESSURE = Path("/proc/pressure/memory")


class Scheduling(Device):
    """The busiest process, waits for a CPU, idle CPUs, pages read back, and waits for memory.

    The wait for a CPU is the second number of each thread's `schedstat`, in ns, if kernels count
    it. A thread that ends takes what it has waited since the last sample with it. Costs 8 µs a
    thread (benchmarks/telemetry_cost.py).
    """

    parts: ClassVar[tuple[str, ...]] = (TARGET,)

    def __init__(self) -> None:
        self._at: float | None = None
        self._ticks: deque[tuple[float, Mapping[Key, int]]] = deque(maxlen=SPAN)
        self._faults: Mapping[Key, int] = {}
        self._delays: Mapping[Key, int] = {}
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
        keys = {stat.pid: stat.key for stat in snapshot.stats}
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


def delays(pid: int) -> dict[Key, int]:
    """Thread of a process → nanoseconds it waited for a CPU; empty where that can't be read."""
    delays, folder = dict[Key, int](), f"/proc/{pid}/task"
    with suppress(OSError):  # it has ended
        for thread in os.listdir(folder):
            fields = (read_bytes(f"{folder}/{thread}/schedstat") or b"").split()
            if len(fields) == 3:
                delays[pid, int(thread)] = int(fields[1])
    return delays


def _grown(before: Mapping[Key, int], now: Mapping[Key, int]) -> int:
    """What the processes or threads that were there before have added, and all of the new ones."""
    return sum(max(0, value - before.get(key, 0)) for key, value in now.items())


def waiting_us(path: Path) -> int | None:
    """The total of the line "some avg10=… avg60=… avg300=… total=…", in µs."""
    line = (read_bytes(str(path)) or b"").partition(b"\n")[0]
    _, separator, total = line.partition(b"total=")
    return int(total) if separator else None
