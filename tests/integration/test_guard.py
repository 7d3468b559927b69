"""A parent that is killed takes its run with it: processes, folder, shared memory, semaphores."""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.services import postgres as programs
from benchsuite.system import guard, reaper
from benchsuite.system.account import hand_over, rights_of, unprivileged
from benchsuite.system.guard import guarded
from tests.integration.left_behind import below, eventually, processes_with
from tests.integration.stub import Parent
from tests.needs import audited, needs

GUARDED = """
from contextlib import ExitStack
from benchsuite.system.guard import guarded
stack = ExitStack()
"""


@pytest.fixture
def temp_folder():
    """Below the temp folder of these tests; pytest's own `tmp_path` is not."""
    with tempfile.TemporaryDirectory(prefix="guarded-") as name:
        yield Path(name)


class GuardedParent(Parent):
    """A parent whose run is guarded, and whose run's folder is `folder`/run."""

    def __init__(self, folder, name, *, then=""):
        self.run_folder = folder / "run"
        self.run_folder.mkdir()
        (self.run_folder / "file").touch()
        enter = f"stack.enter_context(guarded(marker, Path({str(self.run_folder)!r})))\n"
        super().__init__(folder, name, grace_s=1, before=GUARDED + enter + then)


@pytest.mark.parametrize(
    "name",
    audited(
        ["good", "ignores_term", "leaves_children", "workers_run_away", "retitled"],
        *("ignores_term", "workers_run_away"),
    ),
)
def test_killed_parent_leaves_nothing(name, temp_folder):
    with GuardedParent(temp_folder, name) as parent:
        tree = psutil.Process(parent.popen.pid).children(recursive=True)
        parent.popen.kill()
        assert eventually(lambda: not processes_with(parent.marker))
        assert eventually(lambda: not parent.run_folder.exists())
        assert eventually(lambda: not [one for one in tree if lives(one)]), "the guard or a child"


def lives(process):
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


def test_a_fork_that_holds_the_pipe_does_not_hold_up_the_guard(temp_folder):
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


def the_guard():
    """The one child of this process that is a guard."""
    found: list[psutil.Process] = []

    def is_there():  # a child that was just forked has its parent's name for a moment
        found[:] = below(os.getpid(), "reaper")
        return bool(found)

    assert eventually(is_there), "no guard"
    [child] = found
    return child


def test_leaves_at_once_and_touches_nothing_when_all_is_well(temp_folder):
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


def test_run_goes_on_when_the_guard_was_killed(temp_folder):
    with guarded("a-marker-of-this-test", temp_folder):
        child = the_guard()
        child.send_signal(signal.SIGKILL)
        assert eventually(lambda: child.status() == psutil.STATUS_ZOMBIE)
        with guard.without_shared_memory(
            "a-marker-of-this-test", f"benchsuite-{secrets.token_hex(8)}"
        ):
            pass


def test_guard_outlives_what_ends_the_parent(temp_folder):
    with guarded("a-marker-of-this-test", temp_folder):
        child = the_guard()
        for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            assert eventually(lambda: ignores(child.pid, signal.SIGHUP)), "it is not up"
            child.send_signal(signum)
        time.sleep(0.1)
        assert child.status() != psutil.STATUS_ZOMBIE


def ignores(pid, signum):
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    [line] = [line for line in lines if "SigIgn" in line]
    return bool(int(line.split()[1], 16) >> (signum - 1) & 1)


@pytest.fixture
def checkout(tmp_path):
    """A copy of benchsuite in a folder of the test's own, which a slip may cost."""
    folder = tmp_path / "checkout"
    own = Path(guard.__file__).parents[1]
    for path in (own / "__init__.py", *own.glob("core/*.py"), *own.glob("system/*.py")):
        copy = folder / "benchsuite" / path.relative_to(own)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    return folder


def test_a_folder_that_may_not_be_removed_is_refused(tmp_path, temp_folder, monkeypatch):
    """All is well with these, so a slip would remove nothing."""
    (temp_folder / "other" / ".git").mkdir(parents=True)
    (temp_folder / "run" / "here").mkdir(parents=True)
    monkeypatch.chdir(temp_folder / "run" / "here")
    for folder, words in (
        (temp_folder / "other", "holds a git repository"),
        (temp_folder / "run", "holds the current directory"),
        (tmp_path, "not below the system's temp folder"),
    ):
        with pytest.raises(UsageError, match=words), guarded("a-marker-of-this-test", folder):
            pytest.fail("it was accepted")
    with pytest.raises(UsageError, match="at least 8 characters"), guarded("1", temp_folder / "x"):
        pytest.fail("it was accepted")


@pytest.mark.parametrize("wrong", ["package", "repository", "directory", "elsewhere", "none"])
def test_the_reaper_looks_again(wrong, checkout, tmp_path):
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
    arguments = ["1", "a-marker-of-this-test", str(folder), working]
    subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, *arguments],
        stdin=subprocess.DEVNULL,  # at its end already: as if the parent had been killed
        env={"TMPDIR": str(temp)},
        timeout=30,
        check=True,
    )
    assert folder.exists() == (wrong != "none")


def test_what_is_written_while_the_folder_goes_goes_too(temp_folder, monkeypatch):
    """What another guard of the command still has to end may write until then."""
    folder = temp_folder / "run"
    folder.mkdir()
    removed = []

    def rmtree(path, **options):
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


def test_shared_memory_is_removed_before_and_after(temp_folder):
    prefix = f"benchsuite-{secrets.token_hex(8)}"
    left = Path("/dev/shm", f"{prefix}-dict")
    left.touch()
    with guard.without_shared_memory("a-marker-of-this-test", prefix):
        assert not left.exists()
        left.touch()
    assert not left.exists()


SHARING = """
import os, sys, time
from pathlib import Path
from benchsuite.system.guard import guarded, without_shared_memory
from benchsuite.system.process import running
from benchsuite.services.postgres import PostgreSQL
from benchsuite.servers.base import Application, Place
from benchsuite.servers.hypercorn import Hypercorn
from benchsuite.core.specs import ServerSpec

marker, folder = sys.argv[1], Path(sys.argv[2])
env = dict(os.environ)
spec = ServerSpec(server="hypercorn", processes=2)
adapter = Hypercorn(spec, Application(), Place(folder=folder))
(folder / "pg").mkdir()
with (
    guarded(marker, folder),
    PostgreSQL(folder=folder / "pg", marker=marker, fsync=False, env=env) as database,
    without_shared_memory(marker, adapter.shared_memory()),
    running(
        adapter.argv("127.0.0.1", 0), name="hypercorn", log=folder / "log",
        env={**env, **adapter.env()}, marker=marker,
    ) as server,
):
    mark = "sem." + adapter.shared_memory()
    while not any(name.startswith(mark) for name in os.listdir("/dev/shm")):
        time.sleep(0.02)
    print(database.process.pid, server.pid, adapter.shared_memory(), flush=True)
    time.sleep(600)
"""


def shared():
    """All that is there of this machine: names in /dev/shm, numbers of System V segments."""
    return {*os.listdir("/dev/shm"), *(f"segment {number}" for number, _ in segments())}


def segments():
    """Numbers of System V segments, and who made them."""
    lines = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    return [(line.split()[1], int(line.split()[4])) for line in lines]


@pytest.fixture
def run_folder():
    with tempfile.TemporaryDirectory(prefix="shm-") as name:
        os.chmod(name, 0o711)  # nobody, as whom PostgreSQL runs, passes through
        (Path(name) / "run").mkdir()
        yield Path(name) / "run"


@pytest.mark.parametrize(
    ("first", "second", "after_s"),
    [
        ("parent", "", 0.0),
        *audited([("parent", "everything", 0.0), ("parent", "everything", 0.5)]),
        ("services", "parent", 0.2),
    ],
)
def test_nothing_of_a_killed_run_stays(first, second, after_s, run_folder):
    marker = secrets.token_hex(8)
    argv = [sys.executable, "-c", SHARING, marker, str(run_folder)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as parent:
        database, _, mark = parent.stdout.readline().split()

        def left():
            """What this run has made, whoever else is at work on this machine."""
            names = {name for name in os.listdir("/dev/shm") if mark in name}
            return names | {number for number, maker in segments() if maker == int(database)}

        assert any(name.startswith("sem.") for name in left())
        assert any(name.isdigit() for name in left()), "PostgreSQL's segment"
        time.sleep(after_s)
        everything = processes_with(marker)
        pids = {"parent": [parent.pid], "services": everything, "everything": everything, "": []}
        for pid in [*pids[first], *pids[second]]:
            with suppress(ProcessLookupError):  # its leader has taken it along
                os.kill(pid, signal.SIGKILL)
    assert eventually(lambda: not processes_with(marker))
    assert eventually(lambda: not left()), left()
    assert eventually(lambda: not run_folder.exists())


@needs("postgresql", "psycopg")
@pytest.mark.alone  # others leave things in /dev/shm meanwhile
def test_what_initdb_starts_and_is_killed_leaves_nothing_either(run_folder):
    """A PostgreSQL for one user, as `initdb` runs it, has its memory in /dev/shm whatever the
    server is told.
    """
    before, user, folder = shared(), unprivileged(), programs.newest()
    assert folder is not None
    hand_over(run_folder, user)
    words = [folder / "initdb", "-D", run_folder / "data", "--no-sync"]
    subprocess.run(words, check=True, capture_output=True, cwd=run_folder, **rights_of(user))
    argv = [folder / "postgres", "--single", "-D", run_folder / "data"]
    argv += ["-c", "dynamic_shared_memory_type=posix", "postgres"]
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=run_folder, **rights_of(user)
    ) as alone:
        eventually(lambda: len(shared() - before) >= 3)
        alone.kill()
    assert len(shared() - before) >= 3, "it leaves something, or this test shows nothing"
    reaper.remove_of_clusters(run_folder)
    assert shared() <= before
