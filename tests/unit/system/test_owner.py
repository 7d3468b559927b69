"""Whether a process still lives, as far as that can be told from here."""

import os
from pathlib import Path

import pytest

from benchsuite.system import lock

FIELDS = ("host", "machine", "boot", "namespace", "pid", "started")


def named(**changes: str) -> str:
    """The name of this process with some of its fields changed."""
    fields = dict(zip(FIELDS, lock.owner_name().split(":"), strict=True))
    return ":".join((fields | changes).values())


@pytest.fixture
def machine_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "machine-id"
    file.write_text("0123456789abcdef0123456789abcdef\n")
    monkeypatch.setattr(lock, "MACHINE_ID", file)
    return file


def test_this_process_lives() -> None:
    assert not lock.has_ended(lock.owner_name())
    assert lock.can_be_seen(lock.owner_name())
    assert len(lock.owner_name()) <= lock.LONGEST
    assert lock.owner_host(lock.owner_name()) == lock.host_name()


@pytest.mark.parametrize(
    "name",
    [
        "",
        "nobody",
        "a:b:c:d:e:f",
        "a:b:c:d:²:f",
        named(pid="999999999"),
        named(pid="9" * 40),
        named(started="1"),
    ],
    ids=["none", "word", "no pid", "odd pid", "gone", "no such pid", "pid used again"],
)
def test_ended(name: str) -> None:
    assert lock.has_ended(name)
    assert lock.can_be_seen(name)


def test_a_zombie_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    stat = lock.read_stat(os.getpid())
    assert stat is not None
    monkeypatch.setattr(lock, "read_stat", lambda pid: stat._replace(state="Z"))
    assert lock.has_ended(lock.owner_name())


def test_after_a_reboot_of_this_machine_it_has_ended(machine_id: Path) -> None:
    assert lock.has_ended(named(boot="an-earlier-boot"))


@pytest.mark.parametrize(
    "changes",
    [
        {"host": "elsewhere", "boot": "of-another-machine"},
        {"machine": "0123456789ab", "boot": "of-another-machine"},
        {"namespace": "1"},
        {"namespace": "1", "pid": "999999999"},
    ],
    ids=["another host", "another machine of that name", "container", "container, unknown pid"],
)
def test_another_machine_or_container_can_not_be_seen(
    machine_id: Path, changes: dict[str, str]
) -> None:
    assert not lock.has_ended(named(**changes))
    assert not lock.can_be_seen(named(**changes))


def test_machines_without_an_id_are_not_told_apart_by_their_names(machine_id: Path) -> None:
    machine_id.write_text("")
    assert not lock.can_be_seen(named(boot="another-boot"))


def test_a_process_that_proc_hides_can_not_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(pid: int, signum: int) -> None:
        raise PermissionError

    name = lock.owner_name()
    monkeypatch.setattr(lock, "read_stat", lambda pid: None)
    monkeypatch.setattr(os, "kill", refuse)
    assert not lock.can_be_seen(name)
