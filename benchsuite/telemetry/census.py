"""Which processes the target consists of, second by second, and those that ended between."""

import time
from collections.abc import Callable

from benchsuite.core.observations import Turnover
from benchsuite.system.procfs import Stat, read_stat

_Key = tuple[int, int]  #: PID and start, which together name a process for good.


class Census:
    """Lists the processes of a part for the sampler, and remembers who was there.

    The server is whoever was there at the first look, and whoever has a parent in common with one
    of them that has children: a master's workers. What else comes is a helper that a request has
    started, and no part of the server.
    """

    def __init__(self, pids: Callable[[], list[int]]) -> None:
        self._pids = pids
        self._counts: list[tuple[float, frozenset[_Key]]] = []
        """At a moment of `time.monotonic()`: the processes of the server."""
        self.last: tuple[int, ...] = ()  #: PIDs of the last look.
        self._masters: frozenset[int] = frozenset()
        self._server: set[_Key] = set()  #: All processes of the server until now.

    def __call__(self) -> list[int]:
        pids = self._pids()
        stats = [stat for pid in pids if (stat := read_stat(pid)) is not None and stat.alive]
        self.last = tuple(pids)
        now = time.monotonic()
        if not self._counts:
            self._masters = frozenset({stat.ppid for stat in stats} & set(pids))
            self._server = {_key(stat) for stat in stats}
        own = [stat for stat in stats if _key(stat) in self._server or stat.ppid in self._masters]
        self._counts.append((now, frozenset(map(_key, own))))
        self._server.update(map(_key, own))
        return pids

    def turnover(self, begin: float, end: float) -> Turnover | None:
        """Who went and came between two moments; None without looks at both."""
        earlier = [count for count in self._counts if count[0] <= begin]
        later = [count for count in self._counts if count[0] >= end]
        if not earlier or not later:
            return None
        first, (begun_at, before), (ended_at, after) = self._counts[0][1], earlier[-1], later[0]
        meanwhile = (keys for at, keys in self._counts if begun_at <= at < ended_at)
        ended = frozenset[_Key]().union(*meanwhile) - after
        gone = max(0, len(before & first - after) - len(after - before))
        return Turnover(replaced=len(ended) - gone, gone=gone)


def _key(stat: Stat) -> _Key:
    return (stat.pid, stat.started)
