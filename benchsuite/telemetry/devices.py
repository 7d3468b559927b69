"""The devices of a process tree: its processes and threads, open files, memory and CPU."""

import os
import re
import time
from typing import ClassVar

from benchsuite.core.exceptions import UnavailableError
from benchsuite.system.procfs import Stat, read_bytes, read_stat
from benchsuite.telemetry.base import Device, Figures, Snapshot


class Counts(Device):
    """Processes and threads; both 0 when the part has no living process."""

    cost: ClassVar[str] = "nothing of its own: reads what the sampler has read anyway"

    def sample(self, snapshot: Snapshot) -> Figures:
        threads = sum(stat.threads for stat in snapshot.stats)
        return {"processes": len(snapshot.stats), "threads": threads}


class OpenFiles(Device):
    """Open files, summed over the processes: one that several inherited counts for each."""

    cost: ClassVar[str] = "3 µs a process on Linux 6.2 and later; before, 7 µs and 0.4 µs a file"

    def sample(self, snapshot: Snapshot) -> Figures:
        total = 0
        for stat in snapshot.stats:
            count = _open_files(stat.pid)
            if count is not None:
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
    page table and holds up changes of the memory map for it: it is read when the budget allows it.
    """

    cost: ClassVar[str] = "about 1 ms of CPU for each process of 50 MB, more for larger ones"

    def start(self) -> None:
        if not os.access("/proc/self/smaps_rollup", os.R_OK):
            raise UnavailableError(
                "This kernel has no /proc/PID/smaps_rollup: memory is not known."
            )

    def sample(self, snapshot: Snapshot) -> Figures:
        if not snapshot.costly:
            return {}
        total = None
        for stat in snapshot.stats:
            match, now = _PSS.search(read_bytes(f"/proc/{stat.pid}/smaps_rollup") or b""), None
            if match:
                total = (total or 0) + int(match[1]) * 1024
            else:
                now = read_stat(stat.pid)
            if now is not None and now.alive and now.started == stat.started:
                return {"memory_bytes": None}  # it lives and is not ours to read
        return {"memory_bytes": total}


TICKS_PER_S = os.sysconf("SC_CLK_TCK")

SHORTEST_S = 0.25
"""The kernel counts in ticks of 10 ms; over a shorter time a share would be mostly rounding."""

TOLERANCE = 1.25  #: More than this times all CPUs is no rounding any more, but a wrong figure.


class Cpu(Device):
    """CPU time of the tree over the time since the sample before, in percent of one CPU.

    The time of a process that ends goes to its parent's account of waited-for children, and from
    there comes the part that no sample saw. What samples did see of it is subtracted, so nothing
    counts twice. Orphans are waited for by this process, whose account of them is a part's as well.
    Lost is only what a process used after its last sample when nobody waits for it (SIG_IGN for
    SIGCHLD).
    """

    cost: ClassVar[str] = "nothing of its own: reads what the sampler has read anyway"

    def __init__(self) -> None:
        self._seen: dict[int, Stat] = {}
        self._was_there = False  #: Whether the part had a process at the last sample.
        self._owed: dict[int, int] = {}
        """Of each parent: ticks counted already that its account of children will show again."""
        self._at: float | None = None
        self._boot_ticks = 0.0

    def sample(self, snapshot: Snapshot) -> Figures:
        if self._at is not None and snapshot.at - self._at < SHORTEST_S:
            return {"cpu_percent": None}
        me = os.getpid()
        now = {stat.pid: stat for stat in snapshot.stats}
        # Of those that ended, the time may not yet be on their parent's account.
        gone = [stat for pid, stat in self._seen.items() if pid not in now and pid != me]
        for stat in gone:
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
