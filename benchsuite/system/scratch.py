"""The folder that a command works in, below TMPDIR; and what is said when its disk is full."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchsuite.core.exceptions import BenchsuiteError, StartError

LEAST_BYTES = 65_536  #: A disk with less than this is full: no program of a run gets by with it.
FULL = (errno.ENOSPC, errno.EDQUOT)
SIGNS = ("no space left", "disk quota exceeded", "disk is full")
"""What programs say then, in small letters."""
BEGINNING = "There is no space left "


@contextmanager
def folder() -> Iterator[Path]:
    """A folder of its own, removed at the end. Raises StartError where none can be made, or its
    path can't be written into configurations.
    """
    try:
        holder = tempfile.TemporaryDirectory(prefix="benchsuite-")
    except OSError as error:
        raise StartError(
            f"No folder for temporary files can be made: {error.strerror or error}; make room, or "
            "set TMPDIR to a folder that can be written to."
        ) from error
    with holder as name:
        if not name.isprintable():
            raise StartError(
                f"The path {name!r} has letters that no configuration can have; set TMPDIR to a "
                "folder without them."
            )
        yield Path(name)


@contextmanager
def explained(place: Path) -> Iterator[None]:
    """What goes wrong in the block because the disk of that folder is full is raised as one of our
    errors, and the disk is what it names first.
    """
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
    """What is said of a full disk, in a sentence."""
    return f"{BEGINNING}in {place}; make room, or set TMPDIR to a folder on another disk."


def _told_of(said: str) -> bool:
    return any(sign in said.lower() for sign in SIGNS)


def _is_full(place: Path) -> bool:
    try:
        found = os.statvfs(place)
    except OSError:  # it is gone, and so is what was in it
        return False
    free = found.f_bfree if os.geteuid() == 0 else found.f_bavail
    return free * found.f_frsize < LEAST_BYTES or (found.f_files > 0 and found.f_ffree == 0)
