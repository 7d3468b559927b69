"""What a server that has ended may have left on the machine beside its processes and its port."""

import os
import tempfile
import time
from collections.abc import Collection, Iterator
from pathlib import Path

PATIENCE_S = 3.0


class Traces:
    """Taken while the server runs; afterwards it knows what of its kind is still there.

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
