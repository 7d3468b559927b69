"""Programs of the system are asked for their version."""

from pathlib import Path

import pytest

from benchsuite.system import programs


def program(folder: Path, name: str, prints: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\necho {prints!r} >&2\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("prints", "version"),
    [
        ("nginx version: nginx/1.22.1", "1.22.1"),
        ("HAProxy version 2.6.12-1+deb12u4 2026/10/17", "2.6.12-1+deb12u4"),
        ("Server version: Apache/2.4.71 (Debian)", "2.4.71"),
        ("nothing of the kind", None),
    ],
)
def test_tells_the_version_that_it_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prints: str, version: str | None
) -> None:
    program(tmp_path, "serverd", prints)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    assert programs.program_version("serverd", "-v") == version


def test_what_is_missing_or_no_program_has_no_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "serverd", "").write_text("no program")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert programs.program_version("serverd", "-v") is None
    assert programs.program_version("no-such-program-anywhere", "-v") is None
