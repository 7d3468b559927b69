"""Only what is plainly a run's folder may be removed. Nothing here removes anything."""

import tempfile
from pathlib import Path

import pytest

from benchsuite.system import folders
from benchsuite.system.folders import why_kept


@pytest.fixture
def temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A system's temp folder of the test's own."""
    folder = tmp_path / "temp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def test_a_folder_of_the_temp_folder_may_be_removed(temp: Path, tmp_path: Path) -> None:
    assert why_kept(made(temp / "run"), working=tmp_path) is None
    assert why_kept(made(temp / "other" / "deeper"), working=None) is None


def test_folders_elsewhere_are_kept(temp: Path, tmp_path: Path) -> None:
    for folder in (made(tmp_path / "elsewhere"), temp, tmp_path, Path("/")):
        assert f"not below the system's temp folder ({temp})" in str(
            why_kept(folder, working=None)
        ), folder


def test_a_link_out_of_the_temp_folder_is_kept(temp: Path, tmp_path: Path) -> None:
    (temp / "run").symlink_to(made(tmp_path / "elsewhere"))
    assert "not below" in str(why_kept(temp / "run", working=None))
    assert "not below" in str(why_kept(temp / "run" / ".." / "elsewhere", working=None))


@pytest.mark.parametrize("place", [".", "deep/below"])
def test_benchsuite_itself_is_kept(place: str, temp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = temp / "checkout" / place / "benchsuite"
    monkeypatch.setattr(folders, "PACKAGE", made(package).resolve())
    assert why_kept(temp / "checkout", working=None) == "holds benchsuite itself"
    assert why_kept(package, working=None) == "holds benchsuite itself"


@pytest.mark.parametrize("place", [".", "deep/below"])
def test_the_current_directory_is_kept(place: str, temp: Path) -> None:
    working = temp / "project" / place
    working.mkdir(parents=True)
    assert why_kept(temp / "project", working=working) == "holds the current directory"


@pytest.mark.parametrize("place", [".", "deep/below"])
def test_a_checkout_is_kept(place: str, temp: Path) -> None:
    checkout = temp / "run" / place
    made(checkout / ".git")
    assert "holds a git repository" in str(why_kept(temp / "run", working=None))


def test_a_worktree_has_a_file_of_that_name(temp: Path) -> None:
    made(temp / "run" / "tree")
    (temp / "run" / "tree" / ".git").write_text("gitdir: elsewhere\n")
    assert "holds a git repository" in str(why_kept(temp / "run", working=None))


def test_what_is_not_there_is_kept(temp: Path) -> None:
    assert why_kept(temp / "none", working=None) == "is not a folder"
