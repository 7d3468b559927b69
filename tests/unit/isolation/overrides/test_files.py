"""What stands for the project's own folders is a copy, and its own stays as it is."""

import errno
import shutil
from pathlib import Path

import pytest

from benchsuite.isolation.overrides import files
from benchsuite.isolation.overrides.files import handed_on, make_folders


def test_a_folder_begins_as_a_copy(tmp_path: Path) -> None:
    own, run = tmp_path / "media", tmp_path / "run" / "files" / "media"
    (own / "a").mkdir(parents=True)
    (own / "a" / "x.txt").write_text("mine")
    assert make_folders({str(run): str(own), str(tmp_path / "run" / "empty"): ""}) == {}
    (run / "a" / "x.txt").write_text("changed")
    assert (own / "a" / "x.txt").read_text() == "mine"


def test_each_run_has_what_the_template_had(tmp_path: Path) -> None:
    template = tmp_path / "template"
    (template / "files" / "media").mkdir(parents=True)
    (template / "files" / "media" / "x.txt").write_text("seeded")
    (template / "empty").mkdir()
    for name in ("one", "two"):
        handed_on(template, tmp_path / name)
        place = tmp_path / name / "files" / "media" / "x.txt"
        assert place.read_text() == "seeded"
        place.write_text(name)
        assert not (tmp_path / name / "empty").exists()
    assert (template / "files" / "media" / "x.txt").read_text() == "seeded"


def test_too_much_is_not_copied_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 2**20)
    own, run = tmp_path / "media", tmp_path / "run"
    own.mkdir()
    (own / "large").write_bytes(bytes(2**20 + 1))
    said = make_folders({str(run): str(own)})
    assert said == {str(own): f"{own} is not copied: it holds more than 1 MB"}
    assert not list(run.iterdir())


def test_a_folder_that_holds_the_run_is_not_copied_into_itself(tmp_path: Path) -> None:
    run = tmp_path / "run"
    (tmp_path / "x").write_text("mine")
    assert make_folders({str(run): str(tmp_path)}) == {}
    assert [path.name for path in run.iterdir()] == ["x"]


def test_a_full_disk_leaves_no_folder_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*paths: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    own = tmp_path / "media"
    own.mkdir()
    (own / "x").write_text("mine")
    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(OSError, match="No space left"):
        make_folders({str(tmp_path / "run"): str(own)})


def test_a_folder_that_cannot_be_looked_at_is_not_copied_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One in a folder of somebody else's, say."""

    def closed(path: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_dir", closed)
    (said,) = make_folders({str(tmp_path / "run"): "/theirs/media"}).values()
    assert said.startswith("/theirs/media is not copied: [Errno 13]")
