"""Removes the POSIX shared memory and semaphores that programs of a run leave behind.

They outlive the processes that made them, and lie in /dev/shm, a folder of the whole machine: so
only names are touched that begin with a prefix which one start alone has. A PostgreSQL has a
segment of System V besides, which its `postmaster.pid` names. Standard library only.
"""

import ctypes
import os
import re
import struct
from pathlib import Path

FOLDER = Path("/dev/shm")

_PREFIX = re.compile(r"benchsuite-[0-9a-f]{16}")
POSTMASTER = "postmaster.pid"
SEGMENTS = Path("/proc/sysvipc/shm")
IPC_RMID = 0
SHM_RDONLY = 0o10000
PG_SHMEM_MAGIC = 679834894
MOST_CONTROL = 1 << 20
_POSTGRESQL = "PostgreSQL."
_BITS = 0xFFFF_FFFF  #: A key is written down with a sign or without.
_IDS = 6  #: The line of postmaster.pid, from 0, that has the key and the number of its segment.
_SEMAPHORE = "sem."  #: What the C library puts before the name of a semaphore.


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


def remove_of_clusters(folder: Path) -> None:
    """Removes the segments of the PostgreSQLs that were killed with their data below this folder.

    One that ends by itself removes its segment and its postmaster.pid. Only a segment is touched
    that has still the key which stands there, and is used by nobody.
    """
    unused = _unused()
    for path in folder.rglob(POSTMASTER):
        if (named := _named_by(path)) in unused:
            _, number = named
            for file in _beside(number):
                file.unlink(missing_ok=True)
            ctypes.CDLL(None).shmctl(number, IPC_RMID, None)


def _beside(number: int) -> list[Path]:
    """The POSIX memory of the PostgreSQL whose segment this is; only a running server can be told
    to keep it elsewhere, and not the short-lived ones of `initdb`.

    Its segment begins with PGShmemHeader, which names a control file, and that the others
    (storage/pg_shmem.h, storage/ipc/dsm.c): in another place with each version, so whatever number
    in it is that of a file is taken for one.
    """
    header = struct.Struct("=ii QQ I")
    libc = ctypes.CDLL(None)
    libc.shmat.restype = ctypes.c_void_p
    address = libc.shmat(number, None, SHM_RDONLY)
    if address in (None, ctypes.c_void_p(-1).value):
        return []
    try:
        magic, *_, control = header.unpack(ctypes.string_at(address, header.size))
    finally:
        libc.shmdt(ctypes.c_void_p(address))
    first = _named(control)
    if magic != PG_SHMEM_MAGIC or not first.is_file():
        return []
    with first.open("rb") as file:
        content = file.read(MOST_CONTROL)
    numbers = {one for (one,) in struct.iter_unpack("=I", content[: len(content) // 4 * 4])}
    return [first, *(path for one in numbers if (path := _named(one)).is_file())]


def _named(handle: int) -> Path:
    return FOLDER / f"{_POSTGRESQL}{handle}"


def _named_by(path: Path) -> tuple[int, int]:
    """Key and number; (0, 0), which no shared segment has, where the file does not say."""
    try:
        key, number = path.read_text(errors="replace").splitlines()[_IDS].split()
        return int(key) & _BITS, int(number)
    except (OSError, IndexError, ValueError):
        return 0, 0


def _unused() -> set[tuple[int, int]]:
    """Key and number of each segment that no process has."""
    try:
        head, *lines = SEGMENTS.read_text().splitlines()
    except (OSError, ValueError):
        return set()
    users = head.split().index("nattch")
    rows = [line.split() for line in lines]
    found = {(int(row[0]) & _BITS, int(row[1])) for row in rows if row[users] == "0"}
    return found - {(0, 0)}
