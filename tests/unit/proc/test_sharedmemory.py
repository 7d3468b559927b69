"""Shared memory is removed by names that one start alone has, and by no others."""

import pytest

from benchsuite.proc import sharedmemory

MINE = "benchsuite-0123456789abcdef"
OTHERS = "benchsuite-fedcba9876543210"


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.setattr(sharedmemory, "FOLDER", tmp_path)
    for name in (
        f"{MINE}-channel-dict",
        f"sem.{MINE}-channel-dict-semaphore",
        f"{OTHERS}-channel-dict",
        f"{MINE}0-channel-dict",
        f"other-{MINE}-channel-dict",
        "sem.somebody",
    ):
        (tmp_path / name).touch()
    return tmp_path


def test_memory_and_semaphores_of_one_start_are_removed(folder):
    assert [path.name for path in sharedmemory.left_by(MINE)] == [
        f"{MINE}-channel-dict",
        f"sem.{MINE}-channel-dict-semaphore",
    ]
    sharedmemory.remove(MINE)
    assert sharedmemory.left_by(MINE) == []
    assert len(list(folder.iterdir())) == 4
    sharedmemory.remove(MINE)


@pytest.mark.parametrize(
    "prefix", ["", "benchsuite", "benchsuite-", "benchsuite-0123", "*", f"../{MINE}", f"{MINE}/"]
)
def test_a_name_that_others_may_have_is_refused(folder, prefix):
    with pytest.raises(ValueError, match="names of a run's own"):
        sharedmemory.remove(prefix)
    assert len(list(folder.iterdir())) == 6


def test_a_machine_without_shared_memory_has_none(monkeypatch, tmp_path):
    monkeypatch.setattr(sharedmemory, "FOLDER", tmp_path / "none")
    assert sharedmemory.left_by(MINE) == []
