"""A process of its own that runs a stub server, to be interrupted and killed."""

import os
import signal
import subprocess
import sys
import uuid
from pathlib import Path

from tests.integration.left_behind import processes_with
from tests.integration.stub import STUBS

PARENT = """
import os, sys, time
from pathlib import Path
from benchsuite.system import starting
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

    def __init__(
        self, folder: Path, name: str = "good", *, grace_s: float = 10.0, before: str = ""
    ) -> None:
        self.marker = uuid.uuid4().hex
        code = PARENT.format(
            folder=str(folder),
            name=name,
            marker=self.marker,
            grace_s=grace_s,
            before=before,
        )
        self.popen = subprocess.Popen(
            [sys.executable, "-c", code],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(STUBS.parents[2])},
        )

    def __enter__(self) -> "Parent":
        assert self.popen.stdout is not None
        assert self.popen.stdout.readline() == "ready\n"
        return self

    def __exit__(self, *_: object) -> None:
        self.popen.kill()
        self.popen.wait()
        assert self.popen.stdout is not None
        self.popen.stdout.close()
        for pid in processes_with(self.marker):
            os.kill(pid, signal.SIGKILL)
