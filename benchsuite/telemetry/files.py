"""How many files, sockets included, a process tree has open."""

import os
from typing import ClassVar

from benchsuite.system.procfs import read_stat
from benchsuite.telemetry.base import Device, Figures, Snapshot


class OpenFiles(Device):
    """Open file descriptors, summed over the processes: one that several inherited counts for
    each."""

    cost: ClassVar[str] = "3 µs a process on Linux 6.2 and later; before, 7 µs and 0.4 µs a file"

    def sample(self, snapshot: Snapshot) -> Figures:
        total = 0
        for stat in snapshot.stats:
            count = _open_files(stat.pid)
            if count is not None:
                total += count
            elif (now := read_stat(stat.pid)) is not None and now.alive:
                return {"open_files": None}  # it lives and is not ours to read
        return {"open_files": total}


def _open_files(pid: int) -> int | None:
    folder = f"/proc/{pid}/fd"
    try:
        # Since Linux 6.2 the size of the folder is the number of files; before, it is 0.
        if os.access(folder, os.R_OK) and (count := os.stat(folder).st_size):
            return count
        return len(os.listdir(folder))
    except OSError:
        return None
