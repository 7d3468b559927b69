"""A killed run leaves neither shared memory nor semaphores, whoever is killed with it, and when."""

import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchsuite.services import postgres_programs as programs
from benchsuite.system import sharedmemory
from benchsuite.system.account import hand_over, rights_of, unprivileged
from tests.integration.left_behind import eventually, processes_with
from tests.needs import needs

pytestmark = [pytest.mark.alone, needs("postgresql", "psycopg")]

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
    print(database.process.pid, server.pid, flush=True)
    time.sleep(600)
"""


def shared() -> set[str]:
    """All that is there of this machine: names in /dev/shm, numbers of System V segments."""
    segments = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    return {*os.listdir("/dev/shm"), *(f"segment {line.split()[1]}" for line in segments)}


@pytest.fixture
def run() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="shm-") as name:
        os.chmod(name, 0o711)  # nobody, as whom PostgreSQL runs, passes through
        (Path(name) / "run").mkdir()
        yield Path(name) / "run"


@pytest.mark.parametrize(
    ("killed", "after_s"),
    [("the parent", 0.0), ("everything", 0.0), ("everything", 0.5), ("the services first", 0.2)],
)
def test_nothing_of_a_killed_run_stays(killed: str, after_s: float, run: Path) -> None:
    before, marker = shared(), secrets.token_hex(8)
    argv = [sys.executable, "-c", PARENT, marker, str(run)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        leaders = [int(word) for word in parent.stdout.readline().split()]
        assert len(leaders) == 2
        while_running = shared() - before
        assert any(name.startswith("sem.benchsuite-") for name in while_running)
        assert any(name.startswith("segment") for name in while_running)
        assert not any("PostgreSQL" in name for name in while_running)
        time.sleep(after_s)
        others = {
            "the parent": [],
            "everything": processes_with(marker),
            "the services first": processes_with(marker),
        }[killed]
        victims = [*others, parent.pid] if killed.endswith("first") else [parent.pid, *others]
        for pid in victims:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:  # its leader has taken it along
                continue
    assert eventually(lambda: not processes_with(marker))
    assert eventually(lambda: not shared() - before), shared() - before
    assert eventually(lambda: not run.exists())


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
