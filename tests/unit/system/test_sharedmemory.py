"""Shared memory is removed by names that one start alone has, and by no others."""

from types import SimpleNamespace

import pytest

from benchsuite.system import sharedmemory

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
    with pytest.raises(ValueError, match="by a run's own prefix"):
        sharedmemory.remove(prefix)
    assert len(list(folder.iterdir())) == 6


def test_a_machine_without_shared_memory_has_none(monkeypatch, tmp_path):
    monkeypatch.setattr(sharedmemory, "FOLDER", tmp_path / "none")
    assert sharedmemory.left_by(MINE) == []


def test_only_an_unused_segment_of_a_cluster_is_removed(monkeypatch, tmp_path):
    head = "       key      shmid perms size cpid lpid nattch uid"
    rows = ["-1 7 600 56 1 1 0 65534", "5 8 600 56 1 1 2 65534", "6 9 600 56 1 1 0 65534"]
    (tmp_path / "shm").write_text("\n".join([head, *rows]))
    monkeypatch.setattr(sharedmemory, "SEGMENTS", tmp_path / "shm")
    removed = []
    library = SimpleNamespace(
        shmctl=lambda number, *_: removed.append(number),
        shmat=lambda *_: None,  # it can't be looked into
    )
    monkeypatch.setattr(sharedmemory.ctypes, "CDLL", lambda _: library)
    for name, named in {
        "unused": "4294967295 7",
        "used": "5 8",
        "anothers by now": "66 9",
        "says nothing": "",
        "of an older start": "0 0",
    }.items():
        (tmp_path / name).mkdir()
        lines = ["1", "/data", "0", "5432", "", "127.0.0.1", named, "ready"]
        (tmp_path / name / "postmaster.pid").write_text("\n".join(lines))
    sharedmemory.remove_of_clusters(tmp_path)
    assert removed == [7]
