"""Who went and who came, told from lists of processes."""

import time

import pytest

from benchsuite.core.observations import Turnover
from benchsuite.system.procfs import Stat
from benchsuite.telemetry import census
from benchsuite.telemetry.census import Census
from benchsuite.telemetry.devices import TICKS_PER_S


class World:
    """Processes by PID with their ages, and a clock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        self.born: dict[int, float] = {}
        self.parents: dict[int, int] = {}
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        monkeypatch.setattr(time, "clock_gettime", lambda which: self.now)
        monkeypatch.setattr(census, "read_stat", self._stat)
        monkeypatch.setattr(census, "all_pids", lambda: [*self.born, 777])
        self.census = Census(lambda: sorted(self.born))

    def start(self, *pids: int, parent: int = 1) -> None:
        self.born.update(dict.fromkeys(pids, self.now))
        self.parents.update(dict.fromkeys(pids, parent))

    def end(self, *pids: int) -> None:
        for pid in pids:
            del self.born[pid]

    def second(self) -> None:
        self.now += 1.0
        self.census()

    def _stat(self, pid: int) -> Stat | None:
        if pid not in self.born:
            return None
        started = int(self.born[pid] * TICKS_PER_S)
        return Stat(pid, "S", self.parents[pid], 1, 0, 0, 1, started)


@pytest.fixture
def world(monkeypatch):
    made = World(monkeypatch)
    made.start(1, parent=500)
    made.start(2, 3)
    made.now += 5
    for _ in range(3):
        made.second()
    return made


def test_nobody(world):
    begin = world.now
    world.second()
    assert world.census.turnover(begin, world.now) == Turnover()
    assert world.census.last == (1, 2, 3)


def test_one_replaced_and_one_gone(world):
    begin = world.now
    world.end(2, 3)
    world.start(4)
    world.second()
    assert world.census.turnover(begin, world.now) == Turnover(replaced=1, gone=1)


def test_a_pid_that_is_used_again_is_another_process(world):
    begin = world.now
    world.end(2)
    world.start(2)
    world.second()
    assert world.census.turnover(begin, world.now) == Turnover(replaced=1)


def test_what_happens_before_the_window_is_no_matter(world):
    world.end(2)
    world.start(4)
    world.second()
    begin = world.now
    world.second()
    assert world.census.turnover(begin, world.now) == Turnover()


def test_helpers_of_requests_are_no_part_of_the_server(world):
    """However old they are: their parent is a worker."""
    world.start(9, parent=2)
    world.second()
    begin = world.now
    world.end(9)
    world.start(10, parent=2)
    world.census.look_for_children()
    world.second()
    assert world.census.turnover(begin, world.now) == Turnover()


@pytest.mark.parametrize("ends", [5, 7, 10])
def test_each_end_counts_also_between_two_looks(world, ends):
    begin, now = world.now, 2
    for number in range(ends):
        world.end(now)
        now = 100 + number
        world.start(now)
        world.now += 0.1
        world.census.look_for_children()
    world.second()
    world.second()
    assert world.census.turnover(begin, world.now) == Turnover(replaced=ends)


def test_who_ended_and_was_not_waited_for_is_gone_though_a_short_look_still_sees_him(
    world, monkeypatch
):
    """A zombie, of a master that hangs."""
    world.census.look_for_children()
    begin = world.now
    monkeypatch.setattr(census, "all_pids", lambda: [1, 2, 3])
    world.end(3)
    world.second()
    end = world.now
    world.now += 0.1
    world.census.look_for_children()
    world.second()
    assert world.census.turnover(begin, end) == Turnover(gone=1)


def test_processes_that_end_after_the_window_are_no_matter(world):
    begin = world.now
    world.second()
    end = world.now
    world.end(2)
    world.start(4)
    world.second()
    assert world.census.turnover(begin, end) == Turnover()


def test_whoever_was_there_before_the_load_is_part_of_the_server(monkeypatch):
    young = World(monkeypatch)
    young.start(1, 2)
    young.census()
    begin = young.now
    young.end(2)
    young.start(3)
    young.second()
    assert young.census.turnover(begin, young.now) == Turnover(replaced=1)


def test_without_a_look_at_both_ends_nothing_is_known(world):
    assert world.census.turnover(world.now - 60, world.now) is None
    assert world.census.turnover(world.now, world.now + 60) is None


def test_who_was_there_before_a_restart_nobody_misses(monkeypatch):
    world = World(monkeypatch)
    world.start(10, 11)
    world.second()
    begin = world.now
    world.second()
    world.end(10, 11)
    world.start(20, 21)
    world.census.begin_anew()
    world.second()
    world.second()
    assert world.census.turnover(begin, world.now) == Turnover()
    world.end(21)
    world.second()
    assert world.census.turnover(begin, world.now) == Turnover(gone=1)
