"""The machine while a run lasts: what others take, the kernel counts, its clocks; 1 ms a look."""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from benchsuite.core.observations import ClockCheck, HostShares
from benchsuite.core.readings import DATABASE_BESIDE, OTHERS, STOLEN
from benchsuite.system import cpus
from benchsuite.system.procfs import Key, Stat, all_pids, read_stat, read_text
from benchsuite.system.tree import descendants
from benchsuite.telemetry.base import Clocks, Snapshot
from benchsuite.telemetry.devices import TICKS_PER_S, Cpu, waiting_us

KERNEL_THREADS = 2  #: The PID of their parent: what they do they mostly do for us.
TCP = ["TcpExt:"]
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
        self._names: dict[Key, str] = {}
        self._seen: dict[Key, int] = {}
        self.ticks: Counter[tuple[str, int]] = Counter()  #: By name and PID, since the first look.
        self.stopped = False  #: Whether one of `ours` was, at the last look, as cpulimit does it.

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
        now = {stat.key: stat.own_ticks for stat in strangers}
        for key, ticks in now.items():
            # Who came since the last look has used all of its time since then.
            grown = ticks - self._seen.get(key, 0 if self._seen else ticks)
            if grown:
                self.ticks[self._names[key], key[0]] += grown
        self._seen = now
        self._names = {key: name for key, name in self._names.items() if key in now}
        databases = [stat for stat, name in named if name in DATABASES]
        self.database_percent = _percent(self._databases, databases)
        return _percent(self._cpu, strangers)

    def culprit(self, seconds: float) -> str:
        """Who took most, if it was that much of a CPU over these seconds: "make (91)"."""
        for (name, pid), ticks in self.ticks.most_common(1):
            if ticks / TICKS_PER_S > CULPRIT_PERCENT / 100 * seconds:
                return f"{name} ({pid})"
        return ""

    def _name(self, stat: Stat) -> str:
        """What it runs; read twice, because a new process may not run its own program yet."""
        key = stat.key
        if key not in self._names or key not in self._seen:
            self._names[key] = read_text(f"/proc/{stat.pid}/comm").strip()
        return self._names[key]


def _percent(cpu: Cpu, stats: Iterable[Stat]) -> float | None:
    living = tuple(stat for stat in stats if stat.alive)
    return cpu.sample(Snapshot(at=time.monotonic(), stats=living)).get("cpu_percent")


CULPRIT_PERCENT = 2.0  #: Less of a CPU is not worth a name.
LATE_S = 0.25  #: How much after the end of a window its last look may come.


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What the kernel's counters said at one moment; None for what this kernel doesn't count."""

    at: float
    wall_apart: float
    suspended_s: float
    cpu_ticks: int | None  #: Of all CPUs together, since boot.
    steal_ticks: int | None
    memory_waiting_us: int | None
    listen_overflows: int | None
    throttled: Mapping[Path, tuple[int, int]]
    """Periods and throttled ones, by the counters of our control groups that have a limit."""
    others_percent: float | None  #: Of one CPU, since the look before.
    stopped: bool = False  #: Whether a process of ours was stopped by a signal.


class Host:
    """Call `look()` once a second; `shares()` and `clock()` tell of any part of the time."""

    def __init__(
        self,
        ours: Callable[[], Iterable[int]] = tuple,
        *,
        cpus: int,
        clocks: Clocks | None = None,
        root: Path = Path("/"),
    ) -> None:
        self._cpus = cpus
        self._clocks = clocks or Clocks()
        self._proc = root / "proc"
        self._root = root
        self._ours = ours
        self._groups: dict[str, tuple[Path, ...]] = {}  #: By what a process's `cgroup` says.
        self._strangers = Others(ours)
        self.looks: list[Look] = []

    def look(self) -> None:
        clocks = self._clocks
        # Guests' time is in the user's already (proc(5)).
        fields = read_text(self._proc / "stat").partition("\n")[0].split()[1:9]
        ticks = [int(field) for field in fields] if len(fields) == 8 else []
        # Two lines for each group of counters: names, then numbers.
        lines = [line.split() for line in read_text(self._proc / "net/netstat").splitlines()]
        pairs = (dict(zip(*pair, strict=False)) for pair in pairwise(lines) if pair[0][:1] == TCP)
        kernel = next((pair for pair in pairs if "ListenOverflows" in pair), None)
        counters: set[Path] = set()  #: Of the groups that this process and the target are in.
        for pid in ("self", *self._ours()):
            text = read_text(self._proc / f"{pid}/cgroup")
            if text not in self._groups:
                files = (one / "cpu.stat" for one in cpus.cgroup_folders("cpu", text, self._root))
                counting = (file for file in files if "nr_throttled" in read_text(file))
                self._groups[text] = tuple(counting)
            counters.update(self._groups[text])
        self.looks.append(
            Look(
                at=clocks.monotonic(),
                wall_apart=clocks.apart(clocks.wall),
                suspended_s=clocks.apart(clocks.since_boot),
                cpu_ticks=sum(ticks) if ticks else None,
                steal_ticks=ticks[7] if ticks else None,
                memory_waiting_us=waiting_us(self._proc / "pressure" / "memory"),
                listen_overflows=int(kernel["ListenOverflows"]) if kernel else None,
                throttled={file: _periods(file) for file in counters},
                others_percent=self._strangers.look(),
                stopped=self._strangers.stopped,
            )
        )

    def sample(self) -> Mapping[str, int]:
        """What the last look adds to the counts of the target."""
        shares = {DATABASE_BESIDE: self._strangers.database_percent}
        if len(self.looks) > 1:
            before, last = self.looks[-2:]
            ticks = _grown(before.cpu_ticks, last.cpu_ticks)
            shares[STOLEN] = _share(before.steal_ticks, last.steal_ticks, ticks)
            percent = last.others_percent
            shares[OTHERS] = None if percent is None else percent / self._cpus
        return {name: round(percent) for name, percent in shares.items() if percent is not None}

    def close(self) -> None:
        """As a `ServiceProbe`: there is nothing to give back."""

    def shares(self, begin: float, end: float) -> HostShares | None:
        """What happened between two moments; None with fewer than two looks there."""
        looks = [one for one in self.looks if begin <= one.at <= end + LATE_S]
        if len(looks) < 2:
            return None
        first, last = looks[0], looks[-1]
        begun = [first, *(one for one in self.looks if one.at < begin)][-1]
        parts = [
            (after.at - before.at, after.others_percent)
            for before, after in pairwise(looks)
            if after.others_percent is not None
        ]
        seconds = sum(lasted for lasted, _ in parts)
        used = sum(lasted * percent for lasted, percent in parts)
        return HostShares(
            steal_percent=_share(
                first.steal_ticks, last.steal_ticks, _grown(first.cpu_ticks, last.cpu_ticks)
            ),
            others_percent=used / seconds / self._cpus if seconds else None,
            culprit=self._strangers.culprit(self.looks[-1].at - self.looks[0].at),
            throttled_percent=_throttled(looks),
            stopped_percent=100 * sum(one.stopped for one in looks) / len(looks),
            memory_pressure_percent=_share(
                first.memory_waiting_us, last.memory_waiting_us, (last.at - first.at) * 1e6
            ),
            listen_overflows=_grown(begun.listen_overflows, last.listen_overflows),
        )

    def clock(self, interval_s: float) -> ClockCheck | None:
        """Over all looks, which should have come in this interval."""
        if len(self.looks) < 2:
            return None
        first, last = self.looks[0], self.looks[-1]
        late_s = max(after.at - before.at - interval_s for before, after in pairwise(self.looks))
        suspended_s = last.suspended_s - first.suspended_s
        return ClockCheck(
            wall_step_s=last.wall_apart - first.wall_apart - suspended_s,
            gap_s=max(0.0, late_s, suspended_s),
        )


def _grown(first: int | None, last: int | None) -> int | None:
    return None if first is None or last is None else last - first


def _share(first: int | None, last: int | None, whole: float | None) -> float | None:
    grown = _grown(first, last)
    return None if grown is None or not whole else 100 * grown / whole


def _throttled(looks: list[Look]) -> float | None:
    """Of the group that was held back most, for as long as anybody was in it."""
    shares = []
    for file in {file for one in looks for file in one.throttled}:
        counts = [one.throttled[file] for one in looks if file in one.throttled]
        (begun, held), (ended, held_at_last) = counts[0], counts[-1]
        if ended > begun:
            shares.append(100 * (held_at_last - held) / (ended - begun))
    return max(shares, default=None)


def _periods(file: Path) -> tuple[int, int]:
    fields = dict(line.split() for line in read_text(file).splitlines())
    return int(fields.get("nr_periods", 0)), int(fields.get("nr_throttled", 0))
