"""Who went and who came, told from lists of processes."""

import time

from benchsuite.system.procfs import Stat
from benchsuite.telemetry import sampler
from benchsuite.telemetry.devices import TICKS_PER_S
from benchsuite.telemetry.sampler import Census


class World:
    """Processes by PID with their ages, and a clock."""

    current: "World"

    def __init__(self):
        World.current = self
        self.now = 1000.0
        self.born: dict[int, float] = {}
        self.parents: dict[int, int] = {}
        self.census = Census(lambda: sorted(self.born))
        self.begin = 0.0

    def start(self, *pids, parent=1):
        self.born.update(dict.fromkeys(pids, self.now))
        self.parents.update(dict.fromkeys(pids, parent))

    def end(self, *pids):
        for pid in pids:
            del self.born[pid]

    def second(self):
        self.now += 1.0
        self.census()

    def turnover(self):
        """A second later, since the window began."""
        self.second()
        return self.census.turnover(self.begin, self.now)

    def stat(self, pid):
        if pid not in self.born:
            return None
        started = int(self.born[pid] * TICKS_PER_S)
        return Stat(pid, "S", self.parents[pid], 1, 0, 0, 1, started)


def grown():
    """A master with two workers, seen for three seconds; the window begins."""
    made = World()
    made.start(1, parent=500)
    made.start(2, 3)
    made.now += 5
    for _ in range(3):
        made.second()
    made.begin = made.now
    return made


def crashing(times):
    """One worker after another ends, each seen by one look."""
    world, last = grown(), 2
    for number in range(times):
        world.end(last)
        last = 100 + number
        world.start(last)
        world.second()
    return world


def test_values(monkeypatch, golden):
    monkeypatch.setattr(time, "monotonic", lambda: World.current.now)
    monkeypatch.setattr(time, "clock_gettime", lambda which: World.current.now)
    monkeypatch.setattr(sampler, "read_stat", lambda pid: World.current.stat(pid))
    golden.values()
