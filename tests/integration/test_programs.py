"""PostgreSQL's programs are found where they work, and nowhere else."""

import os
from pathlib import Path

import pytest

from benchsuite.core.exceptions import UnavailableError
from benchsuite.services import postgres_programs as programs
from tests.needs import needs


def stub(folder: Path, name: str, says: str, status: int = 0) -> None:
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\necho '{says}'\nexit {status}\n")
    program.chmod(0o755)


@needs("postgresql")
def test_they_are_found_with_their_version() -> None:
    found = programs.found()
    assert found is not None
    assert programs.version(found).split(".")[0].isdigit()


@needs("postgresql")
@pytest.mark.parametrize("broken", ["no initdb", "another version", "fails", "says nothing"])
def test_broken_ones_on_the_path_are_passed_over(
    broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bin"
    stub(path, "postgres", "postgres (PostgreSQL) 15.1")
    if broken != "no initdb":
        says = {
            "another version": "initdb (PostgreSQL) 16.2",
            "fails": "initdb (PostgreSQL) 15.1",
            "says nothing": "",
        }
        stub(path, "initdb", says[broken], status=int(broken == "fails"))
    monkeypatch.setenv("PATH", f"{path}{os.pathsep}{os.environ['PATH']}")
    assert next(programs._candidates()) == path
    assert programs.found() not in (None, path)


def test_without_any_there_are_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(programs, "DEBIAN", tmp_path)
    assert programs.found() is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root must become somebody else")
def test_programs_that_the_account_may_not_reach(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    stub(closed / "bin", "postgres", "")
    with pytest.raises(UnavailableError, match="nobody can't get to"):
        programs.check_open(closed / "bin", "nobody")
