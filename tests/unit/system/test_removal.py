"""What a run leaves is removed, and nothing else; who owns it; no room for it."""

import os
import platform
import signal
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchsuite.core.exceptions import BenchsuiteError, StartError
from benchsuite.core.states import LONGEST_OWNER
from benchsuite.system import folders, lock, reaper
from benchsuite.system.folders import why_kept


@pytest.fixture
def temp(tmp_path, monkeypatch):
    """A system's temp folder of the test's own."""
    folder = tmp_path / "temp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def made(folder):
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def test_only_a_folder_below_the_temp_folder_is_removed(temp, tmp_path):
    assert why_kept(made(temp / "run"), working=tmp_path) is None
    assert why_kept(made(temp / "other" / "deeper"), working=None) is None
    (temp / "link").symlink_to(made(tmp_path / "elsewhere"))
    linked = (temp / "link", temp / "link" / ".." / "elsewhere")
    for folder in (tmp_path / "elsewhere", temp, tmp_path, Path("/"), *linked):
        words = f"is not below the system's temp folder ({temp})"
        assert why_kept(folder, working=None) == words, folder
    assert why_kept(temp / "none", working=None) == "is not a folder"


@pytest.mark.parametrize("place", [".", "deep/below"])
def test_what_somebody_works_with_is_kept(place, temp, monkeypatch):
    package = made(temp / "checkout" / place / "benchsuite")
    monkeypatch.setattr(folders, "PACKAGE", package.resolve())
    assert why_kept(temp / "checkout", working=None) == "holds benchsuite itself"
    assert why_kept(package, working=None) == "holds benchsuite itself"
    working = made(temp / "project" / place)
    assert why_kept(temp / "project", working=working) == "holds the current directory"
    git = made(temp / "run" / place / ".git")
    assert why_kept(temp / "run", working=None) == f"holds a git repository ({git.parent})"
    git.rmdir()
    git.write_text("gitdir: elsewhere\n")  # a worktree
    assert why_kept(temp / "run", working=None) == f"holds a git repository ({git.parent})"


def test_it_is_below_tmpdir_and_goes(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with folders.scratch() as folder:
        assert folder.parent == tmp_path
        (folder / "file").touch()
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_waits_until_it_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    unlink = os.unlink

    def struck(*words, **how):
        signal.raise_signal(signal.SIGINT)
        unlink(*words, **how)

    def used():
        with folders.scratch() as folder:
            (folder / "file").touch()
            monkeypatch.setattr(os, "unlink", struck)

    with pytest.raises(KeyboardInterrupt):
        used()
    assert list(tmp_path.iterdir()) == []


def test_a_path_with_controls_is_refused(tmp_path, monkeypatch):
    place = tmp_path / "a\nb"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    with pytest.raises(StartError, match="configurations can't contain"), folders.scratch():
        pytest.fail("it was given")
    assert list(place.iterdir()) == []


def test_that_none_can_be_made_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(StartError, match=r"^No folder for temporary files can be created: No such"):
        folders.scratch().__enter__()


def explained(error, *, least=folders.LEAST_BYTES):
    """What becomes of an error, and its code; told once, however many explain it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folders, "LEAST_BYTES", least)
        try:
            with folders.explained(Path("/")), folders.explained(Path("/")):
                raise error
        except (BenchsuiteError, OSError) as raised:
            return f"{type(raised).__name__}: {raised}", getattr(raised, "code", None)


def test_values(golden):
    golden.values()


MINE = "benchsuite-0123456789abcdef"
OTHERS = "benchsuite-fedcba9876543210"


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setattr(reaper, "MEMORY", tmp_path)
    for name in (MINE, OTHERS, f"{MINE}0", f"other-{MINE}"):
        (tmp_path / f"{name}-channel-dict").touch()
    for name in (f"sem.{MINE}-channel-dict-semaphore", "sem.somebody"):
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_memory_and_semaphores_of_one_start_are_removed(folder):
    assert [path.name for path in reaper.memory_left_by(MINE)] == [
        f"{MINE}-channel-dict",
        f"sem.{MINE}-channel-dict-semaphore",
    ]
    reaper.remove_memory(MINE)
    assert reaper.memory_left_by(MINE) == []
    assert len(list(folder.iterdir())) == 4
    reaper.remove_memory(MINE)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "prefix", ["", "benchsuite", "benchsuite-", "benchsuite-0123", "*", f"../{MINE}", f"{MINE}/"]
)
def test_a_name_that_others_may_have_is_refused(folder, prefix):
    with pytest.raises(ValueError, match="by a run's own prefix"):
        reaper.remove_memory(prefix)
    assert len(list(folder.iterdir())) == 6


@pytest.mark.usefixtures("folder")
def test_a_machine_without_shared_memory_has_none(monkeypatch, tmp_path):
    monkeypatch.setattr(reaper, "MEMORY", tmp_path / "none")
    assert reaper.memory_left_by(MINE) == []


@pytest.mark.usefixtures("folder")
def test_only_an_unused_segment_of_a_cluster_is_removed(monkeypatch, tmp_path):
    head = "       key      shmid perms size cpid lpid nattch uid"
    rows = ["-1 7 600 56 1 1 0 65534", "5 8 600 56 1 1 2 65534", "6 9 600 56 1 1 0 65534"]
    (tmp_path / "shm").write_text("\n".join([head, *rows]))
    monkeypatch.setattr(reaper, "SEGMENTS", tmp_path / "shm")
    removed = []
    library = SimpleNamespace(
        shmctl=lambda number, *_: removed.append(number),
        shmat=lambda *_: None,  # it can't be looked into
    )
    monkeypatch.setattr(reaper.ctypes, "CDLL", lambda _: library)
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
    reaper.remove_of_clusters(tmp_path)
    assert removed == [7]


FIELDS = ("host", "machine", "boot", "namespace", "pid", "started")


def named(**changes):
    """The name of this process with some of its fields changed."""
    fields = dict(zip(FIELDS, lock.owner_name().split(":"), strict=True))
    return ":".join((fields | changes).values())


@pytest.fixture
def machine_id(tmp_path, monkeypatch):
    file = tmp_path / "machine-id"
    file.write_text("0123456789abcdef0123456789abcdef\n")
    monkeypatch.setattr(lock, "MACHINE_ID", file)
    return file


def test_this_process_lives():
    assert lock.has_ended(lock.owner_name()) is False
    assert len(lock.owner_name()) <= LONGEST_OWNER
    assert lock.owner_host(lock.owner_name()) == platform.node().replace(":", "-")[:64]


def test_who_has_ended_and_who_can_be_seen(golden, machine_id):
    golden.cases(lambda name: (bool(ended := lock.has_ended(name)), ended is not None))


def test_a_zombie_has_ended(monkeypatch):
    stat = lock.read_stat(os.getpid())
    monkeypatch.setattr(lock, "read_stat", lambda pid: stat._replace(state="Z"))
    assert lock.has_ended(lock.owner_name())


def test_machines_without_an_id_are_not_told_apart_by_their_names(machine_id):
    machine_id.write_text("")
    assert lock.has_ended(named(boot="another-boot")) is None


def test_a_process_that_proc_hides_can_not_be_seen(monkeypatch):
    def refuse(pid, signum):
        raise PermissionError

    name = lock.owner_name()
    monkeypatch.setattr(lock, "read_stat", lambda pid: None)
    monkeypatch.setattr(os, "kill", refuse)
    assert lock.has_ended(name) is None
