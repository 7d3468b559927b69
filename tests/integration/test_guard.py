"""A parent that is killed takes its run with it."""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.system import guard, reaper
from benchsuite.system.guard import guarded
from tests.integration.left_behind import eventually, processes_with
from tests.integration.stub import Parent

GUARDED = """
from contextlib import ExitStack
from benchsuite.system.guard import guarded
stack = ExitStack()
"""


@pytest.fixture
def temp_folder() -> Iterator[Path]:
    """Below the temp folder of these tests; pytest's own `tmp_path` is not."""
    with tempfile.TemporaryDirectory(prefix="guarded-") as name:
        yield Path(name)


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
def test_killed_parent_leaves_nothing(name: str, temp_folder: Path) -> None:
    with GuardedParent(temp_folder, name) as parent:
        tree = psutil.Process(parent.popen.pid).children(recursive=True)
        parent.popen.kill()
        assert eventually(lambda: not processes_with(parent.marker))
        assert eventually(lambda: not parent.run_folder.exists())
        assert eventually(lambda: not [one for one in tree if lives(one)]), "the guard or a child"


def lives(process: psutil.Process) -> bool:
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


def test_a_fork_that_holds_the_pipe_does_not_hold_up_the_guard(temp_folder: Path) -> None:
    fork = "if os.fork() == 0: time.sleep(600)\n"
    with GuardedParent(temp_folder, "good", then=fork) as parent:
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
    found: list[psutil.Process] = []

    def is_there() -> bool:  # a child that was just forked has its parent's name for a moment
        found[:] = [one for one in psutil.Process().children() if "reaper" in str(one.cmdline())]
        return bool(found)

    assert eventually(is_there), "no guard"
    [child] = found
    return child


def test_leaves_at_once_and_touches_nothing_when_all_is_well(temp_folder: Path) -> None:
    marker = "a-marker-of-this-test"
    with subprocess.Popen(["sleep", "60"], env={"BENCHSUITE_RUN": marker}) as other:
        try:
            with guarded(marker, temp_folder):
                child = the_guard()
                assert os.getsid(child.pid) == child.pid, "Ctrl-C would reach it"
                leaving = time.monotonic()
            assert time.monotonic() - leaving < guard.LEAVE_S, "it had to be killed"
            assert not child.is_running()
            assert processes_with(marker) == [other.pid]
        finally:
            other.kill()
    assert temp_folder.is_dir()


def test_run_goes_on_when_the_guard_was_killed(temp_folder: Path) -> None:
    with guarded("a-marker-of-this-test", temp_folder):
        child = the_guard()
        child.send_signal(signal.SIGKILL)
        assert eventually(lambda: child.status() == psutil.STATUS_ZOMBIE)
        with guard.without_shared_memory(
            "a-marker-of-this-test", f"benchsuite-{secrets.token_hex(8)}"
        ):
            pass


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_guard_outlives_what_ends_the_parent(signum: signal.Signals, temp_folder: Path) -> None:
    with guarded("a-marker-of-this-test", temp_folder):
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


def test_short_marker_is_refused(temp_folder: Path) -> None:
    with (
        pytest.raises(UsageError, match="at least 8 characters"),
        guarded("1", temp_folder),
    ):
        pytest.fail("it was accepted")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of benchsuite in a folder of the test's own, which a slip may cost."""
    folder = tmp_path / "checkout"
    own = Path(guard.__file__).parents[1]
    for path in (own / "__init__.py", *own.glob("core/*.py"), *own.glob("system/*.py")):
        copy = folder / "benchsuite" / path.relative_to(own)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    return folder


SLIP = """
import os, sys
sys.path.insert(0, {checkout!r})
from pathlib import Path
from benchsuite.core.exceptions import UsageError
from benchsuite.system import guard, reaper
from benchsuite.system.guard import guarded
assert guard.__file__.startswith({checkout!r})
os.chdir({working!r})
try:
    with guarded("a-marker-of-this-test", Path({folder!r})):
        os.kill(os.getpid(), 9)
except UsageError as error:
    sys.exit(str(error))
"""


def slip(checkout: Path, folder: Path, temp: Path, working: Path = Path("/")) -> str:
    """A parent of that copy that names the wrong folder, and is killed if it gets so far."""
    program = SLIP.format(checkout=str(checkout), folder=str(folder), working=str(working))
    ended = subprocess.run(
        [sys.executable, "-c", program],
        stderr=subprocess.PIPE,
        text=True,
        env={"TMPDIR": str(temp)},
        timeout=30,
        check=False,
    )
    assert ended.returncode == 1, ended.stderr
    return ended.stderr


def test_a_checkout_is_refused_as_the_folder(checkout: Path, tmp_path: Path) -> None:
    assert "holds benchsuite itself" in slip(checkout, checkout, temp=tmp_path)
    assert "holds benchsuite itself" in slip(checkout, checkout / "benchsuite", temp=tmp_path)
    (tmp_path / "other" / ".git").mkdir(parents=True)
    assert "holds a git repository" in slip(checkout, tmp_path / "other", temp=tmp_path)
    (tmp_path / "run" / "here").mkdir(parents=True)
    said = slip(checkout, tmp_path / "run", temp=tmp_path, working=tmp_path / "run" / "here")
    assert "holds the current directory" in said
    (tmp_path / "temp").mkdir()
    assert "not below the system's temp folder" in slip(
        checkout, tmp_path / "run", temp=tmp_path / "temp"
    )


@pytest.mark.parametrize("wrong", ["package", "repository", "directory", "elsewhere", "none"])
def test_the_reaper_looks_again(wrong: str, checkout: Path, tmp_path: Path) -> None:
    """Started with a wrong folder, by whatever slip, it ends the run and removes nothing."""
    folder = checkout if wrong == "package" else tmp_path / "folder"
    (folder / "work").mkdir(parents=True)
    if wrong == "repository":
        (folder / "work" / ".git").mkdir()
    temp = tmp_path
    if wrong == "elsewhere":
        temp = tmp_path / "temp"
        temp.mkdir()
    program = f"import sys; sys.path.insert(0, {str(checkout)!r}); "
    program += "from benchsuite.system.reaper import main; main()"
    working = str(folder / "work") if wrong == "directory" else ""
    subprocess.run(
        [
            sys.executable,
            *("-I", "-S", "-c", program),
            *("1", "a-marker-of-this-test", str(folder), working),
        ],
        stdin=subprocess.DEVNULL,  # at its end already: as if the parent had been killed
        env={"TMPDIR": str(temp)},
        timeout=30,
        check=True,
    )
    assert folder.exists() == (wrong != "none")


def test_what_is_written_while_the_folder_goes_goes_too(
    temp_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another guard of the command still has to end may write until then."""
    folder = temp_folder / "run"
    folder.mkdir()
    removed = []

    def rmtree(path: str, **options: bool) -> None:
        whole(path, **options)
        if not removed:
            folder.mkdir()
            (folder / "late").touch()
        removed.append(path)

    whole = shutil.rmtree
    monkeypatch.setattr(shutil, "rmtree", rmtree)
    reaper.remove(str(folder), "")
    assert removed == [str(folder)] * 2
    assert not folder.exists()


def test_killed_parent_leaves_no_shared_memory(temp_folder: Path) -> None:
    prefix = f"benchsuite-{secrets.token_hex(8)}"
    left = [Path("/dev/shm", f"{prefix}-dict"), Path("/dev/shm", f"sem.{prefix}-dict")]
    then = (
        "from benchsuite.system.guard import without_shared_memory\n"
        f"stack.enter_context(without_shared_memory(marker, {prefix!r}))\n"
        f"for path in {[str(path) for path in left]!r}: Path(path).touch()\n"
    )
    with GuardedParent(temp_folder, "good", then=then) as parent:
        assert all(path.exists() for path in left)
        parent.popen.kill()
        assert eventually(lambda: not any(path.exists() for path in left))
        assert eventually(lambda: not parent.run_folder.exists())


def test_shared_memory_is_removed_before_and_after(temp_folder: Path) -> None:
    prefix = f"benchsuite-{secrets.token_hex(8)}"
    left = Path("/dev/shm", f"{prefix}-dict")
    left.touch()
    with guard.without_shared_memory("a-marker-of-this-test", prefix):
        assert not left.exists()
        left.touch()
    assert not left.exists()
