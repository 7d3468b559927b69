"""Programs of the system are found where an ordinary user's path doesn't lead."""

from pathlib import Path

import pytest

from benchsuite.system import programs


def program(folder: Path, name: str) -> Path:
    path = folder / name
    path.touch(0o755)
    return path


def test_is_found_on_the_path_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = program(tmp_path, "serverd")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert programs.find_program("serverd") == str(path)
    assert programs.find_program("no-such-program-anywhere") is None


def test_is_found_among_the_servers_of_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = program(tmp_path, "serverd")
    monkeypatch.setattr(programs, "SBIN", (str(tmp_path),))
    monkeypatch.setenv("PATH", "/nowhere")
    assert programs.find_program("serverd") == str(path)
