"""A command's working folder below TMPDIR, and the error when its disk is full."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchsuite.core.exceptions import DISK_FULL, BenchsuiteError, StartError

LEAST_BYTES = 65_536  #: A disk with less space is full: no program of a run can work with it.
FULL = (errno.ENOSPC, errno.EDQUOT)
SIGNS = ("no space left", "disk quota exceeded", "disk is full")
"""What programs say then in their logs, in lower case."""


@contextmanager
def folder() -> Iterator[Path]:
    """A new folder, removed at the end; StartError for one that configurations can't name."""
    try:
        holder = tempfile.TemporaryDirectory(prefix="benchsuite-")
    except OSError as error:
        raise StartError(
            f"No folder for temporary files can be created: {error.strerror or error}; make room, "
            "or set TMPDIR to a writable folder."
        ) from error
    with holder as name:
        if not name.isprintable():
            raise StartError(
                f"The path {name!r} has characters that configurations can't contain; set TMPDIR "
                "to a path without them."
            )
        yield Path(name)


@contextmanager
def explained(place: Path) -> Iterator[None]:
    """Errors in the block because of a full disk are raised as ours, with the disk named first."""
    try:
        yield
    except BenchsuiteError as error:
        is_said = any(sign in str(error).lower() for sign in SIGNS)
        if error.code == DISK_FULL or not (is_said or _is_full(place)):
            raise
        raise disk_full(type(error), place, str(error)) from error
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise disk_full(StartError, place) from error


def disk_full(kind: type[BenchsuiteError], place: Path, more: str = "") -> BenchsuiteError:
    """An error of that kind for a full disk; `more` is what it would have said otherwise."""
    words = f"There is no space left in {place}; make room, or set TMPDIR to a folder on another"
    error = kind(f"{words} disk. {more}".strip())
    error.code = DISK_FULL
    return error


def _is_full(place: Path) -> bool:
    try:
        disk = os.statvfs(place)
    except OSError:  # the folder no longer exists
        return False
    free = disk.f_bfree if os.geteuid() == 0 else disk.f_bavail
    return free * disk.f_frsize < LEAST_BYTES or (disk.f_files > 0 and disk.f_ffree == 0)
