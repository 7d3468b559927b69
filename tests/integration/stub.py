"""Starts the stub servers of `stubs.py`, also in a process that is interrupted or killed."""

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchsuite.system.network import free_port
from benchsuite.system.process import Process, running, wait_until_ready
from benchsuite.telemetry.prober.answer import Probe
from tests.integration.left_behind import processes_with

STUBS = Path(__file__).parent / "stubs.py"
READY_S = 20.0


class Stub:
    """A stub server of a run of its own."""

    def __init__(self, process: Process, port: int, marker: str) -> None:
        self.process = process
        self.port = port
        self.marker = marker

    def answers(self) -> bool:
        return Probe(f"http://127.0.0.1:{self.port}/", self.marker, timeout_s=2)()

    def wait(self, timeout_s: float = READY_S) -> float:
        return wait_until_ready(self.process, self.answers, timeout_s=timeout_s)


@contextmanager
def stub(name: str, folder: Path, *, grace_s: float = 10.0, marker: str = "") -> Iterator[Stub]:
    port = free_port()
    marker = marker or uuid.uuid4().hex
    with running(
        # -S: the stubs need no site-packages, and tests start many of them.
        [sys.executable, "-S", str(STUBS), name, str(port)],
        name=name,
        log=folder / f"{name}-{port}.log",
        env=dict(os.environ),
        grace_s=grace_s,
        marker=marker,
    ) as process:
        yield Stub(process, port, marker)


PARENT = """
import os, sys, time
from pathlib import Path

from tests.integration.stub import stub
marker = {marker!r}
{before}
with stub({name!r}, Path({folder!r}), marker=marker, grace_s={grace_s}) as server:
    server.wait()
    print("ready", flush=True)
    time.sleep(600)
"""


class Parent:
    """A process of its own that runs a stub, to be interrupted and killed."""

    def __init__(self, folder, name="good", *, grace_s=10.0, before=""):
        self.marker = uuid.uuid4().hex
        code = PARENT.format(
            folder=str(folder), name=name, marker=self.marker, grace_s=grace_s, before=before
        )
        self.popen = subprocess.Popen(
            [sys.executable, "-c", code],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(STUBS.parents[2])},
        )

    def __enter__(self) -> "Parent":
        assert self.popen.stdout.readline() == "ready\n"
        return self

    def __exit__(self, *_: object) -> None:
        self.popen.kill()
        self.popen.wait()
        self.popen.stdout.close()
        for pid in processes_with(self.marker):
            os.kill(pid, signal.SIGKILL)
