"""How fast the CPUs are on which a part may run."""

import os
import time
from collections.abc import Iterable
from typing import ClassVar

from benchsuite.telemetry.base import Device, Figures, Snapshot

BASE, EXPONENT, MODULUS = 3**500, (1 << 28) - 1, (1 << 1021) - 9
"""Of a modular power: a tenth of a millisecond of arithmetic that needs no memory."""

PIECES = 2  #: Timed after one that only warms the cache.


class Speed(Device):
    """The CPU time of a fixed piece of work, each time on the next CPU that the part may use.

    CPU time, because the part keeps those CPUs busy: waiting for one is not the CPU's speed. What
    is left grows with a lower clock, with work on the same core's other thread, and with time that
    a hypervisor takes and doesn't tell of.
    """

    cost: ClassVar[str] = "0.3 ms a look (benchmarks/telemetry_cost.py)"
    parts: ClassVar[tuple[str, ...]] = ("target", "load")

    def __init__(self) -> None:
        self._turn = 0

    def sample(self, snapshot: Snapshot) -> Figures:
        cpus = sorted(affinity(stat.pid for stat in snapshot.stats) or ())
        if not cpus:
            return {"work_s": None}
        self._turn += 1
        return {"work_s": timed_on(cpus[self._turn % len(cpus)])}


def timed_on(cpu: int) -> float:
    """Seconds of CPU for the piece of work on this one; raises OSError where it is not ours."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    try:
        pow(BASE, EXPONENT, MODULUS)
        begin = time.thread_time()
        for _ in range(PIECES):
            pow(BASE, EXPONENT, MODULUS)
        return (time.thread_time() - begin) / PIECES
    finally:
        os.sched_setaffinity(0, before)


def affinity(pids: Iterable[int]) -> frozenset[int] | None:
    """The CPUs on which any of these processes may run; None when that can't be known."""
    cpus: set[int] = set()
    for pid in pids:
        try:
            cpus |= os.sched_getaffinity(pid)
        except OSError:
            continue
    return frozenset(cpus) or None
