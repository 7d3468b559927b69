"""A real tree of processes, watched while it works."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from benchsuite.system.procfs import read_stat
from benchsuite.system.tree import ProcessTree
from benchsuite.telemetry import Sampler, Watched
from tests.integration.left_behind import eventually

pytestmark = pytest.mark.alone

BUSY_PARENT = """
import os, sys, time
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
pages = bytearray(os.urandom(30_000_000))
print("ready", flush=True)
sys.stdin.readline()
"""

CHILDREN_THAT_DIE = """
for _ in range(8):
    if os.fork() == 0:
        burn(0.1)
        os._exit(0)
    os.wait()
"""

REST = """
print("done", flush=True)
sys.stdin.readline()
"""


class Busy:
    def __init__(self, work: str) -> None:
        self.popen = subprocess.Popen(
            [sys.executable, "-S", "-c", BUSY_PARENT + work + REST],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )
        self.tree = ProcessTree({self.popen.pid})
        self.say("", "ready\n")

    def say(self, line: str, answer: str) -> None:
        assert self.popen.stdin is not None
        assert self.popen.stdout is not None
        self.popen.stdin.write(line)
        self.popen.stdin.flush()
        assert self.popen.stdout.readline() == answer

    def pids(self) -> list[int]:
        return [stat.pid for stat in self.tree.living()]

    def watch(self, interval_s: float = 0.3) -> Watched:
        """What was seen from before the work to after it."""
        sampler = Sampler({"target": self.pids}, interval_s)
        sampler.start()
        time.sleep(0.5)
        self.say("go\n", "done\n")
        time.sleep(3 * interval_s)
        return sampler.stop()


@pytest.fixture
def children_that_die() -> Iterator[Busy]:
    busy = Busy(CHILDREN_THAT_DIE)
    yield busy
    busy.popen.kill()
    busy.popen.communicate()


def test_work_of_children_that_died_is_not_lost(children_that_die: Busy) -> None:
    seen = children_that_die.watch()
    assert seen.errors == ()
    used_s = sum(
        (now.cpu_percent or 0) / 100 * (now.second - before.second)
        for before, now in zip(seen.readings, seen.readings[1:], strict=False)
    )
    assert used_s == pytest.approx(0.8, abs=0.15)
    assert all(one.cpu_percent is None or one.cpu_percent >= 0 for one in seen.readings)
    assert max(one.processes or 0 for one in seen.readings) == 2


def test_memory_threads_and_files_are_read(children_that_die: Busy) -> None:
    seen = children_that_die.watch()
    memory = [one.memory_bytes for one in seen.readings if one.memory_bytes is not None]
    assert memory
    assert 30_000_000 < max(memory) < 200_000_000
    assert seen.readings[0].threads == 1
    assert seen.readings[0].open_files == 3


def test_a_tree_that_is_killed_meanwhile(children_that_die: Busy) -> None:
    sampler = Sampler({"target": children_that_die.pids}, 0.1)
    sampler.start()
    time.sleep(0.5)
    children_that_die.popen.kill()
    assert eventually(lambda: children_that_die.pids() == [])
    time.sleep(0.5)
    seen = sampler.stop()
    assert seen.errors == ()
    assert seen.readings[-1].processes == 0
    assert seen.readings[-1].cpu_percent is None
    assert seen.readings[-1].memory_bytes is None


def test_processes_that_come_and_go_all_the_time_give_no_absurd_share() -> None:
    busy = Busy("for _ in range(400):\n    if os.fork() == 0: os._exit(0)\n    os.wait()\n")
    try:
        seen = busy.watch(0.05)
    finally:
        busy.popen.kill()
        busy.popen.communicate()
    assert seen.errors == ()
    shares = [one.cpu_percent for one in seen.readings if one.cpu_percent is not None]
    assert shares
    assert all(0 <= share <= 100 * (os.cpu_count() or 1) for share in shares)
    assert read_stat(busy.popen.pid) is None
