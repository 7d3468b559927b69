"""Which processes belong together: a leader, its descendants, and runaways."""

import os
import threading
from collections.abc import Iterable

from benchsuite.system.procfs import Stat, all_pids, carries, read_stat


class ProcessTree:
    """The descendants of some leaders, found by parent, session and a mark.

    A process belongs to the tree if it is a leader, is in a leader's session, carries the mark (one
    `NAME=value` of its environment), is a child of a member, or was a member before. So it is found
    after its parent died, after it started its own session, and after it overwrote its environment;
    only one that did all of these between two looks is missed.

    A leader must not be reaped while the tree is used: its zombie keeps its PID and session ID from
    being reused. Threads may share a tree.
    """

    def __init__(self, leaders: Iterable[int], mark: str = "") -> None:
        self._leaders = frozenset(leaders)
        self._mark = mark.encode()
        self._known: dict[int, int] = {}
        self._foreign: set[int] = set()
        self._lock = threading.Lock()

    def members(self, *, thorough: bool = False) -> list[Stat]:
        """All processes of the tree, zombies included.

        Each look reads only processes that are new on the machine since the last one; `thorough`
        reads all of them again.
        """
        with self._lock:
            return self._look(thorough=thorough)

    def living(self, *, thorough: bool = False) -> list[Stat]:
        return [stat for stat in self.members(thorough=thorough) if stat.alive]

    def _look(self, *, thorough: bool) -> list[Stat]:
        pids = set(all_pids())
        self._foreign = set() if thorough else self._foreign & pids
        stats = {}
        for pid in pids - self._foreign - {os.getpid()}:
            stat = read_stat(pid)
            if stat is not None:
                stats[pid] = stat
        found = {pid for pid, stat in stats.items() if self._belongs(stat)}
        _add_children(found, stats)
        if self._mark:
            strays = {pid for pid in stats.keys() - found if carries(pid, self._mark)}
            if strays:
                found |= strays
                _add_children(found, stats)
        self._foreign |= stats.keys() - found
        self._known = {pid: stats[pid].started for pid in found}
        return [stats[pid] for pid in sorted(found)]

    def _belongs(self, stat: Stat) -> bool:
        return (
            stat.pid in self._leaders
            or stat.session in self._leaders
            or self._known.get(stat.pid) == stat.started
        )


def _add_children(found: set[int], stats: dict[int, Stat]) -> None:
    """Completes a set of PIDs with all their descendants."""
    grown = True
    while grown:
        children = {pid for pid, stat in stats.items() if stat.ppid in found} - found
        found |= children
        grown = bool(children)
