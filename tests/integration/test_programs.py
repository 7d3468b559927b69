"""Programs of the system are asked for their version; git for a project's revision."""

import errno
import os
import shutil
import subprocess

import pytest

from benchsuite.system import programs
from benchsuite.system.programs import revision_of, short_revision, untracked_code


def program(folder, name, prints):
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
def test_tells_the_version_that_it_prints(tmp_path, monkeypatch, prints, version):
    program(tmp_path, "serverd", prints)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    assert programs.program_version("serverd", "-v") == version


def test_what_is_missing_or_no_program_has_no_version(tmp_path, monkeypatch):
    program(tmp_path, "serverd", "").write_text("no program")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert programs.program_version("serverd", "-v") is None
    assert programs.program_version("no-such-program-anywhere", "-v") is None


def git(folder, *arguments):
    who = {"NAME": "Ann", "EMAIL": "ann@example.org"}
    names = {f"GIT_{role}_{key}": who[key] for role in ("AUTHOR", "COMMITTER") for key in who}
    subprocess.run(
        ["git", "-C", str(folder), *arguments],
        env={**os.environ, **names, "GIT_CONFIG_GLOBAL": os.devnull},
        check=True,
        capture_output=True,
    )


@pytest.fixture
def repository(tmp_path):
    """A repository with the project in a folder of it."""
    folder = tmp_path / "repository" / "site"
    folder.mkdir(parents=True)
    (folder / "views.py").write_text("answer = 1\n")
    git(folder.parent, "init", "--quiet")
    git(folder.parent, "add", ".")
    git(folder.parent, "commit", "--quiet", "-m", "first")
    return folder


def test_a_clean_checkout_is_its_commit(repository):
    clean = revision_of(repository)
    assert len(clean) == 40
    assert short_revision(clean) == clean[:8]
    (repository / "results.sqlite3").write_text("not known to git")
    assert revision_of(repository) == clean
    (repository / "views.py").write_text("answer = 2\n")
    git(repository, "commit", "--quiet", "-a", "-m", "second")
    assert len(revision_of(repository)) == 40
    assert revision_of(repository) != clean


def test_changes_are_told_apart(repository):
    clean = revision_of(repository)
    (repository / "views.py").write_text("answer = 2\n")
    first = revision_of(repository)
    (repository / "views.py").write_text("answer = 3\n")
    git(repository, "add", ".")
    second = revision_of(repository)
    assert first.startswith(f"{clean}+")
    assert second.startswith(f"{clean}+")
    assert first != second
    assert short_revision(first) == f"{clean[:8]} with changes {first[-8:]}"
    (repository / "views.py").write_text("answer = 2\n")
    assert revision_of(repository) == first, "the same changes again"


@pytest.mark.parametrize("changed", [True, False])
def test_nothing_of_a_repository_is_written(repository, *, changed):
    """A file that was only touched makes `git diff` write the index."""
    if changed:
        (repository / "other.py").write_text("answer = 1\n")
        git(repository, "add", ".")
    index = repository.parent / ".git" / "index"
    os.utime(repository / "views.py", (1, 1))
    before = index.read_bytes()
    assert ("+" in revision_of(repository)) == changed
    assert index.read_bytes() == before


@pytest.mark.parametrize("versioned", [True, False])
def test_code_that_git_does_not_track_is_known_by_its_content(repository, *, versioned):
    if not versioned:
        shutil.rmtree(repository.parent / ".git")
    before = untracked_code(repository)
    assert bool(before) is not versioned
    for ours in ("results.sqlite3", "log.txt", ".cache/made.py", "env/lib/theirs.py"):
        (repository / ours).parent.mkdir(parents=True, exist_ok=True)
        (repository / ours).write_text("")
    (repository / "env" / "pyvenv.cfg").write_text("")
    assert untracked_code(repository) == before
    for name in ("new.py", "local_settings.py", ".env", "pages/new.html"):
        (repository / name).parent.mkdir(exist_ok=True)
        (repository / name).write_text("answer = 2\n")
        assert untracked_code(repository) != before, name
        before = untracked_code(repository)
    (repository / "new.py").write_text("answer = 3\n")
    assert untracked_code(repository) != before


def test_a_folder_that_is_closed_to_us_holds_no_code_of_the_project(repository, monkeypatch):
    """Such as the data of a database in a container, which lie below the project."""
    closed, look = repository / "pgdata", os.stat
    closed.mkdir()

    def refused(path, *arguments, **options):
        if str(path).startswith(f"{closed}{os.sep}"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return look(path, *arguments, **options)

    monkeypatch.setattr(os, "stat", refused)
    assert untracked_code(repository) == ""


def test_where_there_is_no_revision(tmp_path, monkeypatch):
    assert revision_of(tmp_path) == ""
    assert revision_of(tmp_path / "none") == ""
    git(tmp_path, "init", "--quiet")
    assert revision_of(tmp_path) == "", "nothing was committed yet"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert revision_of(tmp_path) == "", "no git"
    assert short_revision("") == ""
