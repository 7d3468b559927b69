"""Whether a folder may be removed with its content. Standard library only.

Only the end of a run whose parent was killed removes a folder that the process did not create. A
wrong path there would destroy somebody's work, so the path must prove that it belongs to a run.
"""

import os
import tempfile
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]


def why_kept(folder: Path, *, working: Path | None) -> str | None:
    """Why this folder must not be removed, as the end of a sentence; None when it may be.

    `working` is the caller's current directory; None if it no longer exists.
    """
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
    repository = _repository(folder)
    return f"holds a git repository ({repository})" if repository else None


def _repository(folder: Path) -> str | None:
    """The first folder in or below this one that is a checkout; None when there is none."""
    for path, folders, files in os.walk(folder):
        if ".git" in folders or ".git" in files:
            return path
    return None
