"""Two runs at the same time: the second waits, and says for whom."""

import os
import resource
import socket
import subprocess
import sys
from contextlib import contextmanager

import pytest

from benchsuite.core.exceptions import StartError
from benchsuite.system import lock
from benchsuite.system.lock import Claim
from benchsuite.system.tree import RLIMIT_LOCKS, limit_of

HOLDER = """
import os, sys
from benchsuite.system import lock
lock.NAME = {name!r}
if {uid}:
    os.setuid({uid})
with lock.alone(lambda claim: print("waits for", claim.pid, flush=True)):
    print("held", flush=True)
    sys.stdin.read()
"""

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act for two users")


@pytest.fixture(autouse=True)
def own_lock(monkeypatch):
    """A lock of this test's own: a real run may be under way on this machine."""
    monkeypatch.setattr(lock, "NAME", f"benchsuite-test-{os.getpid()}")


@contextmanager
def holder(*, uid=0, before=()):
    with subprocess.Popen(
        [*before, sys.executable, "-c", HOLDER.format(name=lock.NAME, uid=uid)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as first:
        yield first
        first.communicate(timeout=20)


def line(first):
    return first.stdout.readline()


def waited_for():
    """Whom a run waits for that would begin now."""
    claims: list[Claim] = []
    with lock.alone(claims.append):
        return claims


@pytest.mark.parametrize(
    ("uid", "before"),
    [
        (0, ()),
        pytest.param(65534, (), marks=AS_ROOT),
        pytest.param(0, ("unshare", "-n"), marks=AS_ROOT),
        pytest.param(0, ("unshare", "-p", "-f", "--kill-child"), marks=AS_ROOT),
    ],
)
def test_the_second_waits_for_the_first_and_names_it(uid, before):
    """Also where that is another user's, or in another network, or in a container."""
    with holder(uid=uid, before=before) as first:
        assert line(first) == "held\n"
        claims: list[Claim] = []

        def on_wait(claim):
            claims.append(claim)
            assert str(claim).startswith(f"process {claim.pid}, {sys.executable} -c")
            assert before or claim.pid == first.pid
            first.stdin.close()
            first.stdin = None

        with lock.alone(on_wait):
            assert len(claims) == 1
            assert first.wait(10) == 0


def test_a_holder_that_is_not_seen_for_a_moment_is_waited_for(monkeypatch):
    """While it starts a program, it bears the mark of that in place of its claim."""
    with holder() as first:
        assert line(first) == "held\n"
        pids: list[int] = []
        seen = lock.claims
        unseen: list[list[Claim]] = [[]]
        monkeypatch.setattr(lock, "claims", lambda: unseen.pop() if unseen else seen())

        def on_wait(claim):
            pids.append(claim.pid)
            first.stdin.close()
            first.stdin = None

        with lock.alone(on_wait):
            assert pids == [first.pid]


def test_those_who_wait_have_their_turn_in_order():
    with holder() as first:
        assert line(first) == "held\n"
        with holder() as second:
            assert line(second) == f"waits for {first.pid}\n"
            with holder() as third:
                assert line(third) == f"waits for {first.pid}\n"
                first.communicate(timeout=20)
                assert line(second) == "held\n"
                second.communicate(timeout=20)
                assert line(third) == "held\n"


def test_a_killed_holder_leaves_nothing_to_wait_for():
    with holder() as first:
        assert line(first) == "held\n"
        first.kill()
        os.waitid(os.P_PID, first.pid, os.WEXITED | os.WNOWAIT)
        assert waited_for() == [], "a zombie holds nothing"


def test_what_has_the_name_of_the_lock_is_no_holder():
    """Anybody may bind a name; no run ever looks at one."""
    with socket.socket(socket.AF_UNIX) as planted:
        planted.bind(f"\0{lock.NAME}")
        planted.listen()
        assert waited_for() == []


def test_a_claim_ends_with_its_block_and_is_not_its_childrens():
    before = resource.getrlimit(RLIMIT_LOCKS)
    with lock.alone(lambda claim: pytest.fail("nobody else")):
        child = subprocess.Popen(["sleep", "300"])
    try:
        assert resource.getrlimit(RLIMIT_LOCKS) == before
        assert limit_of(child.pid) is not None
        assert waited_for() == []
    finally:
        child.kill()
        child.wait()


def test_where_no_claim_can_be_made_nobody_runs(monkeypatch):
    asked = []

    def refuses(which, limits):
        asked.append(limits)
        if limits != (5, 10):
            raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setattr(resource, "getrlimit", lambda which: (5, 10))
    monkeypatch.setattr(resource, "setrlimit", refuses)
    with (
        pytest.raises(
            StartError, match=r"No claim can be made .* exceeds maximum limit; .*ulimit -x"
        ),
        lock.alone(lambda claim: None),
    ):
        raise AssertionError("nothing was locked")
    assert asked[-1] == (5, 10)
