"""What each device of telemetry reads, one file of /proc at a time."""

import os

import pytest

from benchsuite.core.exceptions import UnavailableError
from benchsuite.pythons.interpreter import Interpreter
from benchsuite.system.procfs import Stat, read_stat
from benchsuite.telemetry import devices, profiler
from benchsuite.telemetry.base import Clocks, Device, Snapshot
from benchsuite.telemetry.devices import Counts, Memory, OpenFiles
from benchsuite.telemetry.sampler import DEVICES


def test_processes_and_threads():
    stats = tuple(Stat(pid, "S", 1, 1, 0, 0, threads, 1) for pid, threads in ((5, 1), (6, 8)))
    assert Counts().sample(Snapshot(at=1, stats=stats)) == {"processes": 2, "threads": 9}
    assert Counts().sample(Snapshot(at=1, stats=())) == {"processes": 0, "threads": 0}


def test_every_device_states_its_cost():
    for device in DEVICES:
        assert issubclass(device, Device)
        assert device.cost


def test_the_least_interrupted_try_counts():
    readings = iter([0.0, 9.0, 10.0, 10.0002, 20.0, 25.0, 30.0, 31.0, 40.0, 49.0])
    clocks = Clocks(monotonic=lambda: next(readings))
    there = iter([7.0, 110.0001, 120.0, 130.0, 140.0])
    assert clocks.apart(lambda: next(there)) == pytest.approx(100.0)


def test_the_real_clocks_move_together():
    clocks = Clocks()
    first = clocks.apart(clocks.since_boot)
    assert clocks.apart(clocks.since_boot) == pytest.approx(first, abs=0.01)


NOBODY = Stat(2**22 + 1, "S", 1, 1, 0, 0, 1, 1)


def count(*stats: Stat | None) -> int | None:
    found = tuple(stat for stat in stats if stat is not None)
    return OpenFiles().sample(Snapshot(at=1, stats=found))["open_files"]


def test_one_more_file_is_one_more():
    me = read_stat(os.getpid())
    before = count(me)
    assert before is not None
    with open(os.devnull):
        assert count(me) == before + 1
    assert count(me) == before


def test_on_older_kernels_the_folder_is_listed(monkeypatch):
    monkeypatch.setattr(devices.os, "access", lambda path, mode: False)
    test_one_more_file_is_one_more()


def test_a_process_that_vanished_has_none():
    assert count(NOBODY) == 0


def test_a_living_process_that_cannot_be_read_makes_the_sum_unknown(monkeypatch):
    monkeypatch.setattr(devices, "_open_files", lambda pid: None)
    assert count(read_stat(os.getpid())) is None


def process(pid: int, state: str = "S") -> Stat:
    return Stat(pid, state, 1, pid, 0, 0, 1, pid)


@pytest.fixture
def files_memory(monkeypatch):
    """What smaps_rollup says, by PID."""
    files_memory: dict[int, bytes] = {}
    monkeypatch.setattr(
        devices, "read_bytes", lambda path: files_memory.get(int(path.split("/")[2]))
    )
    monkeypatch.setattr(devices, "read_stat", lambda pid: None)
    return files_memory


def rollup(kibibytes: int) -> bytes:
    return (
        b"5600-7fff ---p 00000000 00:00 0    [rollup]\n"
        b"Rss:              990000 kB\nPss:              %d kB\nPss_Dirty:       5 kB\n" % kibibytes
    )


def sample(*stats: Stat, costly: bool = True) -> int | None:
    figures = Memory().sample(Snapshot(at=1, stats=stats, costly=costly))
    return figures.get("memory_bytes")


def test_sum(files_memory):
    files_memory.update({1: rollup(100), 2: rollup(50)})
    assert sample(process(1), process(2)) == 150 * 1024


def test_not_read_when_the_budget_is_used_up(files_memory):
    files_memory[1] = rollup(100)
    assert sample(process(1), costly=False) is None


def test_a_process_that_vanished_has_no_memory(files_memory):
    files_memory[1] = rollup(100)
    assert sample(process(1), process(2)) == 100 * 1024


def test_a_living_process_that_cannot_be_read_makes_the_sum_unknown_memory(
    files_memory, monkeypatch
):
    files_memory[1] = rollup(100)
    monkeypatch.setattr(devices, "read_stat", process)
    assert sample(process(1), process(2)) is None


def test_nobody_left_is_not_zero(files_memory):
    assert sample() is None
    assert sample(process(1)) is None


def test_a_kernel_without_it(monkeypatch):
    monkeypatch.setattr(devices.os, "access", lambda path, mode: False)
    with pytest.raises(UnavailableError, match="smaps_rollup"):
        Memory().start()


def here() -> Snapshot:
    stat = read_stat(os.getpid())
    assert stat is not None
    return Snapshot(at=0.0, stats=(stat,))


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


def test_of_nobody_nothing_is_known():
    assert devices.Speed().sample(Snapshot(at=0.0, stats=())) == {"work_s": None}
    assert devices.affinity([2**22 + 1]) is None


DENIED = "Permission Denied: Try running again with elevated permissions by going 'sudo env !!'"


@pytest.mark.parametrize(
    ("scope", "way_out"),
    [("1\n", "ptrace_scope=0"), ("0\n", "--cap-add=SYS_PTRACE"), (None, "--cap-add=SYS_PTRACE")],
)
def test_a_kernel_that_refuses_is_told_with_the_way_out(scope, way_out, tmp_path, monkeypatch):
    file = tmp_path / "ptrace_scope"
    if scope is not None:
        file.write_text(scope)
    monkeypatch.setattr(profiler, "PTRACE_SCOPE", file)
    said = profiler.refusal(DENIED, "Python 3.13.1")
    assert said.startswith("--flame reads the memory of the server's processes, which the kernel")
    assert way_out in said


def test_a_python_that_it_does_not_know_is_named():
    said = profiler.refusal("Sampling …\nError: Failed to find a version.\nReason: x", "Python 4.0")
    assert "can't read Python 4.0 (Failed to find a version): take another --python" in said


def test_without_the_program_it_says_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(Interpreter, "script", lambda self, name: name)
    with pytest.raises(UnavailableError, match=r"py-spy, which is not installed: pip install .*"):
        profiler.ensure_installed()
