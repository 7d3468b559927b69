"""A project's revision, asked of real repositories that the test makes."""

import os
import subprocess
from pathlib import Path

import pytest

from benchsuite.system.programs import revision_of, short_revision
from tests.needs import needs

pytestmark = needs("git")


def git(folder: Path, *arguments: str) -> None:
    who = {"NAME": "Ann", "EMAIL": "ann@example.org"}
    names = {f"GIT_{role}_{key}": who[key] for role in ("AUTHOR", "COMMITTER") for key in who}
    subprocess.run(
        ["git", "-C", str(folder), *arguments],
        env={**os.environ, **names, "GIT_CONFIG_GLOBAL": os.devnull},
        check=True,
        capture_output=True,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with the project in a folder of it."""
    folder = tmp_path / "repository" / "site"
    folder.mkdir(parents=True)
    (folder / "views.py").write_text("answer = 1\n")
    git(folder.parent, "init", "--quiet")
    git(folder.parent, "add", ".")
    git(folder.parent, "commit", "--quiet", "-m", "first")
    return folder


def test_a_clean_checkout_is_its_commit(project: Path) -> None:
    clean = revision_of(project)
    assert len(clean) == 40
    assert short_revision(clean) == clean[:8]
    (project / "results.sqlite3").write_text("not known to git")
    assert revision_of(project) == clean


def test_changes_are_told_apart(project: Path) -> None:
    clean = revision_of(project)
    (project / "views.py").write_text("answer = 2\n")
    first = revision_of(project)
    (project / "views.py").write_text("answer = 3\n")
    git(project, "add", ".")
    second = revision_of(project)
    assert first.startswith(f"{clean}+")
    assert second.startswith(f"{clean}+")
    assert first != second
    assert short_revision(first) == f"{clean[:8]} with changes {first[-8:]}"
    (project / "views.py").write_text("answer = 2\n")
    assert revision_of(project) == first, "the same changes again"


def test_another_commit_is_another_revision(project: Path) -> None:
    clean = revision_of(project)
    (project / "views.py").write_text("answer = 2\n")
    git(project, "commit", "--quiet", "-a", "-m", "second")
    assert len(revision_of(project)) == 40
    assert revision_of(project) != clean


def test_reading_a_clean_checkout_writes_nothing(project: Path) -> None:
    index = project.parent / ".git" / "index"
    os.utime(project / "views.py", (1, 1))
    before = index.read_bytes()
    revision_of(project)
    assert index.read_bytes() == before


def test_where_there_is_no_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert revision_of(tmp_path) == ""
    assert revision_of(tmp_path / "none") == ""
    git(tmp_path, "init", "--quiet")
    assert revision_of(tmp_path) == "", "nothing was committed yet"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert revision_of(tmp_path) == "", "no git"
    assert short_revision("") == ""
