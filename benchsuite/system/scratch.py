"""A command's working folder below TMPDIR, and the error when its disk is full."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchsuite.core.exceptions import BenchsuiteError, StartError

LEAST_BYTES = 65_536  #: A disk with less space is full: no program of a run can work with it.
FULL = (errno.ENOSPC, errno.EDQUOT)
SIGNS = ("no space left", "disk quota exceeded", "disk is full")
"""What programs say then, in lower case."""
BEGINNING = "There is no space left "


@contextmanager
def folder() -> Iterator[Path]:
    """A new folder, removed at the end. Raises StartError if none can be created, or its path
    can't be written into configurations.
    """
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
        said = str(error)
        if said.startswith(BEGINNING) or not (_told_of(said) or _is_full(place)):
            raise
        raise type(error)(f"{no_space(place)} {said}") from error
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise StartError(no_space(place)) from error


def no_space(place: Path | str) -> str:
    """The sentence for a full disk."""
    return f"{BEGINNING}in {place}; make room, or set TMPDIR to a folder on another disk."


def _told_of(said: str) -> bool:
    return any(sign in said.lower() for sign in SIGNS)


def _is_full(place: Path) -> bool:
    try:
        found = os.statvfs(place)
    except OSError:  # the folder no longer exists
        return False
    free = found.f_bfree if os.geteuid() == 0 else found.f_bavail
    return free * found.f_frsize < LEAST_BYTES or (found.f_files > 0 and found.f_ffree == 0)
