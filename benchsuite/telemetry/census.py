"""Which processes the target consists of, second by second, and those that ended between."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from benchsuite.core.observations import Turnover
from benchsuite.system.procfs import Stat, all_pids, read_stat

STEP_S = 0.1  #: Between looks for new processes: one that serves takes longer to start.
MOST_SHARE = 0.01  #: Of a CPU, that these looks may take where a machine has many processes.
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
        self._around: dict[int, _Key | None] = {}
        """All processes of the machine at the last short look; a key for those of the server."""
        self._seen: dict[_Key, float] = {}  #: When each process of the server was last seen.

    def __call__(self) -> list[int]:
        pids = self._pids()
        stats = [stat for pid in pids if (stat := read_stat(pid)) is not None and stat.alive]
        self.last = tuple(pids)
        now = time.monotonic()
        if not self._counts:
            self._masters = frozenset({stat.ppid for stat in stats} & set(pids))
            self._seen = {_key(stat): now for stat in stats}
        own = [stat for stat in stats if _key(stat) in self._seen or stat.ppid in self._masters]
        self._counts.append((now, frozenset(map(_key, own))))
        self._seen.update((_key(stat), now) for stat in own)
        return pids

    @contextmanager
    def looking_closely(self) -> Iterator[None]:
        """Looks for children ten times a second: one that crashes may do so between two looks."""
        over = threading.Event()

        def look() -> None:
            pause_s = STEP_S
            while not over.wait(pause_s):
                begin = time.monotonic()
                self.look_for_children()
                pause_s = max(STEP_S, (time.monotonic() - begin) / MOST_SHARE)

        thread = threading.Thread(target=look, name="benchsuite-census", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def look_for_children(self) -> None:
        now, around = time.monotonic(), {}
        for pid in all_pids():
            if pid in self._around:
                key = self._around[pid]
            else:
                stat = read_stat(pid)
                key = _key(stat) if stat is not None and stat.ppid in self._masters else None
            around[pid] = key
            if key is not None:
                self._seen[key] = now
        self._around = around

    def turnover(self, begin: float, end: float) -> Turnover | None:
        """Who went and came between two moments; None without looks at both."""
        earlier = [count for count in self._counts if count[0] <= begin]
        later = [count for count in self._counts if count[0] >= end]
        if not earlier or not later:
            return None
        (_, first), (begun_at, before), (ended_at, after) = self._counts[0], earlier[-1], later[0]
        seen = dict(self._seen).items()
        ended = {key for key, last in seen if begun_at <= last < ended_at and key not in after}
        # a short look sees those still that have ended and that nobody has waited for
        ended |= before - after
        gone = max(0, len(before & first - after) - len(after - before))
        return Turnover(replaced=len(ended) - gone, gone=gone)


def _key(stat: Stat) -> _Key:
    return (stat.pid, stat.started)
