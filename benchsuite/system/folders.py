"""Private files, the cache of a user, and which folders may be removed. Standard library only. A
folder that the process did not create must prove that it belongs to a run.
"""

import os
import tempfile
from pathlib import Path
from typing import BinaryIO

MODE = 0o600


def write_private(path: Path, text: str) -> None:
    """Replaces the file's content; an existing file is closed to others, too."""
    with open(path, "w", encoding="utf-8", opener=_opener) as file:
        os.fchmod(file.fileno(), MODE)
        file.write(text)


def private_log(path: Path) -> BinaryIO:
    """A new file for a program's output."""
    return open(path, "wb", opener=_opener)


def _opener(path: str, flags: int) -> int:
    return os.open(path, flags, MODE)


VARIABLE = "BENCHSUITE_CACHE"  #: The environment variable that moves the cache.


def cache_folder(chosen: str | None = None) -> Path:
    """BENCHSUITE_CACHE, else `chosen`, else `benchsuite` in the user's cache folder."""
    named = os.environ.get(VARIABLE) or chosen
    if named:
        return Path(named).expanduser().absolute()
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
