"""The CPU that programs take which don't belong to the run."""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable

from benchsuite.system.procfs import Stat, all_pids, read_bytes, read_stat
from benchsuite.system.tree import descendants
from benchsuite.telemetry.base import Snapshot
from benchsuite.telemetry.cpu import TICKS_PER_S, Cpu

KERNEL_THREADS = 2  #: The PID of their parent: what they do they mostly do for us.

STOPPED = "T"  #: The state of a process after SIGSTOP (proc_pid_stat(5)); a debugger's is another.

DATABASES = frozenset({"postgres", "mysqld", "mariadbd"})
SERVICES = DATABASES | {"redis-server", "valkey-server", "memcached"}
"""Programs that the target may keep busy: their time is not another's."""


class Others:
    """All processes that neither come from this one nor are named by `ours`."""

    def __init__(self, ours: Callable[[], Iterable[int]]) -> None:
        self._ours = ours
        self._cpu = Cpu()
        self._databases = Cpu()
        self.database_percent: float | None = None
        """Of one CPU, of databases that this run has not started; None where there are none."""
        self._names: dict[tuple[int, int], str] = {}
        self._seen: dict[tuple[int, int], int] = {}
        self.ticks: Counter[tuple[str, int]] = Counter()  #: By name and PID, since the first look.
        self.stopped = False
        """Whether one of `ours` was stopped by a signal at the last look, as cpulimit does it."""

    def look(self) -> float | None:
        """Percent of one CPU since the last look; None at the first, and when it is too soon."""
        stats = [stat for pid in all_pids() if (stat := read_stat(pid)) is not None]
        ours = descendants({os.getpid(), *self._ours()}, stats)
        self.stopped = any(stat.state == STOPPED and stat.pid in ours for stat in stats)
        named = [
            (stat, self._name(stat))
            for stat in stats
            if stat.pid not in ours and KERNEL_THREADS not in (stat.pid, stat.ppid)
        ]
        strangers = [stat for stat, name in named if name not in SERVICES]
        self._remember(strangers)
        databases = [stat for stat, name in named if name in DATABASES]
        self.database_percent = _percent(self._databases, databases)
        return _percent(self._cpu, strangers)

    def culprit(self, least_percent: float, seconds: float) -> str:
        """Who took most, if it was that much of a CPU over these seconds: "make (91)"."""
        for (name, pid), ticks in self.ticks.most_common(1):
            if ticks / TICKS_PER_S > least_percent / 100 * seconds:
                return f"{name} ({pid})"
        return ""

    def _name(self, stat: Stat) -> str:
        """What it runs; read twice, because a new process may not run its own program yet."""
        key = (stat.pid, stat.started)
        if key not in self._names or key not in self._seen:
            name = read_bytes(f"/proc/{stat.pid}/comm") or b""
            self._names[key] = name.decode(errors="replace").strip()
        return self._names[key]

    def _remember(self, strangers: list[Stat]) -> None:
        now = {(stat.pid, stat.started): stat.own_ticks for stat in strangers}
        for key, ticks in now.items():
            # Who came since the last look has used all of its time since then.
            grown = ticks - self._seen.get(key, 0 if self._seen else ticks)
            if grown:
                self.ticks[self._names[key], key[0]] += grown
        self._seen = now
        self._names = {key: name for key, name in self._names.items() if key in now}


def _percent(cpu: Cpu, stats: Iterable[Stat]) -> float | None:
    living = tuple(stat for stat in stats if stat.alive)
    return cpu.sample(Snapshot(at=time.monotonic(), stats=living)).get("cpu_percent")
