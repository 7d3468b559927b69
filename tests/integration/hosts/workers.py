"""Load hosts of a test's own: `benchworker`'s program, in whatever surroundings it is given."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchsuite.load.hosts import keys
from benchsuite.load.hosts import master as hosts
from benchsuite.load.hosts.keys import Listening
from benchsuite.load.hosts.master import HostsPool, Master
from benchsuite.load.job import Tick
from benchsuite.system.network import free_port
from tests.integration.command import ROOT
from tests.integration.left_behind import eventually
from tests.integration.loads import Loaded

WORKER = (sys.executable, "-m", "benchsuite.load.hosts.worker")


@dataclass
class Worker:
    """A started load host."""

    process: subprocess.Popen[bytes]
    log: Path

    @property
    def words(self) -> str:
        return self.log.read_text()

    def ended(self, limit_s: float = 8.0) -> int:
        """Its exit status; fails where it goes on."""
        return self.process.wait(limit_s)

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Whatever it was started by is no part of it."""
        os.kill(self.pid, number)

    @property
    def pid(self) -> int:
        """Of the program itself, below `unshare` and the like."""
        pid = self.process.pid
        while Path(f"/proc/{pid}/comm").read_text().strip() == "unshare":
            (pid,) = _children(pid)
        return pid


def _children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@dataclass
class Place:
    """A master that listens, with its key, and what was started to join it."""

    folder: Path
    host: str = "127.0.0.1"
    notes: list[str] = field(default_factory=list)
    workers: list[Worker] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.key = self.folder / "key"
        keys.write_new(self.key)
        self.port = free_port(self.host)

    @property
    def listening(self) -> Listening:
        return Listening(self.host, self.port, self.key)

    def start(self, *, before=(), program=WORKER, key=None, port=None):
        """A worker behind a command line that `before` begins."""
        log = self.folder / f"worker-{len(self.workers)}.log"
        temporary = self.folder / f"tmp-{len(self.workers)}"
        temporary.mkdir()
        words = [*before, *program, self.host, str(port or self.port), str(key or self.key)]
        env = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)}
        with log.open("wb") as output:
            process = subprocess.Popen(
                words, stdout=output, stderr=output, env=env, start_new_session=True
            )
        worker = Worker(process, log)
        self.workers.append(worker)
        return worker

    def close(self) -> None:
        for worker in self.workers:
            if worker.process.poll() is None:
                worker.kill(signal.SIGCONT)
                worker.kill(signal.SIGTERM)
                worker.process.wait(10)

    @property
    def left(self) -> list[str]:
        """What workers have left of their folders."""
        return sorted(str(path) for path in self.folder.glob("tmp-*/benchsuite-*"))


@contextmanager
def place(folder: Path, host: str = "127.0.0.1") -> Iterator[Place]:
    """All that was started in the block is gone after it, with its folders."""
    made = Place(folder, host)
    try:
        yield made
    finally:
        made.close()
    ends = [(worker.process.returncode, worker.words) for worker in made.workers]
    assert eventually(lambda: not made.left), (made.left, ends)
    assert eventually(lambda: not programs_of(folder)), programs_of(folder)


def programs_of(folder: Path) -> list[str]:
    """Command lines of what workers started and did not end: it has their folder for its own."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"TMPDIR={folder}/".encode() in (entry / "environ").read_bytes():
                found.append((entry / "cmdline").read_text().replace("\0", " "))
    return found


@contextmanager
def joined(made: Place, count: int, limit_s: float = 40.0) -> Iterator[HostsPool]:
    """So many of them, by a master of their own."""
    how = {"tell": made.notes.append, "limit_s": limit_s}
    with master(made) as listening, listening.joined(count, **how) as pool:
        yield pool


def master(made: Place) -> AbstractContextManager[Master]:
    return hosts.master(made.listening, log=made.folder / "master.log")


def load(pool, job, at_second=lambda elapsed_s: None):
    """A load from its check to its samples."""
    ticks: list[Tick] = []
    pool.check(job)

    def on_tick(tick: Tick) -> None:
        ticks.append(tick)
        at_second(tick.elapsed_s)

    done = pool.run(on_tick)
    return Loaded(done, ticks, *pool.samples()), pool.hosts
