"""From where the programs of PostgreSQL can run."""

from pathlib import Path

import pytest

from benchsuite.core.exceptions import UnavailableError
from benchsuite.services import programs


@pytest.mark.parametrize("name", ['"', "$x", "`x`", "\\"])
def test_a_copy_whose_path_means_something_to_a_shell_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = tmp_path / "wheel" / "bin"
    monkeypatch.setattr(programs, "_wheel", lambda: wheel)
    monkeypatch.setattr(programs, "can_read", lambda folder, user: False)
    with pytest.raises(UnavailableError, match=r"; set TMPDIR to a folder without .*, or: apt"):
        programs.usable(wheel, tmp_path / name, "nobody")


def test_a_copy_may_have_any_other_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = tmp_path / "wheel" / "bin"
    wheel.mkdir(parents=True)
    monkeypatch.setattr(programs, "_wheel", lambda: wheel)
    monkeypatch.setattr(programs, "can_read", lambda folder, user: False)
    copy = tmp_path / "it's ä 100% [z]*;#&"
    assert programs.usable(wheel, copy, "nobody") == copy / "bin"
    assert (copy / "bin").is_dir()
