"""A parent that is killed takes its run with it."""

import os
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from benchsuite import guard
from benchsuite.exceptions import UsageError
from benchsuite.guard import guarded
from tests.integration.left_behind import eventually, processes_with
from tests.integration.parent import Parent

GUARDED = """
from contextlib import ExitStack
from benchsuite.guard import guarded
stack = ExitStack()
"""


class GuardedParent(Parent):
    """A parent whose run is guarded, and whose run's folder is `folder`/run."""

    def __init__(self, folder: Path, name: str, *, then: str = "") -> None:
        self.run_folder = folder / "run"
        self.run_folder.mkdir()
        (self.run_folder / "file").touch()
        enter = f"stack.enter_context(guarded(marker, Path({str(self.run_folder)!r})))\n"
        super().__init__(folder, name, grace_s=1, before=GUARDED + enter + then)


@pytest.mark.parametrize(
    "name", ["good", "ignores_term", "leaves_children", "workers_run_away", "retitled"]
)
def test_killed_parent_leaves_nothing(name: str, tmp_path: Path) -> None:
    with GuardedParent(tmp_path, name) as parent:
        tree = psutil.Process(parent.popen.pid).children(recursive=True)
        parent.popen.kill()
        assert eventually(lambda: not processes_with(parent.marker))
        assert eventually(lambda: not parent.run_folder.exists())
        assert eventually(lambda: not [one for one in tree if lives(one)]), "the guard or a child"


def lives(process: psutil.Process) -> bool:
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


def test_a_fork_that_holds_the_pipe_does_not_hold_up_the_guard(tmp_path: Path) -> None:
    fork = "if os.fork() == 0: time.sleep(600)\n"
    with GuardedParent(tmp_path, "good", then=fork) as parent:
        # The guard and the server have sessions of their own; the fork has its parent's.
        session = os.getsid(parent.popen.pid)
        children = psutil.Process(parent.popen.pid).children()
        [holder] = [one for one in children if os.getsid(one.pid) == session]
        parent.popen.kill()
        assert eventually(lambda: not parent.run_folder.exists())
        assert lives(holder)
        holder.kill()


def the_guard() -> psutil.Process:
    """The one child of this process that is a guard."""
    [child] = [one for one in psutil.Process().children() if "watchman" in str(one.cmdline())]
    return child


def test_leaves_at_once_and_touches_nothing_when_all_is_well(tmp_path: Path) -> None:
    marker = "a-marker-of-this-test"
    with subprocess.Popen(["sleep", "60"], env={"BENCHSUITE_RUN": marker}) as other:
        try:
            with guarded(marker, tmp_path):
                child = the_guard()
                assert os.getsid(child.pid) == child.pid, "Ctrl-C would reach it"
                leaving = time.monotonic()
            assert time.monotonic() - leaving < guard.LEAVE_S, "it had to be killed"
            assert not child.is_running()
            assert processes_with(marker) == [other.pid]
        finally:
            other.kill()
    assert tmp_path.is_dir()


def test_run_goes_on_when_the_guard_was_killed(tmp_path: Path) -> None:
    with guarded("a-marker-of-this-test", tmp_path):
        child = the_guard()
        child.send_signal(signal.SIGKILL)
        assert eventually(lambda: child.status() == psutil.STATUS_ZOMBIE)
        guard.announce("a-marker-of-this-test", os.getpid())


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_guard_outlives_what_ends_the_parent(signum: signal.Signals, tmp_path: Path) -> None:
    with guarded("a-marker-of-this-test", tmp_path):
        child = the_guard()
        assert eventually(lambda: ignores(child.pid, signum)), "it is not up"
        child.send_signal(signum)
        time.sleep(0.1)
        assert child.status() != psutil.STATUS_ZOMBIE


def ignores(pid: int, signum: int) -> bool:
    [line] = [
        line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if "SigIgn" in line
    ]
    return bool(int(line.split()[1], 16) >> (signum - 1) & 1)


def test_short_marker_is_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(UsageError, match="at least 8 characters"),
        guarded("1", tmp_path),
    ):
        pytest.fail("it was accepted")
