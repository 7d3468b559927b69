"""Which processes the target consists of, second by second."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from benchsuite.proc.procfs import read_stat
from benchsuite.stats.validity import Turnover
from benchsuite.telemetry.cpu import TICKS_PER_S

SETTLED_S = 0.5
"""A process that came with the load and is younger may be a helper that a request has started, and
no part of the server."""

_Key = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Count:
    at: float
    """`time.monotonic()`"""
    boot_ticks: float
    processes: frozenset[_Key]
    """PID and start, which together name a process for good."""


class Census:
    """Lists the processes of a part for the sampler, and remembers who was there."""

    def __init__(self, pids: Callable[[], list[int]]) -> None:
        self._pids = pids
        self._counts: list[_Count] = []
        self.last: tuple[int, ...] = ()
        """PIDs of the last look."""

    def __call__(self) -> list[int]:
        pids = self._pids()
        stats = [stat for pid in pids if (stat := read_stat(pid)) is not None and stat.alive]
        self.last = tuple(pids)
        self._counts.append(
            _Count(
                at=time.monotonic(),
                boot_ticks=time.clock_gettime(time.CLOCK_BOOTTIME) * TICKS_PER_S,
                processes=frozenset((stat.pid, stat.started) for stat in stats),
            )
        )
        return pids

    def turnover(self, begin: float, end: float) -> Turnover | None:
        """Who went and who came between two moments; None without a look at both."""
        earlier = [count for count in self._counts if count.at <= begin]
        later = [count for count in self._counts if count.at >= end]
        if not earlier or not later:
            return None
        first, before, after = self._counts[0], earlier[-1], later[0]
        settled_until = before.boot_ticks - SETTLED_S * TICKS_PER_S
        went = {
            one
            for one in before.processes - after.processes
            if one in first.processes or one[1] <= settled_until
        }
        came = len(after.processes - before.processes)
        return Turnover(
            replaced=min(len(went), came),
            # Who came later than the load may have been there for one request only.
            gone=max(0, len(went & first.processes) - came),
        )
