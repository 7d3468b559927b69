"""A killed run leaves neither shared memory nor semaphores, whoever is killed with it, and when."""

import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from benchsuite.services import postgres as programs
from benchsuite.system import sharedmemory
from benchsuite.system.account import hand_over, rights_of, unprivileged
from tests.integration.left_behind import eventually, processes_with
from tests.needs import needs

pytestmark = needs("postgresql", "psycopg")

PARENT = """
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


def shared() -> set[str]:
    """All that is there of this machine: names in /dev/shm, numbers of System V segments."""
    return {*os.listdir("/dev/shm"), *(f"segment {number}" for number, _ in segments())}


def segments() -> list[tuple[str, int]]:
    """Numbers of System V segments, and who made them."""
    lines = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    return [(line.split()[1], int(line.split()[4])) for line in lines]


@pytest.fixture
def run() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="shm-") as name:
        os.chmod(name, 0o711)  # nobody, as whom PostgreSQL runs, passes through
        (Path(name) / "run").mkdir()
        yield Path(name) / "run"


@pytest.mark.parametrize(
    ("first", "second", "after_s"),
    [
        ("parent", "", 0.0),
        ("parent", "everything", 0.0),
        ("parent", "everything", 0.5),
        ("services", "parent", 0.2),
    ],
)
def test_nothing_of_a_killed_run_stays(first: str, second: str, after_s: float, run: Path) -> None:
    marker = secrets.token_hex(8)
    argv = [sys.executable, "-c", PARENT, marker, str(run)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        database, _, mark = parent.stdout.readline().split()

        def left() -> set[str]:
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
    assert eventually(lambda: not run.exists())


@pytest.mark.alone  # others leave things in /dev/shm meanwhile
def test_what_initdb_starts_and_is_killed_leaves_nothing_either(run: Path) -> None:
    """A PostgreSQL for one user, as `initdb` runs it, has its memory in /dev/shm whatever the
    server is told.
    """
    before, user, folder = shared(), unprivileged(), programs.found()
    assert folder is not None
    hand_over(run, user)
    words = [folder / "initdb", "-D", run / "data", "--no-sync"]
    subprocess.run(words, check=True, capture_output=True, cwd=run, **rights_of(user))
    argv = [folder / "postgres", "--single", "-D", run / "data"]
    argv += ["-c", "dynamic_shared_memory_type=posix", "postgres"]
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=run, **rights_of(user)
    ) as alone:
        eventually(lambda: len(shared() - before) >= 3)
        alone.kill()
    assert len(shared() - before) >= 3, "it leaves something, or this test shows nothing"
    sharedmemory.remove_of_clusters(run)
    assert shared() <= before
