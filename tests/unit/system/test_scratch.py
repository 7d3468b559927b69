"""The folder that a command works in, and what is said when there is no room for it."""

import errno
import tempfile
from pathlib import Path

import pytest

from benchsuite.core.exceptions import DISK_FULL, LoadError, StartError
from benchsuite.system import scratch


def test_it_is_below_tmpdir_and_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with scratch.folder() as folder:
        assert folder.parent == tmp_path
        (folder / "file").touch()
    assert list(tmp_path.iterdir()) == []


def test_a_path_with_controls_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "a\nb"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    with pytest.raises(StartError, match="configurations can't contain"), scratch.folder():
        pytest.fail("it was given")
    assert list(place.iterdir()) == []


def test_that_none_can_be_made_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(StartError, match=r"^No folder for temporary files can be created: No such"):
        scratch.folder().__enter__()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_a_sentence(tmp_path: Path, number: int) -> None:
    words = rf"no space left in {tmp_path}; .* disk\.$"
    with pytest.raises(StartError, match=words) as told, scratch.explained(tmp_path):
        raise OSError(number, "x")
    assert told.value.code == DISK_FULL


def test_another_fault_stays_what_it_is(tmp_path: Path) -> None:
    with pytest.raises(PermissionError), scratch.explained(tmp_path):
        raise PermissionError(errno.EACCES, "x")
    with pytest.raises(LoadError, match=r"^broken$"), scratch.explained(tmp_path):
        raise LoadError("broken")


@pytest.mark.parametrize("log", ["write: No space left on device", "database or disk is full"])
def test_a_program_that_says_so_is_believed(tmp_path: Path, log: str) -> None:
    words = rf"^There .* disk\. {log}$"
    with pytest.raises(LoadError, match=words) as told, scratch.explained(tmp_path):
        raise LoadError(log)
    assert told.value.code == DISK_FULL


def test_a_program_on_a_full_disk_need_not_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "LEAST_BYTES", float("inf"))
    with (
        pytest.raises(LoadError, match=r"^There is no space left in /\S*; .* It ended\.$"),
        scratch.explained(Path("/")),
    ):
        raise LoadError("It ended.")


def test_it_is_told_once(tmp_path: Path) -> None:
    with (
        pytest.raises(StartError) as told,
        scratch.explained(tmp_path),
        scratch.explained(tmp_path),
    ):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert str(told.value).count("no space left") == 1
