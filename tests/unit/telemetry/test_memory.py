import pytest

from benchsuite.core.exceptions import UnavailableError
from benchsuite.system.procfs import Stat
from benchsuite.telemetry import devices
from benchsuite.telemetry.base import Snapshot
from benchsuite.telemetry.devices import Memory


def process(pid: int, state: str = "S") -> Stat:
    return Stat(pid, state, 1, pid, 0, 0, 1, pid)


@pytest.fixture
def files(monkeypatch) -> dict[int, bytes]:
    """What smaps_rollup says, by PID."""
    files: dict[int, bytes] = {}
    monkeypatch.setattr(devices, "read_bytes", lambda path: files.get(int(path.split("/")[2])))
    monkeypatch.setattr(devices, "read_stat", lambda pid: None)
    return files


def rollup(kibibytes: int) -> bytes:
    return (
        b"5600-7fff ---p 00000000 00:00 0    [rollup]\n"
        b"Rss:              990000 kB\nPss:              %d kB\nPss_Dirty:       5 kB\n" % kibibytes
    )


def sample(*stats: Stat, costly: bool = True) -> int | None:
    figures = Memory().sample(Snapshot(at=1, stats=stats, costly=costly))
    return figures.get("memory_bytes")


def test_sum(files):
    files.update({1: rollup(100), 2: rollup(50)})
    assert sample(process(1), process(2)) == 150 * 1024


def test_not_read_when_the_budget_is_used_up(files):
    files[1] = rollup(100)
    assert sample(process(1), costly=False) is None


def test_a_process_that_vanished_has_no_memory(files):
    files[1] = rollup(100)
    assert sample(process(1), process(2)) == 100 * 1024


def test_a_living_process_that_cannot_be_read_makes_the_sum_unknown(files, monkeypatch):
    files[1] = rollup(100)
    monkeypatch.setattr(devices, "read_stat", process)
    assert sample(process(1), process(2)) is None


def test_nobody_left_is_not_zero(files):
    assert sample() is None
    assert sample(process(1)) is None


def test_a_kernel_without_it(monkeypatch):
    monkeypatch.setattr(devices.os, "access", lambda path, mode: False)
    with pytest.raises(UnavailableError, match="smaps_rollup"):
        Memory().start()
