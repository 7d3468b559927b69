"""Removes the POSIX shared memory and semaphores that programs of a run leave in /dev/shm, by a
prefix unique to one start, and the System V segment that a `postmaster.pid` of PostgreSQL names.
Standard library only.
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
_BITS = 0xFFFF_FFFF  #: A key may be written signed or unsigned.
_IDS = 6  #: The line of postmaster.pid, from 0, with the segment's key and ID.


def left_by(prefix: str) -> list[Path]:
    """Files with this prefix; raises ValueError for one that others' names might have."""
    if not _PREFIX.fullmatch(prefix):
        raise ValueError(
            f"Shared memory is only removed by a run's own prefix, benchsuite- and 16 hexadecimal "
            f"digits, not by {prefix!r}."
        )
    ours = (f"{prefix}-", f"sem.{prefix}-")  # with the C library's prefix of semaphores
    try:
        names = os.listdir(FOLDER)
    except OSError:  # a machine without /dev/shm
        return []
    return [FOLDER / name for name in sorted(names) if name.startswith(ours)]


def remove(prefix: str) -> None:
    for path in left_by(prefix):
        path.unlink(missing_ok=True)


def remove_of_clusters(folder: Path) -> None:
    """Removes the segments of killed PostgreSQL servers with their data below this folder: those
    that still have the key noted there, and no users.
    """
    unused = _unused()
    for path in folder.rglob(POSTMASTER):
        try:
            key, number = map(int, path.read_text(errors="replace").splitlines()[_IDS].split())
        except (OSError, IndexError, ValueError):
            continue
        if (key & _BITS, number) in unused:
            for file in _beside(number):
                file.unlink(missing_ok=True)
            ctypes.CDLL(None).shmctl(number, IPC_RMID, None)


def _beside(number: int) -> list[Path]:
    """The POSIX memory of the PostgreSQL that owns this segment, as `initdb` starts it. The
    segment's PGShmemHeader names a control file that names the others (storage/pg_shmem.h,
    storage/ipc/dsm.c), at a place that differs between versions: so every number that is a file's
    counts.
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
    return FOLDER / f"PostgreSQL.{handle}"


def _unused() -> set[tuple[int, int]]:
    """Key and ID of each segment without users."""
    try:
        head, *lines = SEGMENTS.read_text().splitlines()
    except (OSError, ValueError):
        return set()
    users = head.split().index("nattch")
    rows = [line.split() for line in lines]
    segments = {(int(row[0]) & _BITS, int(row[1])) for row in rows if row[users] == "0"}
    return segments - {(0, 0)}  # which no shared segment has
