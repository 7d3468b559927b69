"""Starts the stub servers of `stubs/`."""

import os
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchsuite.system.network import free_port
from benchsuite.system.process import Process, running, wait_until_ready
from benchsuite.telemetry.prober.answer import answers_as

STUBS = Path(__file__).parent / "stubs"
READY_S = 20.0


def command(name: str, port: int) -> list[str]:
    # -S: the stubs need no site-packages, and tests start many of them.
    return [sys.executable, "-S", str(STUBS / f"{name}.py"), str(port)]


class Stub:
    """A stub server of a run of its own."""

    def __init__(self, process: Process, port: int, marker: str) -> None:
        self.process = process
        self.port = port
        self.marker = marker

    def answers(self) -> bool:
        return answers_as(f"http://127.0.0.1:{self.port}/", self.marker)

    def wait(self, timeout_s: float = READY_S) -> float:
        return wait_until_ready(self.process, self.answers, timeout_s=timeout_s)


@contextmanager
def stub(name: str, folder: Path, *, grace_s: float = 10.0, marker: str = "") -> Iterator[Stub]:
    port = free_port()
    marker = marker or uuid.uuid4().hex
    with running(
        command(name, port),
        name=name,
        log=folder / f"{name}.log",
        env=dict(os.environ),
        grace_s=grace_s,
        marker=marker,
    ) as process:
        yield Stub(process, port, marker)
