"""Whose each process is, by /proc as it is given."""

import os
import resource
import signal
from types import SimpleNamespace

import pytest

from benchsuite.system import procfs, tree
from benchsuite.system.procfs import Stat, carries, read_stat, send_signal
from benchsuite.system.tree import RLIMIT_LOCKS, Mark, ProcessTree, limited

MARK = Mark("run", "run/1/1")


class Machine:
    """A table of processes, and how often each was read."""

    def __init__(self):
        self.stats: dict[int, Stat] = {}
        self.marked: set[int] = set()
        self.reads: list[int] = []

    def add(self, pid, ppid=1, session=1, state="S", started=0):
        self.stats[pid] = Stat(pid, state, ppid, session, 0, 0, 1, started or pid)

    def read(self, pid):
        self.reads.append(pid)
        return self.stats.get(pid)


@pytest.fixture
def machine(monkeypatch):
    machine = Machine()
    monkeypatch.setattr(tree, "all_pids", lambda: list(machine.stats))
    monkeypatch.setattr(tree, "read_stat", machine.read)
    monkeypatch.setattr(Mark, "is_on", lambda mark, pid: mark == MARK and pid in machine.marked)
    machine.add(1, ppid=0)
    machine.add(50)
    machine.add(51, ppid=50)
    machine.add(100, session=100)
    return machine


def pids(family):
    return [stat.pid for stat in family.living()]


def test_children_of_children_in_any_order_and_orphans_are_found(machine, monkeypatch):
    machine.add(90, ppid=110)
    machine.add(110, ppid=100)
    machine.add(111, ppid=90)
    machine.add(112, session=100)
    assert pids(ProcessTree({100})) == [90, 100, 110, 111, 112]
    monkeypatch.setattr(tree, "all_pids", lambda: [*machine.stats, 12345])
    assert pids(ProcessTree({100})) == [90, 100, 110, 111, 112], "one vanished meanwhile"


def test_runaways_and_their_children_are_found_by_the_mark(machine):
    machine.add(110, session=110)
    machine.add(111, ppid=110, session=111)
    machine.marked = {110}
    assert pids(ProcessTree({100}, MARK)) == [100, 110, 111]
    assert pids(ProcessTree({100}, Mark("run", "run/1/2"))) == [100]
    assert pids(ProcessTree({100})) == [100]


def test_what_was_found_once_is_known_when_it_loses_its_parent_and_not_by_its_number(machine):
    family = ProcessTree({100})
    machine.add(110, ppid=100, session=110)
    assert pids(family) == [100, 110]
    machine.add(110, ppid=1, session=110)
    assert pids(family) == [100, 110]
    machine.add(110, ppid=1, session=110, started=999)
    assert pids(family) == [100], "a stranger has the number"


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


def test_orphans_that_ended_are_reaped_and_counted_once(machine, monkeypatch):
    """Those of the tree that this process has adopted; not its leader, and not a member's child."""
    reaped = []

    def wait4(pid, options):
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


OWN = Mark("a" * 32, "a" * 32 + "/7/1")
SIBLING = Mark(OWN.run, OWN.run + "/7/2")
WHOLE_RUN = Mark(OWN.run)
ANOTHER = Mark("b" * 32, "b" * 32 + "/7/1")

LOCKS = "Max file size             unlimited            unlimited            bytes\n" + (
    "Max file locks            {}            unlimited            locks\n"
)


MARKS = {"own": OWN, "sibling": SIBLING, "whole run": WHOLE_RUN, "another": ANOTHER}


def test_either_mark_is_enough(golden, monkeypatch):
    def borne(locks, environment):
        files = {
            "/proc/9/limits": None if locks is None else LOCKS.format(locks).encode(),
            "/proc/9/environ": None if environment is None else environment.encode(),
        }
        monkeypatch.setattr(tree, "read_bytes", files.get)
        monkeypatch.setattr(procfs, "read_bytes", files.get)
        return {name for name, mark in MARKS.items() if mark.is_on(9)}

    golden.cases(borne)


def test_the_limit_is_ours_for_the_moment_of_the_start_only():
    before = resource.getrlimit(RLIMIT_LOCKS)
    with limited(OWN):
        assert resource.getrlimit(RLIMIT_LOCKS) == (OWN.limit, before[1])
    assert resource.getrlimit(RLIMIT_LOCKS) == before


def test_a_system_that_allows_no_such_limit(monkeypatch):
    """The start goes on: the environment is the other mark."""
    asked = []

    def refuses(which, limits):
        asked.append(limits)
        if limits[0] == OWN.limit:
            raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setattr(resource, "getrlimit", lambda which: (5, 1024))
    monkeypatch.setattr(resource, "setrlimit", refuses)
    with limited(OWN):
        assert asked == [(OWN.limit, 1024)]
    assert asked[-1] == (5, 1024)


def test_values(golden):
    golden.values()


def test_a_name_with_spaces_and_parentheses(monkeypatch):
    line = b"7 (a) R 1 (b)) S 3 4 5 0 -1 0 1 2 3 4 11 12 13 14 20 0 6 0 99 1 2\n"
    monkeypatch.setattr(procfs, "read_bytes", lambda path: line)
    assert read_stat(7) == Stat(7, "S", 3, 5, 23, 27, 6, 99, 3)


def test_the_mark_is_a_whole_assignment(monkeypatch):
    monkeypatch.setattr(procfs, "read_bytes", lambda path: b"A=run-1\0XB=run-2\0")
    assert carries(1, b"A=run-1")
    assert not carries(1, b"A=run-")
    assert not carries(1, b"B=run-2")


def test_a_pid_that_was_used_again_is_not_signalled():
    received = []
    before = signal.signal(signal.SIGHUP, lambda number, _: received.append(number))
    try:
        me = read_stat(os.getpid())
        send_signal(me._replace(started=me.started - 1), signal.SIGHUP)
        assert received == []
        send_signal(me, signal.SIGHUP)
        assert received == [signal.SIGHUP]
    finally:
        signal.signal(signal.SIGHUP, before)


def test_without_pidfd(monkeypatch):
    def refuse(pid):
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(os, "pidfd_open", refuse)
    test_a_pid_that_was_used_again_is_not_signalled()
    monkeypatch.delattr(os, "pidfd_open")
    test_a_pid_that_was_used_again_is_not_signalled()
