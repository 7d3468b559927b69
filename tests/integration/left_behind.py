"""What a test must not leave: processes of its run, and what else a server may leave."""

import os
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import Path

import psutil

SOON_S = 20.0
"""More than anything takes that is on its way; only a failing test waits that long."""


def processes_with(marker: str) -> list[int]:
    """PIDs of the living processes whose environment says `BENCHSUITE_RUN=marker`.

    Read without benchsuite's own code, which is what is tested; a zombie has no environment.
    """
    wanted, carrying = f"BENCHSUITE_RUN={marker}".encode(), []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if wanted in path.read_bytes().split(b"\0"):
                carrying.append(int(path.parent.name))
    return carrying


def below(pid: int, word: str) -> list[psutil.Process]:
    """Descendants with this word in their command line; who ends meanwhile is none."""
    named = []
    for process in psutil.Process(pid).children(recursive=True):
        with suppress(psutil.ZombieProcess, psutil.NoSuchProcess):
            if word in " ".join(process.cmdline()):
                named.append(process)
    return named


def eventually(is_so: Callable[[], bool], within_s: float = SOON_S) -> bool:
    """Whether it becomes true in time."""
    deadline = time.monotonic() + within_s
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


PATIENCE_S = 3.0


class Traces:
    """Taken while a server runs; afterwards it knows what is left beside processes and ports.

    Others may work on the same machine, so only what can be laid to this server counts: memory by
    the process that made it, sockets by the folder of the server, files by the temp folder that
    the tests have for themselves.
    """

    def __init__(self, pids: Collection[int], folder: Path) -> None:
        self._pids, self._folder = {str(pid) for pid in pids}, str(folder)
        self._temporary, self._shared = _temporary(), set(os.listdir("/dev/shm"))

    def left(self) -> list[str]:
        """Words for each thing that is there after a moment of patience."""
        deadline = time.monotonic() + PATIENCE_S
        while (found := list(self._look())) and time.monotonic() < deadline:
            time.sleep(0.1)
        return found

    def _look(self) -> Iterator[str]:
        for line in _lines("/proc/sysvipc/shm"):
            if line[4] in self._pids:
                yield f"shared memory {line[1]}, made by process {line[4]}"
        for line in _lines("/proc/net/unix"):
            if line[-1].startswith(self._folder):
                yield f"an open socket {line[-1]}"
        for name in _temporary() - self._temporary:
            yield f"in the temp folder: {name}"
        for name in set(os.listdir("/dev/shm")) - self._shared:
            if any(pid in name for pid in self._pids):  # all that name one by themselves tell it
                yield f"in /dev/shm: {name}"


def _lines(table: str) -> Iterator[list[str]]:
    for line in Path(table).read_text().splitlines()[1:]:
        yield line.split()


def _temporary() -> set[str]:
    return {name for name in os.listdir(tempfile.gettempdir()) if "pytest" not in name}
