"""What another program must be told to import the project, and benchsuite.

Another interpreter never gets our packages; a child of our own gets all that we have.
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
"""What folders of installed packages are called, in every layout of CPython, PyPy and Debian."""


def import_path(python: Interpreter, folder: Path) -> str:
    """The PYTHONPATH with which an interpreter finds the project's modules and benchsuite.

    Our own interpreter has benchsuite already. Another one gets a link to it in `folder`: the
    folder in which it lies may be that of our packages, which are not for it.
    """
    if python.is_own:
        return os.pathsep.join(project_folders())
    others = [one for one in project_folders() if Path(one).name not in _PACKAGES]
    return os.pathsep.join([entry(_linked(folder)), *others])


def whole_path(env: Mapping[str, str]) -> str:
    """The PYTHONPATH with which a child of our own interpreter finds whatever we find: what `env`
    says, then the rest of our own path. Workloads may lie next to manage.py.
    """
    said = [entry for entry in env.get("PYTHONPATH", "").split(os.pathsep) if entry]
    return os.pathsep.join(dict.fromkeys([*said, *(entry or os.getcwd() for entry in sys.path)]))


def entry(folder: Path) -> str:
    """A folder of the run's as an entry of PYTHONPATH. Raises UsageError where it can't be one."""
    if os.pathsep in str(folder):
        raise UsageError(
            f"Another Python is to import from {folder}, and a {os.pathsep!r} divides folders in "
            "PYTHONPATH; set TMPDIR to a folder without one."
        )
    return str(folder)


def project_folders() -> list[str]:
    """Where the project's modules are found: the import path without the interpreter's own."""
    own = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders = [str(Path(entry or ".").resolve()) for entry in sys.path]
    return [
        folder
        for folder in dict.fromkeys(folders)
        if Path(folder).is_dir() and not any(Path(folder).is_relative_to(one) for one in own)
    ]


def _linked(folder: Path) -> Path:
    """A folder that holds benchsuite and nothing else."""
    holder = folder / "import"
    holder.mkdir(parents=True, exist_ok=True)
    link = holder / PACKAGE.name
    if not link.is_symlink():
        link.symlink_to(PACKAGE, target_is_directory=True)
    return holder
