"""CPU time by part, and how long work waits for a CPU."""

import os
import time
from pathlib import Path

import pytest

from benchsuite.core.exceptions import UnavailableError
from benchsuite.core.readings import BUSIEST, IDLE, MAJOR_FAULTS, RUN_DELAY
from benchsuite.system.procfs import Stat
from benchsuite.telemetry import devices
from benchsuite.telemetry.base import Snapshot
from benchsuite.telemetry.devices import SPAN, TICKS_PER_S, Cpu, Scheduling

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
def tree(monkeypatch):
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


def stat(pid: int, ticks: int, faults: int = 0) -> Stat:
    return Stat(
        pid=pid,
        state="R",
        ppid=1,
        session=1,
        own_ticks=ticks,
        children_ticks=0,
        threads=1,
        started=pid,
        major_faults=faults,
    )


def counts(device: Scheduling, at: float, *stats: Stat) -> dict[str, int]:
    return dict(device.sample(Snapshot(at=at, stats=stats)).get("counts", {}))


def test_the_busiest_process_is_told_over_several_seconds(monkeypatch):
    monkeypatch.setattr(devices, "TICKS_PER_S", 100)
    monkeypatch.setattr(devices, "delays", lambda pid: {})
    device = Scheduling()
    assert counts(device, 0.0, stat(1, 0), stat(2, 0)) == {}
    # each is busy in every other second: over four of them neither does more than the other
    seen = [
        counts(
            device, float(second), stat(1, 100 * (second // 2)), stat(2, 100 * ((second + 1) // 2))
        )
        for second in range(1, SPAN)
    ]
    assert [one[BUSIEST] for one in seen] == [100, 50, 67, 50, 60]


def test_delays_are_of_the_time_between_two_samples(monkeypatch):
    waited = iter([{(1, 1): 5_000_000_000}, {(1, 1): 6_000_000_000, (1, 2): 500_000_000}])
    monkeypatch.setattr(devices, "delays", lambda pid: next(waited))
    device = Scheduling()
    counts(device, 10.0, stat(1, 0, faults=7))
    found = counts(device, 12.0, stat(1, 0, faults=107))
    assert found[RUN_DELAY] == 75, "1 s and 0.5 s of a new thread, in 2 s"
    assert found[MAJOR_FAULTS] == 50


def test_cpus_are_idle_as_the_kernel_says(monkeypatch):
    text = iter(
        [
            b"cpu 9 9 9 9 9\ncpu0 1 2 3 100 5 0\ncpu1 1 2 3 4 5 0\nintr 7 8 9\n",
            b"cpu 9 9 9 9 9\ncpu0 1 2 3 180 15 0\ncpu1 1 2 3 4 5 0\nintr 7 8 9\n",
        ]
    )
    monkeypatch.setattr(devices, "TICKS_PER_S", 100)
    monkeypatch.setattr(devices, "delays", lambda pid: {})
    monkeypatch.setattr(devices, "waiting_us", lambda path: None)
    monkeypatch.setattr(devices, "read_bytes", lambda path: next(text))
    monkeypatch.setattr(devices, "affinity", lambda pids: {0, 1})
    device = Scheduling()
    counts(device, 10.0, stat(1, 0))
    assert counts(device, 12.0, stat(1, 0))[IDLE] == 22, "0.9 s of 4 s"


def test_samples_too_close_together_are_left_out(monkeypatch):
    monkeypatch.setattr(devices, "delays", lambda pid: {})
    device = Scheduling()
    counts(device, 10.0, stat(1, 0))
    assert counts(device, 10.1, stat(1, 9)) == {}


def test_many_threads_are_read_when_the_budget_allows_it(monkeypatch):
    monkeypatch.setattr(devices, "delays", lambda pid: {})
    device, many = Scheduling(), stat(1, 0)._replace(threads=2000)
    device.sample(Snapshot(at=1.0, stats=(many,)))
    assert device.sample(Snapshot(at=2.0, stats=(many,), costly=False)) == {}
    assert counts(device, 3.0, many)[RUN_DELAY] == 0


def test_a_kernel_that_does_not_count_is_said_to(monkeypatch):
    monkeypatch.setattr(devices, "delays", lambda pid: {(pid, pid): 0})
    with pytest.raises(UnavailableError, match="CONFIG_SCHED_INFO"):
        Scheduling().start()


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="the kernel doesn't count")
def test_every_thread_of_a_process_is_read():
    found = devices.delays(os.getpid())
    assert (os.getpid(), os.getpid()) in found
    time.sleep(0)
    assert devices.delays(2**22 + 1) == {}
