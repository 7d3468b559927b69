"""What a test must not leave: processes of its run, and what else a server may leave."""

import os
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

SOON_S = 20.0
"""More than anything takes that is on its way; only a failing test waits that long."""


def processes_with(marker: str) -> list[int]:
    """PIDs of the living processes whose environment says `BENCHSUITE_RUN=marker`.

    Read without benchsuite's own code, which is what is tested.
    """
    return [pid for pid in _pids() if _state(pid) not in "ZX" and _carries(pid, marker)]


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _carries(pid: int, marker: str) -> bool:
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return f"BENCHSUITE_RUN={marker}".encode() in variables


def _state(pid: int) -> str:
    """One letter; "X" for a process that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


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
        self._pids = {str(pid) for pid in pids}
        self._folder = str(folder)
        self._temporary = _temporary()
        self._shared = set(os.listdir("/dev/shm"))

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
        for name in sorted(self._of_these_processes()):
            yield f"in /dev/shm: {name}"

    def _of_these_processes(self) -> set[str]:
        """Names that came and tell one of its PIDs, as all that name such a file by themselves."""
        came = set(os.listdir("/dev/shm")) - self._shared
        return {name for name in came if any(pid in name for pid in self._pids)}


def _lines(table: str) -> Iterator[list[str]]:
    for line in Path(table).read_text().splitlines()[1:]:
        yield line.split()


def _temporary() -> set[str]:
    return {name for name in os.listdir(tempfile.gettempdir()) if "pytest" not in name}
