"""Which processes belong together: a leader, its descendants, and what carries a run's mark. A
variable of the environment goes along into containers, but programs clear it. The limit of file
locks has limited nothing since Linux 2.4.25; it is inherited through forks, new programs, sessions
and users (setrlimit(2)).
"""

import ctypes
import os
import re
import resource
import threading
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from zlib import crc32

from benchsuite.system import procfs
from benchsuite.system.procfs import Stat, all_pids, read_bytes, read_stat

RLIMIT_LOCKS = 10  #: For which Python has no name.
PART_BITS = 31
CLAIMS = 1 << 61  #: From here on it is no mark of a run, but a claim (see `lock`).
_LOCKS = re.compile(rb"^Max file locks +(\d+)", re.MULTILINE)
_one_at_a_time = threading.Lock()


@dataclass(frozen=True, slots=True)
class Mark:
    """Of one start of a run; without a part, of all its starts."""

    run: str
    part: str = ""

    @property
    def limit(self) -> int:
        """The number that stands for it."""
        return crc32(self.run.encode()) >> 2 << PART_BITS | crc32(self.part.encode()) >> 1

    def is_on(self, pid: int) -> bool:
        """False if unknown: then neither file of the process can be read."""
        limit = limit_of(pid)
        if limit and 1 << PART_BITS <= limit < CLAIMS:  # a run's
            unnamed_bits = 0 if self.part else PART_BITS
            return limit >> unnamed_bits == self.limit >> unnamed_bits
        name = procfs.PART_VARIABLE if self.part else procfs.RUN_VARIABLE
        return procfs.carries(pid, f"{name}={self.part or self.run}".encode())


def limit_of(pid: int) -> int | None:
    """None without a limit, and for a process that can't be read; those of others can be."""
    locks = _LOCKS.search(read_bytes(f"/proc/{pid}/limits") or b"")
    return int(locks[1]) if locks else None


@contextmanager
def limited(mark: Mark) -> Iterator[None]:
    """What is started in the block inherits the mark's limit, where the system allows it."""
    with _one_at_a_time:
        soft, hard = resource.getrlimit(RLIMIT_LOCKS)
        with suppress(ValueError, OSError):
            resource.setrlimit(RLIMIT_LOCKS, (mark.limit, hard))
        try:
            yield
        finally:
            resource.setrlimit(RLIMIT_LOCKS, (soft, hard))


PR_SET_CHILD_SUBREAPER = 36
_adopting: list[None] = []  #: An item for each block that wants it.


@contextmanager
def adopting_orphans() -> Iterator[None]:
    """In the block, descendants whose parents end become children of this process (prctl(2)): none
    leaves its tree by a double fork, and the CPU time of those that end between two looks is known.
    """
    _adopting.append(None)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        _adopting.pop()
        if not _adopting:
            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


class ProcessTree:
    """The descendants of some leaders, found by parent, session and a mark, or as members before.
    That is decided once, when a process is new. A leader must not be reaped meanwhile: its zombie
    keeps its PID from being reused. Adopted orphans are reaped by each look. Threads may share a
    tree.
    """

    def __init__(self, leaders: Iterable[int], mark: Mark | None = None) -> None:
        self._leaders = frozenset(leaders)
        self._mark = mark
        self.reaped_s = 0.0  #: CPU time of all that this process has reaped.
        self._known: dict[int, int] = {}
        self._foreign: set[int] = set()
        self._lock = threading.Lock()

    def members(self, *, thorough: bool = False) -> list[Stat]:
        """All processes of the tree, zombies included. Each look reads only those that are new on
        the machine since the last one; `thorough` reads all again.
        """
        with self._lock:
            pids = set(all_pids())
            self._foreign = set() if thorough else self._foreign & pids
            looked_at = map(read_stat, pids - self._foreign - {os.getpid()})
            stats = {stat.pid: stat for stat in looked_at if stat is not None}
            members = {
                pid
                for pid, stat in stats.items()
                if not self._leaders.isdisjoint((pid, stat.session))
                or self._known.get(pid) == stat.started
            }
            members = descendants(members, stats.values())
            if self._mark:
                strays = {pid for pid in stats.keys() - members if self._mark.is_on(pid)}
                if strays:
                    members = descendants(members | strays, stats.values())
            self._foreign |= stats.keys() - members
            members -= {pid for pid in members if self._reap(stats[pid])}
            self._known = {pid: stats[pid].started for pid in members}
            return [stats[pid] for pid in sorted(members)]

    @property
    def known(self) -> frozenset[int]:
        """The PIDs of the last look."""
        return frozenset(self._known)

    def living(self, *, thorough: bool = False) -> list[Stat]:
        return [stat for stat in self.members(thorough=thorough) if stat.alive]

    def settle(self) -> None:
        """Reaps the last orphans and counts the leaders, which have ended and are to be reaped."""
        leaders = [stat for stat in self.members() if stat.pid in self._leaders]
        ticks = sum(stat.own_ticks + stat.children_ticks for stat in leaders)
        self.reaped_s += ticks / os.sysconf("SC_CLK_TCK")

    def _reap(self, stat: Stat) -> bool:
        """Whether it was an orphan that has ended."""
        if stat.alive or stat.ppid != os.getpid() or stat.pid in self._leaders:
            return False
        with suppress(ChildProcessError):
            # In microseconds: what ended within a clock tick would count for nothing.
            used = os.wait4(stat.pid, os.WNOHANG)[2]
            self.reaped_s += used.ru_utime + used.ru_stime
        return True


def descendants(members: set[int], stats: Collection[Stat]) -> set[int]:
    """These PIDs with all that come from them."""
    while children := {stat.pid for stat in stats if stat.ppid in members} - members:
        members = members | children
    return members
