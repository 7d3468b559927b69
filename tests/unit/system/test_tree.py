import os
from types import SimpleNamespace

import pytest

from benchsuite.system import tree
from benchsuite.system.procfs import Stat
from benchsuite.system.tree import Mark, ProcessTree

MARK = Mark("run", "run/1/1")


class Machine:
    """A table of processes, and how often each was read."""

    def __init__(self) -> None:
        self.stats: dict[int, Stat] = {}
        self.marked: set[int] = set()
        self.reads: list[int] = []

    def add(self, pid: int, ppid: int = 1, session: int = 1, state: str = "S", started: int = 0):
        self.stats[pid] = Stat(pid, state, ppid, session, 0, 0, 1, started or pid)

    def read(self, pid: int) -> Stat | None:
        self.reads.append(pid)
        return self.stats.get(pid)


@pytest.fixture
def machine(monkeypatch) -> Machine:
    machine = Machine()
    monkeypatch.setattr(tree, "all_pids", lambda: list(machine.stats))
    monkeypatch.setattr(tree, "read_stat", machine.read)
    monkeypatch.setattr(Mark, "is_on", lambda mark, pid: mark == MARK and pid in machine.marked)
    machine.add(1, ppid=0)
    machine.add(50)
    machine.add(51, ppid=50)
    machine.add(100, session=100)
    return machine


def pids(family: ProcessTree) -> list[int]:
    return [stat.pid for stat in family.living()]


def test_children_of_children_in_any_order(machine):
    machine.add(90, ppid=110)
    machine.add(110, ppid=100)
    machine.add(111, ppid=90)
    assert pids(ProcessTree({100})) == [90, 100, 110, 111]


def test_orphans_are_found_by_their_session(machine):
    machine.add(110, session=100)
    assert pids(ProcessTree({100})) == [100, 110]


def test_runaways_and_their_children_are_found_by_the_mark(machine):
    machine.add(110, session=110)
    machine.add(111, ppid=110, session=111)
    machine.marked = {110}
    assert pids(ProcessTree({100}, MARK)) == [100, 110, 111]
    assert pids(ProcessTree({100}, Mark("run", "run/1/2"))) == [100]
    assert pids(ProcessTree({100})) == [100]


def test_what_was_found_once_is_known_when_it_loses_its_parent(machine):
    family = ProcessTree({100})
    machine.add(110, ppid=100, session=110)
    assert pids(family) == [100, 110]
    machine.add(110, ppid=1, session=110)
    del machine.stats[100]
    assert pids(family) == [110]


def test_a_known_pid_that_was_used_again_is_a_stranger(machine):
    family = ProcessTree({100})
    machine.add(110, ppid=100, session=110)
    assert pids(family) == [100, 110]
    machine.add(110, ppid=1, session=110, started=999)
    assert pids(family) == [100]


def test_zombies_are_members_and_not_alive(machine):
    machine.add(100, session=100, state="Z")
    family = ProcessTree({100})
    assert [stat.pid for stat in family.members()] == [100]
    assert pids(family) == []


def test_strangers_are_read_once(machine):
    family = ProcessTree({100}, MARK)
    family.members()
    machine.reads.clear()
    family.members()
    assert machine.reads == [100]
    machine.reads.clear()
    family.members(thorough=True)
    assert sorted(machine.reads) == [1, 50, 51, 100]


def test_a_process_that_vanishes_between_listing_and_reading(machine, monkeypatch):
    monkeypatch.setattr(tree, "all_pids", lambda: [*machine.stats, 12345])
    assert pids(ProcessTree({100})) == [100]


def test_orphans_that_ended_are_reaped_and_counted_once(machine, monkeypatch):
    """Those of the tree that this process has adopted; not its leader, and not a member's child."""
    reaped = []

    def wait4(pid: int, options: int) -> tuple[int, int, SimpleNamespace]:
        reaped.append(pid)
        return pid, 0, SimpleNamespace(ru_utime=0.001, ru_stime=0.002)

    monkeypatch.setattr(os, "wait4", wait4)
    monkeypatch.setattr(os, "sysconf", lambda name: 100)
    family = ProcessTree({100}, MARK)
    machine.add(100, ppid=os.getpid(), session=100, state="Z")
    for pid, ppid in ((110, os.getpid()), (111, os.getpid()), (112, 100), (113, os.getpid())):
        machine.add(pid, ppid=ppid, session=110, state="Z" if pid != 113 else "S")
    machine.marked = {110, 111, 113}
    assert [stat.pid for stat in family.members()] == [100, 112, 113]
    assert sorted(reaped) == [110, 111]
    assert family.reaped_s == pytest.approx(0.006)
    assert family.known == {100, 112, 113}
    for pid in (110, 111):
        del machine.stats[pid]
    machine.stats[100] = machine.stats[100]._replace(own_ticks=30)
    family.settle()
    assert family.reaped_s == pytest.approx(0.306), "an ended leader is this process's to reap, too"
