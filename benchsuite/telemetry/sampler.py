"""Reads the parts of the system once a second, from a thread of the parent; and which processes the
target consists of then, with those that ended between.
"""

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from benchsuite.core.observations import Turnover
from benchsuite.core.results import Reading
from benchsuite.system import cpus
from benchsuite.system.procfs import Key, Stat, read_stat
from benchsuite.telemetry.base import Device, Figures, ServiceProbe, Snapshot
from benchsuite.telemetry.devices import Counts, Cpu, Memory, OpenFiles

DEVICES: tuple[type[Device], ...] = (Cpu, Memory, Counts, OpenFiles)
COSTLY_SHARE = 0.008
"""Of one core, for seconds with costly figures, give or take a fifth; others take 0.2 ms, so that
together they stay below 1 %."""
ALLOWANCE = 0.2  #: Of an interval: a reading may take so long, and a cost reach into the next one.
STOP_S = 10.0  #: How long the thread may take to end the reading that it is at.
Pids = Callable[[], list[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    readings: tuple[Reading, ...]  #: Their `second` is `time.monotonic()` as its round began.
    cpu_percent: float | None  #: What the sampling itself cost, in percent of one CPU.
    errors: tuple[str, ...]  #: What could not be read and why, each once, with how often.


class Sampler:
    """Watches named parts, each given by a function that lists its living processes.

    An error of a device or of such a function ends neither the run nor the sampling: the figure is
    missing, and the error is told in the end. What is in `also` is called after the parts, each
    time. `service_probes` are asked with the part of that name. `reaped_s` tells for each part
    the CPU time of its orphans that have ended. `elsewhere` gives what was read on other machines.
    It stays `on_cpus` until readings come slowly there, as beside hundreds of busy processes. The
    costly figures of the part that is `measured` by them are read each time, whatever that costs.
    """

    def __init__(
        self,
        parts: Mapping[str, Pids],
        interval_s: float = 1.0,
        devices: Sequence[type[Device]] = DEVICES,
        also: Sequence[Callable[[], object]] = (),
        service_probes: Mapping[str, ServiceProbe] | None = None,
        reaped_s: Callable[[str], float] = lambda part: 0.0,
        elsewhere: Callable[[], Iterable[Reading]] = tuple,
        on_cpus: Collection[int] | None = None,
        measured: str = "",
    ) -> None:
        self._on_cpus, self._all_cpus = on_cpus, cpus.available()
        self._service_probes, self._reaped_s = dict(service_probes or {}), reaped_s
        self._elsewhere = elsewhere
        self._interval_s, self._also, self._devices = interval_s, also, devices
        self._readings: list[Reading] = []
        self._errors: Counter[str] = Counter()
        self._measured, self._costly_from = measured, 0.0
        self._cpu_s = 0.0
        self._started_at = 0.0
        self._watched_s = 0.0
        self._enough = threading.Event()
        # A daemon: a parent that gives up must not wait for it.
        self._thread = threading.Thread(target=self._watch, name="benchsuite-sampler", daemon=True)
        self._parts = [(part, pids, self._started(part)) for part, pids in parts.items()]

    def _started(self, part: str) -> list[Device]:
        """The devices that can tell of this part."""
        devices = [kind() for kind in self._devices if not kind.parts or part in kind.parts]
        return [
            device
            for device in devices
            if self._tried(f"{part}, {type(device).__name__}", device.start)
        ]

    def start(self) -> None:
        self._started_at = time.monotonic()
        self._thread.start()

    def stop(self) -> Watched:
        """Return everything seen; what was not started has seen nothing."""
        if self._thread.ident is not None:
            self._enough.set()
            deadline = time.monotonic() + STOP_S
            while self._thread.is_alive() and time.monotonic() < deadline:
                self._spread(self._thread.native_id)  # again: a device that pins it puts it back
                self._thread.join(STOP_S / 100)
            if self._thread.is_alive():
                self._errors[f"The sampler did not end within {STOP_S:g} s."] += 1
        for part, _, devices in self._parts:
            for device in devices:
                self._tried(f"{part}, {type(device).__name__}", device.stop)
        for name, probe in self._service_probes.items():
            self._tried(f"{name}, its counts", probe.close)
        return Watched(
            readings=tuple(self._readings),
            cpu_percent=100 * self._cpu_s / self._watched_s if self._watched_s else None,
            errors=tuple(
                text if count == 1 else f"{text} ({count} times)"
                for text, count in self._errors.items()
            ),
        )

    def last(self, part: str) -> Reading | None:
        return next((one for one in reversed(self._readings) if one.part == part), None)

    def since(self, start: int) -> tuple[Reading, ...]:
        """All readings from that number on."""
        return tuple(self._readings[start:])

    def _watch(self) -> None:
        due = self._started_at
        with cpus.given(self._on_cpus):
            while not self._enough.wait(max(0.0, due - time.monotonic())):
                self._read()
                # Seconds that were missed are missing, and not made up for in a hurry.
                missed = max(0.0, (time.monotonic() - due) // self._interval_s)
                if time.monotonic() - due > ALLOWANCE * self._interval_s:
                    self._spread()
                due += self._interval_s * (missed + 1)

    def _spread(self, thread: int | None = None) -> None:
        """Gives the thread, by default the current one, all CPUs."""
        with suppress(OSError):  # it has ended
            os.sched_setaffinity(thread or 0, self._all_cpus)

    def _read(self) -> None:
        cost_s, now = 0.0, time.monotonic()
        for part, pids, devices in self._parts:
            before_s = time.thread_time()
            self._read_part(part, pids, devices, now)
            if part != self._measured:
                cost_s += time.thread_time() - before_s
        for look in self._also:
            self._tried(getattr(look, "__qualname__", "look"), look)
        self._tried("another machine", lambda: self._readings.extend(self._elsewhere()))
        self._cpu_s = time.thread_time()
        self._watched_s = time.monotonic() - self._started_at
        if now >= self._costly_from:
            self._costly_from = now + cost_s / COSTLY_SHARE - ALLOWANCE * self._interval_s

    def _read_part(self, part: str, pids: Pids, devices: Sequence[Device], now: float) -> None:
        stats: list[Stat] = []
        figures: Figures = {}
        counts: dict[str, int] = {}
        costly = part == self._measured or now >= self._costly_from

        def list_processes() -> None:
            stats.extend(stat for pid in pids() if (stat := read_stat(pid)) and stat.alive)

        def add(device: Device, snapshot: Snapshot) -> None:
            seen: Figures = {**device.sample(snapshot)}
            Reading(second=now, part=part, **seen)  # raises TypeError for what is no field
            counts.update(seen.pop("counts", {}))
            figures.update(seen)

        if not self._tried(f"{part}, its processes", list_processes):
            return
        snapshot = Snapshot(
            at=time.monotonic(), stats=tuple(stats), reaped_s=self._reaped_s(part), costly=costly
        )
        for device in devices:
            self._tried(f"{part}, {type(device).__name__}", add, device, snapshot)
        if probe := self._service_probes.get(part):
            self._tried(f"{part}, its counts", lambda: counts.update(probe.sample()))
        if counts:
            figures["counts"] = counts
        self._readings.append(Reading(second=now, part=part, **figures))

    def _tried(self, where: str, action: Callable[..., object], *arguments: object) -> bool:
        try:
            action(*arguments)
        except Exception as error:  # noqa: BLE001 - a border: watching must not end what is watched
            self._errors[f"{where}: {type(error).__name__}: {error}"] += 1
            return False
        return True


class Census:
    """Lists the processes of a part for the sampler, and remembers who was there.

    The server is whoever was there at the first look, and whoever has a parent in common with one
    of them that has children: a master's workers. What else comes is a helper that a request has
    started, and no part of the server.
    """

    def __init__(self, pids: Callable[[], list[int]]) -> None:
        self._pids = pids
        self._counts: list[tuple[float, frozenset[Key]]] = []  #: Moment, processes of the server.
        self.last: tuple[int, ...] = ()  #: PIDs of the last look.
        self._masters: frozenset[int] = frozenset()
        self._server: set[Key] = set()  #: All processes of the server until now.

    def __call__(self) -> list[int]:
        pids = self._pids()
        stats = [stat for pid in pids if (stat := read_stat(pid)) is not None and stat.alive]
        self.last = tuple(pids)
        now = time.monotonic()
        if not self._counts:
            self._masters = frozenset({stat.ppid for stat in stats} & set(pids))
            self._server = {stat.key for stat in stats}
        own = [stat for stat in stats if stat.key in self._server or stat.ppid in self._masters]
        keys = frozenset(stat.key for stat in own)
        self._counts.append((now, keys))
        self._server |= keys
        return pids

    def turnover(self, begin: float, end: float) -> Turnover | None:
        """Who went and came between two moments; None without looks at both."""
        earlier = [count for count in self._counts if count[0] <= begin]
        later = [count for count in self._counts if count[0] >= end]
        if not earlier or not later:
            return None
        first, (begun_at, before), (ended_at, after) = self._counts[0][1], earlier[-1], later[0]
        meanwhile = (keys for at, keys in self._counts if begun_at <= at < ended_at)
        ended = frozenset[Key]().union(*meanwhile) - after
        gone = max(0, len(before & first - after) - len(after - before))
        return Turnover(replaced=len(ended) - gone, gone=gone)
