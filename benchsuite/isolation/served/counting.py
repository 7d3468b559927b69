"""Counts of the measured server, such as of the requests that it was asked: in a file for each
process beside the instructions, read by the run.

A cell of shared memory costs less than a microsecond a request, and the count outlives the process,
however it ends.
"""

import mmap
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from benchsuite.isolation.instructions import INSTRUCTIONS_VARIABLE

PREFIX = "asked-"  #: Of the files that count requests.
CELL = 8  #: Bytes of a 64-bit number in the order of the machine.


class Counter:
    """Counts for its own process, also after a fork. Threads may overtake each other between number
    and cell; the count is then one too low until the next request.
    """

    def __init__(self, instructions: Path, prefix: str = PREFIX) -> None:
        self._instructions = instructions
        self._prefix = prefix
        self._mine: dict[int, tuple[memoryview, Iterator[int]]] = {}

    def add(self) -> None:
        pid = os.getpid()
        cell, numbers = self._mine.get(pid) or self._mine.setdefault(pid, self._made(pid))
        cell[0] = next(numbers)

    def _made(self, pid: int) -> tuple[memoryview, Iterator[int]]:
        """Where the file can't be written, for lack of permission, the count is lost."""
        try:
            path = self._instructions.with_name(f"{self._prefix}{pid}")
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            return memoryview(bytearray(CELL)).cast("Q"), count(1)
        try:
            os.ftruncate(file, CELL)
            cell = memoryview(mmap.mmap(file, CELL)).cast("Q")
        finally:
            os.close(file)
        return cell, count(cell[0] + 1)


def of_this_process(prefix: str = PREFIX) -> Counter:
    return Counter(Path(os.environ[INSTRUCTIONS_VARIABLE]), prefix)


def read(instructions: Path, prefix: str = PREFIX) -> int | None:
    """What the servers with those instructions have counted until now; None where none has."""
    cells = [path.read_bytes() for path in instructions.parent.glob(f"{prefix}*")]
    if not cells:
        return None
    return sum(int(memoryview(cell).cast("Q")[0]) for cell in cells if len(cell) == CELL)
