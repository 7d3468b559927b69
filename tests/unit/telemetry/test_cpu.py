"""CPU shares of process trees that grow, shrink and reap."""

import os
import time

import pytest

from benchsuite.system.procfs import Stat
from benchsuite.telemetry import devices
from benchsuite.telemetry.base import Snapshot
from benchsuite.telemetry.devices import TICKS_PER_S, Cpu

SOON = 10**15
"""The start of a process that is newer than every sample."""


class Tree:
    """A process table that is sampled once a second; times in percent of a second."""

    def __init__(self) -> None:
        self.device = Cpu()
        self.at = 100.0
        self.zombies: dict[int, Stat] = {}

    def read(self, pid: int) -> Stat | None:
        return self.zombies.get(pid)

    def sample(self, *stats: Stat, after_s: float = 1.0, reaped: float = 0) -> float | None:
        self.at += after_s
        figures = self.device.sample(Snapshot(at=self.at, stats=stats, reaped_s=reaped / 100))
        return figures["cpu_percent"]


def process(
    pid: int, own: float, children: float = 0, ppid: int = 1, started: int = 1, state: str = "S"
) -> Stat:
    ticks = TICKS_PER_S / 100
    return Stat(pid, state, ppid, pid, int(own * ticks), int(children * ticks), 1, started)


@pytest.fixture
def tree(monkeypatch) -> Tree:
    tree = Tree()
    monkeypatch.setattr(devices, "read_stat", tree.read)
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    return tree


def test_the_first_sample_has_no_share(tree):
    assert tree.sample(process(1, 5000)) is None
    assert tree.sample(process(1, 5050)) == pytest.approx(50)


def test_processes_add_up_over_the_real_interval(tree):
    tree.sample(process(1, 100), process(2, 300))
    assert tree.sample(process(1, 150), process(2, 400), after_s=3) == pytest.approx(50)


def test_a_new_process_counts_from_its_start(tree):
    tree.sample(process(1, 0))
    assert tree.sample(process(1, 0), process(2, 30, started=SOON)) == pytest.approx(30)


def test_a_process_found_late_counts_from_then_on(tree):
    tree.sample(process(1, 0))
    assert tree.sample(process(1, 0), process(2, 9000)) == 0
    assert tree.sample(process(1, 0), process(2, 9070)) == pytest.approx(70)


def test_a_reaped_child_counts_once(tree):
    tree.sample(process(1, 0), process(2, 500, ppid=1, started=SOON))
    assert tree.sample(process(1, 0, children=520)) == pytest.approx(20)
    assert tree.sample(process(1, 0, children=520)) == 0


def test_orphans_that_ended_count_once_and_those_that_no_sample_saw_too(tree):
    orphan = process(2, 30, ppid=os.getpid(), started=SOON)
    tree.sample(process(1, 0), reaped=7)
    assert tree.sample(process(1, 0), orphan, reaped=7) == pytest.approx(30)
    assert tree.sample(process(1, 0), reaped=7 + 35 + 40) == pytest.approx(5 + 40)
    assert tree.sample(process(1, 0), reaped=82) == 0


def test_a_leader_that_is_replaced_is_on_our_account(tree):
    leader = process(1, 500, ppid=os.getpid())
    tree.sample(leader)
    assert tree.sample(process(9, 10, ppid=os.getpid(), started=SOON), reaped=520) == (
        pytest.approx(30)
    )
    assert tree.sample(process(9, 10, ppid=os.getpid(), started=SOON), reaped=560) == (
        pytest.approx(40)
    )


def test_work_of_children_that_no_sample_saw_counts(tree):
    tree.sample(process(1, 0))
    assert tree.sample(process(1, 10, children=60)) == pytest.approx(70)


def test_a_zombie_counts_before_and_after_it_is_reaped(tree):
    tree.sample(process(1, 0), process(2, 500))
    tree.zombies = {2: process(2, 530, state="Z")}
    assert tree.sample(process(1, 0)) == pytest.approx(30)
    assert tree.sample(process(1, 0)) == 0
    tree.zombies = {}
    assert tree.sample(process(1, 0, children=530)) == 0


def test_a_child_that_nobody_waits_for_never_gives_a_negative_share(tree):
    tree.sample(process(1, 100), process(2, 9000))
    assert tree.sample(process(1, 150)) == pytest.approx(50)
    assert tree.sample(process(1, 200)) == pytest.approx(50)


def test_a_child_reaped_in_a_later_second_than_another(tree):
    tree.sample(process(1, 0), process(2, 1000))
    assert tree.sample(process(1, 0, children=3)) == 0, "held against what is owed"
    assert tree.sample(process(1, 0, children=1013)) == pytest.approx(13)


def test_grandchild_child_and_parent_reaped_within_one_second(tree):
    tree.sample(
        process(1, 0),
        process(2, 100, ppid=1, started=2),
        process(3, 200, ppid=2, started=3),
    )
    assert tree.sample(process(1, 0, children=345)) == pytest.approx(45)


def test_a_pid_used_again_is_another_process(tree):
    tree.sample(process(1, 0), process(2, 500, started=5))
    share = tree.sample(process(1, 0, children=510), process(2, 20, started=SOON))
    assert share == pytest.approx(30)


def test_the_tree_dies(tree):
    tree.sample(process(1, 100))
    assert tree.sample() == 0
    assert tree.sample() is None


def test_an_empty_part_has_no_share(tree):
    assert tree.sample() is None
    assert tree.sample() is None


def test_rounding_never_shows_more_than_all_cpus(tree):
    tree.sample(process(1, 0))
    assert tree.sample(process(1, 404)) == 400


def test_the_impossible_is_not_known(tree):
    tree.sample(process(1, 0))
    assert tree.sample(process(1, 0, children=90_000)) is None
    assert tree.sample(process(1, 10, children=90_000)) == pytest.approx(10)


def test_too_short_a_time_is_left_to_the_next_sample(tree):
    tree.sample(process(1, 0))
    assert tree.sample(process(1, 1), after_s=0.01) is None
    assert tree.sample(process(1, 50), after_s=0.99) == pytest.approx(50)


def test_this_process_uses_what_it_uses():
    from benchsuite.system.procfs import read_stat

    def stat() -> Stat:
        found = read_stat(os.getpid())
        assert found is not None
        return found

    device = Cpu()
    device.sample(Snapshot(at=time.monotonic(), stats=(stat(),)))
    began_s, began = time.process_time(), time.monotonic()
    while time.monotonic() < began + 0.5:
        sum(range(1000))
    used = 100 * (time.process_time() - began_s) / 0.5
    share = device.sample(Snapshot(at=time.monotonic(), stats=(stat(),)))["cpu_percent"]
    assert share == pytest.approx(used, abs=15)
