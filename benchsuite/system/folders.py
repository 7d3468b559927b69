"""Private files, the cache of a user, a command's working folder and the error when its disk is
full, and which folders may be removed: one that the process did not create must prove that it
belongs to a run. Standard library only.
"""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

from benchsuite.core.exceptions import DISK_FULL, BenchsuiteError, StartError
from benchsuite.system.interrupts import held_back

MODE = 0o600
as_private = partial(os.open, mode=MODE)  #: An opener for `open()`.


def write_private(path: Path, text: str) -> None:
    """Replaces the file's content; an existing file is closed to others, too."""
    with open(path, "w", encoding="utf-8", opener=as_private) as file:
        os.fchmod(file.fileno(), MODE)
        file.write(text)


def replace_private(path: Path, text: str) -> None:
    """The same in one step: nobody reads half of it, and a full disk leaves what was there."""
    aside = path.with_suffix(f".{os.getpid()}")
    write_private(aside, text)
    aside.replace(path)


def private_log(path: Path) -> BinaryIO:
    """A new file for a program's output."""
    return open(path, "wb", opener=as_private)


VARIABLE = "BENCHSUITE_CACHE"  #: The environment variable that moves the cache.


def cache_folder(chosen: str | None = None) -> Path:
    """BENCHSUITE_CACHE, else `chosen`, else `benchsuite` in the user's cache folder."""
    if named := os.environ.get(VARIABLE) or chosen:
        return Path(os.path.expanduser(named)).absolute()
    return own_folder("XDG_CACHE_HOME", ".cache")


def own_folder(variable: str, usual: str) -> Path:
    """`benchsuite` in the folder that this variable names, else in this one of the user's home."""
    named = os.environ.get(variable, "")  # the specification ignores relative paths
    return (Path(named) if os.path.isabs(named) else Path.home() / usual) / "benchsuite"


PACKAGE = Path(__file__).resolve().parents[1]


def why_kept(folder: Path, *, working: Path | None) -> str | None:
    """Why this folder must not be removed, as the end of a sentence; `working` is where we are."""
    folder = folder.resolve()
    temp = Path(tempfile.gettempdir()).resolve()
    if temp not in folder.parents:
        return f"is not below the system's temp folder ({temp})"
    if PACKAGE.is_relative_to(folder):
        return "holds benchsuite itself"
    if working is not None and working.resolve().is_relative_to(folder):
        return "holds the current directory"
    if not folder.is_dir():
        return "is not a folder"
    for path, folders, files in os.walk(folder):
        if ".git" in folders or ".git" in files:
            return f"holds a git repository ({path})"
    return None


LEAST_BYTES = 65_536  #: A disk with less space is full: no program of a run can work with it.
FULL = (errno.ENOSPC, errno.EDQUOT)
SIGNS = ("no space left", "disk quota exceeded", "disk is full")
"""What programs say then in their logs, in lower case."""


@contextmanager
def scratch() -> Iterator[Path]:
    """A new folder, removed at the end; StartError for one that configurations can't name."""
    try:
        holder = tempfile.TemporaryDirectory(prefix="benchsuite-", ignore_cleanup_errors=True)
    except OSError as error:
        raise StartError(
            f"No folder for temporary files can be created: {error.strerror or error}; make room, "
            "or set TMPDIR to a writable folder."
        ) from error
    try:
        if not holder.name.isprintable():
            raise StartError(
                f"The path {holder.name!r} has characters that configurations can't contain; set "
                "TMPDIR to a path without them."
            )
        yield Path(holder.name)
    finally:
        with held_back():
            holder.cleanup()


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
