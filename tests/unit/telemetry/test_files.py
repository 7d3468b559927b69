import os

from benchsuite.system.procfs import Stat, read_stat
from benchsuite.telemetry import devices
from benchsuite.telemetry.base import Snapshot
from benchsuite.telemetry.devices import OpenFiles

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
