"""Two runs at the same time: the second waits, and says for whom."""

import errno
import os
import socket
import subprocess
import sys

import pytest

from benchsuite.core.exceptions import StartError
from benchsuite.system import lock

HOLDER = """
import sys
from benchsuite.system.lock import alone
with alone(lambda pid: None):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def own_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock of this test's own: a real run may be under way on this machine."""
    monkeypatch.setattr(lock, "NAME", f"benchsuite-test-{os.getpid()}")


def test_the_second_waits_for_the_first_and_names_it() -> None:
    code = f"from benchsuite.system import lock; lock.NAME = {lock.NAME!r}\n{HOLDER}"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as first:
        assert first.stdin is not None
        assert first.stdout is not None
        assert first.stdout.readline() == "held\n"
        waited_for: list[int | None] = []

        def on_wait(pid: int | None) -> None:
            waited_for.append(pid)
            assert first.stdin is not None
            first.stdin.close()

        with lock.alone(on_wait):
            assert waited_for == [first.pid]
            assert first.wait(10) == 0


def test_a_killed_holder_leaves_nothing_to_wait_for() -> None:
    code = f"from benchsuite.system import lock; lock.NAME = {lock.NAME!r}\n{HOLDER}"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "held\n"
        first.kill()
        first.wait(10)
        waited_for: list[int | None] = []
        with lock.alone(waited_for.append):
            assert waited_for == []


def test_a_process_that_may_have_no_socket_does_not_wait_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Forbidden(socket.socket):
        def bind(self, address: object) -> None:
            raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(socket, "socket", Forbidden)
    with (
        pytest.raises(StartError, match=r"No Unix socket can be created .* not permitted"),
        lock.alone(lambda pid: None),
    ):
        raise AssertionError("nothing was locked")
