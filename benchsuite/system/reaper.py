"""The child of `guard`: waits for its parent's end and cleans up if necessary. Runs without
site-packages, so it imports only the standard library and what reads /proc.

It removes the POSIX shared memory and semaphores that programs of a run leave in /dev/shm, by a
prefix unique to one start, and the System V segment that a `postmaster.pid` of PostgreSQL names.
"""

import ctypes
import os
import re
import select
import signal
import struct
import sys
import time
from contextlib import suppress
from pathlib import Path

from benchsuite.system.procfs import Key, send_signal
from benchsuite.system.tree import Mark, ProcessTree

TERM_S = 5.0  #: How long the run's processes may take to end after SIGTERM.
KILL_S = 5.0
REMOVE_S = TERM_S + KILL_S  #: How long the removal of a folder in use may take.


def main() -> None:
    """Arguments: the parent's PID, the run's marker, the run's folder, the parent's directory."""
    parent, marker, folder, working = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, signal.SIG_IGN)
    if (prefixes := _listen(parent)) is not None:
        end_all(ProcessTree((), Mark(marker)))
        remove(folder, working)
        for prefix in prefixes:
            remove_memory(prefix)


def _listen(parent: int) -> list[str] | None:
    """Waits for "bye" (None) or the parent's end (prefixes of shared memory to remove)."""
    prefixes: list[str] = []
    poll = select.poll()
    poll.register(0, select.POLLIN | select.POLLHUP)
    # Also wakes up when the parent ends: a fork of it may keep the pipe open.
    with suppress(AttributeError, OSError):  # it has ended, as the pipe shows, or no pidfd
        handle = os.pidfd_open(parent)
        if os.getppid() == parent:
            poll.register(handle, select.POLLIN)
    pending = b""
    while True:
        ready = {handle for handle, _ in poll.poll()}
        # The pipe first: "bye" counts even if the parent then died.
        data = os.read(0, 4096) if 0 in ready else b""
        *lines, pending = (pending + data).split(b"\n")
        for line in lines:
            if line == b"bye":
                return None
            prefixes.append(line.decode())
        if not data:
            return prefixes


def remove(folder: str, working: str) -> None:
    """Removes the run's folder, if it is one; for a while, as others may still write into it."""
    # Imported here, because a child that is dismissed never needs them.
    import shutil

    from benchsuite.system.folders import why_kept

    limit = time.monotonic() + REMOVE_S
    while why_kept(Path(folder), working=Path(working) if working else None) is None:
        remove_of_clusters(Path(folder))
        shutil.rmtree(folder, ignore_errors=True)
        if time.monotonic() > limit:
            return
        time.sleep(0.1)


def end_all(tree: ProcessTree) -> None:
    """Ends all processes of the tree: SIGTERM, then SIGKILL; bounded."""
    asked = set[Key]()
    began = time.monotonic()
    while True:
        elapsed = time.monotonic() - began
        left = tree.living(thorough=True)
        if not left or elapsed > TERM_S + KILL_S:
            return
        for stat in left:
            if elapsed > TERM_S:
                send_signal(stat, signal.SIGKILL)
            elif stat.key not in asked:
                asked.add(stat.key)
                send_signal(stat, signal.SIGTERM)
        time.sleep(0.02)


MEMORY = Path("/dev/shm")
_PREFIX = re.compile(r"benchsuite-[0-9a-f]{16}")
POSTMASTER = "postmaster.pid"
SEGMENTS = Path("/proc/sysvipc/shm")
IPC_RMID = 0
SHM_RDONLY = 0o10000
PG_SHMEM_MAGIC = 679834894
MOST_CONTROL = 1 << 20
_BITS = 0xFFFF_FFFF  #: A key may be written signed or unsigned.
_IDS = 6  #: The line of postmaster.pid, from 0, with the segment's key and ID.


def memory_left_by(prefix: str) -> list[Path]:
    """Files with this prefix; raises ValueError for one that others' names might have."""
    if not _PREFIX.fullmatch(prefix):
        raise ValueError(
            f"Shared memory is only removed by a run's own prefix, benchsuite- and 16 hexadecimal "
            f"digits, not by {prefix!r}."
        )
    ours = (f"{prefix}-", f"sem.{prefix}-")  # with the C library's prefix of semaphores
    return sorted(path for path in MEMORY.glob("*") if path.name.startswith(ours))


def remove_memory(prefix: str) -> None:
    for path in memory_left_by(prefix):
        path.unlink(missing_ok=True)


def remove_of_clusters(folder: Path) -> None:
    """Removes unused segments whose keys killed PostgreSQL servers noted below this folder."""
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
    return MEMORY / f"PostgreSQL.{handle}"


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
