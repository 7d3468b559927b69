"""What each device of telemetry reads, one file of /proc at a time."""

import os

import pytest

from benchsuite.core.exceptions import UnavailableError
from benchsuite.pythons.interpreter import Interpreter
from benchsuite.runner import explaining
from benchsuite.system.procfs import Stat, read_stat
from benchsuite.telemetry import devices
from benchsuite.telemetry.base import Clocks, Snapshot
from benchsuite.telemetry.devices import Memory, OpenFiles


def test_the_real_clocks_move_together():
    clocks = Clocks()
    first = clocks.apart(clocks.since_boot)
    assert clocks.apart(clocks.since_boot) == pytest.approx(first, abs=0.01)


NOBODY = Stat(2**22 + 1, "S", 1, 1, 0, 0, 1, 1)


def count(*stats):
    return OpenFiles().sample(Snapshot(at=1, stats=stats))["open_files"]


def test_one_more_file_is_one_more():
    me = read_stat(os.getpid())
    before = count(me)
    with open(os.devnull):
        assert count(me) == before + 1
    assert count(me) == before


def test_on_older_kernels_the_folder_is_listed(monkeypatch):
    monkeypatch.setattr(devices.os, "access", lambda path, mode: False)
    test_one_more_file_is_one_more()


def test_a_living_process_that_cannot_be_read_makes_the_sum_unknown(monkeypatch):
    monkeypatch.setattr(devices, "_open_files", lambda pid: None)
    assert count(read_stat(os.getpid())) is None


def process(pid, state="S"):
    return Stat(pid, state, 1, pid, 0, 0, 1, pid)


ROLLUP = (
    b"5600-7fff ---p 00000000 00:00 0    [rollup]\n"
    b"Rss:              990000 kB\nPss:              %d kB\nPss_Dirty:       5 kB\n"
)


def memory(*pids, costly=True, alive=(), **kib):
    """Of these processes, whose smaps_rollup says so: p1=100."""
    with pytest.MonkeyPatch.context() as patch:
        seen = {f"/proc/{pid[1:]}/smaps_rollup": ROLLUP % kib[pid] for pid in kib}
        patch.setattr(devices, "read_bytes", seen.get)
        patch.setattr(devices, "read_stat", lambda pid: process(pid) if pid in alive else None)
        snapshot = Snapshot(at=1, stats=tuple(map(process, pids)), costly=costly)
        return Memory().sample(snapshot).get("memory_bytes")


def test_values(golden):
    golden.values(replace={r"py-spy [\d.]* ?can't": "py-spy can't"})


def here():
    return Snapshot(at=0.0, stats=(read_stat(os.getpid()),))


def test_each_cpu_in_turn(monkeypatch):
    asked: list[int] = []
    monkeypatch.setattr(devices, "timed_on", lambda cpu: asked.append(cpu) or 0.001)
    device = devices.Speed()
    cpus = sorted(os.sched_getaffinity(0))
    for _ in cpus * 2:
        assert device.sample(here()) == {"work_s": 0.001}
    assert sorted(asked) == sorted(cpus * 2)


def test_it_takes_some_time_and_gives_the_cpus_back():
    before = os.sched_getaffinity(0)
    assert 1e-6 < devices.timed_on(max(before)) < 0.1
    assert os.sched_getaffinity(0) == before


DENIED = "Permission Denied: Try running again with elevated permissions by going 'sudo env !!'"


def test_without_the_program_it_says_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(Interpreter, "script", lambda self, name: name)
    with pytest.raises(UnavailableError, match=r"py-spy, which is not installed: pip install .*"):
        explaining.ensure_profiler()
