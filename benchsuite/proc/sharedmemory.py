"""Removes the POSIX shared memory and semaphores that programs of a run leave behind.

They outlive the processes that made them, and lie in /dev/shm, a folder of the whole machine: so
only names are touched that begin with a prefix which one start alone has. Standard library only.
"""

import os
import re
from pathlib import Path

FOLDER = Path("/dev/shm")

_PREFIX = re.compile(r"benchsuite-[0-9a-f]{16}")
_SEMAPHORE = "sem."
"""What the C library puts before the name of a semaphore."""


def refuse_common(prefix: str) -> None:
    """Raises ValueError for a prefix that others' names might begin with."""
    if not _PREFIX.fullmatch(prefix):
        raise ValueError(
            f"Shared memory is removed by names of a run's own, benchsuite- and 16 hexadecimal "
            f"digits, and {prefix!r} is none."
        )


def left_by(prefix: str) -> list[Path]:
    """What is there under this prefix."""
    refuse_common(prefix)
    ours = (f"{prefix}-", f"{_SEMAPHORE}{prefix}-")
    try:
        names = os.listdir(FOLDER)
    except OSError:  # a machine without it has nothing in it
        return []
    return [FOLDER / name for name in sorted(names) if name.startswith(ours)]


def remove(prefix: str) -> None:
    """Removes what is there under this prefix."""
    for path in left_by(prefix):
        path.unlink(missing_ok=True)
