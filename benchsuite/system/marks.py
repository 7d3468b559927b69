"""Marks what a run starts, so that each of its processes is known wherever it goes.

There are two marks, as neither reaches everywhere. A variable of the environment goes along into
containers, but programs clear it and write their titles over it. The limit of file locks has
limited nothing since Linux 2.4.25, so its value is free; it is inherited through forks, new
programs, new sessions and changes of user (setrlimit(2)).
"""

import re
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from zlib import crc32

from benchsuite.system.procfs import PART_VARIABLE, RUN_VARIABLE, carries, read_bytes

RLIMIT_LOCKS = 10  #: For which Python has no name.
PART_BITS = 31
CLAIMS = 1 << 61  #: From here on it is no mark of a run, but a claim (see `lock`).

_LOCKS = re.compile(rb"^Max file locks +(\d+)", re.MULTILINE)
_one_at_a_time = threading.Lock()


@dataclass(frozen=True, slots=True)
class Mark:
    """Of one start of a run; without a part, of all its starts."""

    run: str
    part: str = ""

    @property
    def limit(self) -> int:
        """The number that stands for it."""
        return crc32(self.run.encode()) >> 2 << PART_BITS | crc32(self.part.encode()) >> 1

    def is_on(self, pid: int) -> bool:
        """False if unknown: then neither file of the process can be read."""
        limit = limit_of(pid)
        if limit and 1 << PART_BITS <= limit < CLAIMS:  # a run's
            unnamed_bits = 0 if self.part else PART_BITS
            return limit >> unnamed_bits == self.limit >> unnamed_bits
        variable = f"{PART_VARIABLE}={self.part}" if self.part else f"{RUN_VARIABLE}={self.run}"
        return carries(pid, variable.encode())


def limit_of(pid: int) -> int | None:
    """None without a limit, and for a process that can't be read; those of others can be."""
    locks = _LOCKS.search(read_bytes(f"/proc/{pid}/limits") or b"")
    return int(locks[1]) if locks else None


@contextmanager
def limited(mark: Mark) -> Iterator[None]:
    """What is started in the block inherits the mark's limit; the environment is the caller's.

    Where the system allows only smaller limits, the environment must do.
    """
    with _one_at_a_time:
        soft, hard = resource.getrlimit(RLIMIT_LOCKS)
        with suppress(ValueError, OSError):
            resource.setrlimit(RLIMIT_LOCKS, (mark.limit, hard))
        try:
            yield
        finally:
            resource.setrlimit(RLIMIT_LOCKS, (soft, hard))
