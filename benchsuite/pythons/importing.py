"""The PYTHONPATH with which other programs import the project and benchsuite.

Another interpreter never gets our packages; a child of our own interpreter gets them all.
"""

import os
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

from benchsuite.core.exceptions import UsageError
from benchsuite.pythons.interpreter import Interpreter

PACKAGE = Path(__file__).resolve().parents[1]

_PACKAGES = ("site-packages", "dist-packages")
"""Names of folders of installed packages, for CPython, PyPy and Debian."""


def import_path(python: Interpreter, folder: Path) -> str:
    """The PYTHONPATH with which an interpreter finds the project's modules and benchsuite.

    Our own interpreter already has benchsuite. Another one gets a link to it in `folder`, because
    benchsuite's parent folder may also hold our packages.
    """
    if python.is_own:
        return os.pathsep.join(project_folders())
    others = [one for one in project_folders() if Path(one).name not in _PACKAGES]
    return os.pathsep.join([entry(_linked(folder)), *others])


def whole_path(env: Mapping[str, str]) -> str:
    """The PYTHONPATH with which a child of our own interpreter imports what we can: that of `env`,
    then the rest of our own path. Workloads may be next to manage.py.
    """
    said = [entry for entry in env.get("PYTHONPATH", "").split(os.pathsep) if entry]
    return os.pathsep.join(dict.fromkeys([*said, *(entry or os.getcwd() for entry in sys.path)]))


def entry(folder: Path) -> str:
    """A folder of the run as an entry of PYTHONPATH; raises UsageError if it can't be one."""
    if os.pathsep in str(folder):
        raise UsageError(
            f"Another Python must import from {folder}, and {os.pathsep!r} separates folders in "
            "PYTHONPATH; set TMPDIR to a path without it."
        )
    return str(folder)


def project_folders() -> list[str]:
    """Folders of the project's modules: the import path without the interpreter's own."""
    own = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders = [str(Path(entry or ".").resolve()) for entry in sys.path]
    return [
        folder
        for folder in dict.fromkeys(folders)
        if Path(folder).is_dir() and not any(Path(folder).is_relative_to(one) for one in own)
    ]


def _linked(folder: Path) -> Path:
    """A folder that contains only benchsuite."""
    holder = folder / "import"
    holder.mkdir(parents=True, exist_ok=True)
    link = holder / PACKAGE.name
    if not link.is_symlink():
        link.symlink_to(PACKAGE, target_is_directory=True)
    return holder
