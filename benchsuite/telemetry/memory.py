"""The memory of a process tree."""

import os
import re
from typing import ClassVar

from benchsuite.core.exceptions import UnavailableError
from benchsuite.system.procfs import Stat, read_bytes, read_stat
from benchsuite.telemetry.base import Device, Figures, Snapshot

_PSS = re.compile(rb"^Pss:\s+(\d+) kB", re.MULTILINE)


class Memory(Device):
    """Proportional set size: pages that processes share are divided among them, so it can be
    summed.

    The kernel walks every page table of the process for it, and holds up the process's own changes
    of its memory map meanwhile; so it is read only when the sampler's budget allows it.
    """

    cost: ClassVar[str] = "about 1 ms of CPU for each process of 50 MB, more for larger ones"

    def start(self) -> None:
        if not os.access("/proc/self/smaps_rollup", os.R_OK):
            raise UnavailableError(
                "This kernel has no /proc/PID/smaps_rollup: memory is not known."
            )

    def sample(self, snapshot: Snapshot) -> Figures:
        if not snapshot.costly:
            return {}
        return {"memory_bytes": sum_pss(snapshot.stats)}


def sum_pss(stats: tuple[Stat, ...]) -> int | None:
    """None when a living process can't be read (a sum without it would be wrong) or none is
    left."""
    total = None
    for stat in stats:
        found = _PSS.search(read_bytes(f"/proc/{stat.pid}/smaps_rollup") or b"")
        if found:
            total = (total or 0) + int(found[1]) * 1024
        elif _lives(stat):
            return None
    return total


def _lives(stat: Stat) -> bool:
    now = read_stat(stat.pid)
    return now is not None and now.alive and now.started == stat.started
