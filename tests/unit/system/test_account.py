"""Another user for programs that must not be root: what is opened to them, and what is not."""

import os
import pwd
import stat
import tempfile
from pathlib import Path

import pytest

from benchsuite.core.exceptions import UnavailableError
from benchsuite.system import account

NOBODY = pwd.getpwnam("nobody")


@pytest.fixture
def closed():
    """A temporary folder that is closed to others, as a run's is."""
    with tempfile.TemporaryDirectory(prefix="account-") as folder:
        yield Path(folder)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_root_takes_nobody_and_others_stay_themselves(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert account.unprivileged() == "nobody"
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert account.unprivileged() == ""


def test_a_root_that_is_alone_in_its_namespace_stays_itself(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(account, "MAP", tmp_path / "uid_map")
    assert account.unprivileged() == "nobody"
    account.MAP.write_text("         0       1000          1\n")
    assert account.unprivileged() == ""
    account.MAP.write_text("         0       1000          1\n 1 100000 65536\n")
    assert account.unprivileged() == "nobody"


def test_values(golden):
    golden.values()


def test_without_a_user_nothing_is_changed(closed):
    account.hand_over(closed, "")
    assert (mode(closed), closed.stat().st_uid) == (0o700, os.geteuid())
    assert account.can_read(closed, "")
    assert not account.can_read(closed / "nowhere", "")


@pytest.fixture
def gives_away(monkeypatch):
    """What would be given to whom; no test needs to be root for it."""
    given: list[tuple[str, int, int]] = []
    monkeypatch.setattr(
        os, "chown", lambda path, user, group: given.append((Path(path).name, user, group))
    )
    return given


def test_opens_what_lies_above_to_pass_through(closed, gives_away):
    folder = closed / "1" / "front"
    folder.mkdir(parents=True)
    folder.parent.chmod(0o755)
    account.hand_over(folder, "nobody")
    assert gives_away == [("front", NOBODY.pw_uid, NOBODY.pw_gid), (closed.name, -1, NOBODY.pw_gid)]
    assert mode(closed) == 0o710
    assert mode(folder.parent) == 0o755


def test_leaves_folders_alone_that_are_not_a_runs(closed, gives_away, monkeypatch):
    folder = closed / "front"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(closed))
    with pytest.raises(UnavailableError, match=f"nobody can't reach {folder}: {closed} is closed"):
        account.hand_over(folder, "nobody")
    assert mode(closed) == 0o700


def test_knows_what_another_user_can_read(closed):
    folder = closed / "static"
    folder.mkdir()
    folder.chmod(0o755)
    assert not account.can_read(folder, "nobody")
    closed.chmod(0o711)
    assert account.can_read(folder, "nobody")
    folder.chmod(0o711)
    assert not account.can_read(folder, "nobody")
