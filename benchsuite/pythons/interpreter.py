"""A Python and its environment: what is installed there, and what it is told to import.

Another interpreter never gets our packages; a child of our own interpreter gets them all.
"""

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.system import installed

ASK_S = 20.0  #: How long another interpreter may take to list its packages.

ASTRAY = ("PYTHONPATH", "PYTHONHOME", "PYTHONWARNINGS", "PYTHONDEVMODE", "VIRTUAL_ENV")
"""Variables meant for this process's Python, which would mislead another one."""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """One executable, asked once what it can import; this process's own is read directly."""

    executable: str = sys.executable
    name: str = ""
    """The name that the user gave it ("3.13", an environment); empty for this process's own."""

    @property
    def is_own(self) -> bool:
        return self.executable == sys.executable

    @property
    def version(self) -> str:
        return str(self.facts["version"])

    @property
    def facts(self) -> Mapping[str, Any]:
        facts: Mapping[str, Any] = _told(self.executable)["facts"]
        return facts

    def module(self, name: str) -> list[str]:
        """The start of a command line that runs an installed module."""
        return [self.executable, "-m", name]

    def folder(self, of: str) -> str:
        """That of "scripts", "packages", "compiled" packages, or its "prefix" or "base"."""
        return str(_told(self.executable)[of])

    def script(self, name: str) -> str:
        """The path of a console script of its environment, else the bare name."""
        candidate = Path(self.folder("scripts"), name)
        return str(candidate) if os.access(candidate, os.X_OK) else name

    def installed(self, distribution: str) -> str | None:
        """The version of a distribution in its environment, or None."""
        if self.is_own:
            return installed.version(distribution)
        package = _told(self.executable)["installed"].get(installed.plain(distribution))
        return package[0] if package else None

    @property
    def packages(self) -> Mapping[str, str]:
        """All distributions in its environment → version.

        If one came from no index, its commit or hash follows the version, which different states
        may share.
        """
        packages = _own_packages() if self.is_own else _told(self.executable)["installed"]
        return {
            name: f"{version} ({origin})" if origin else version
            for name, (version, origin) in packages.items()
        }


OWN = Interpreter()  #: The interpreter of this process.
_own_packages = cache(installed.distributions)


@cache
def _told(executable: str) -> Mapping[str, Any]:
    """What an interpreter reports about itself, asked once."""
    return installed.itself() if executable == sys.executable else ask(executable)


def ask(executable: str) -> Mapping[str, Any]:
    """What an interpreter reports now, with its packages; raises UnavailableError if it can't."""
    try:
        # the project's folder may contain metadata of its own
        ended = executed(executable, installed.__file__, folder="/", limit_s=ASK_S)
        ended.check_returncode()
        report: dict[str, Any] = json.loads(ended.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise UnavailableError(
            f"{executable} can't list its installed packages: {error}."
        ) from error
    return report


def executed(
    executable: str | Path, file: str, *words: str, folder: str | Path, limit_s: float
) -> subprocess.CompletedProcess[str]:
    """Has a Python execute this file of ours, which it need not be able to import."""
    return subprocess.run(
        [executable, "-c", Path(file).read_text(encoding="utf-8"), *words],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name not in ASTRAY},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=limit_s,
    )


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
    holder = folder / "import"
    holder.mkdir(parents=True, exist_ok=True)
    link = holder / PACKAGE.name
    if not link.is_symlink():
        link.symlink_to(PACKAGE, target_is_directory=True)
    folders = [path for path in project_folders() if Path(path).name not in _PACKAGES]
    return os.pathsep.join([entry(holder), *folders])


def whole_path(env: Mapping[str, str]) -> str:
    """The PYTHONPATH of a child of our own interpreter: that of `env`, then our own path."""
    given = [entry for entry in env.get("PYTHONPATH", "").split(os.pathsep) if entry]
    return os.pathsep.join(dict.fromkeys([*given, *(entry or os.getcwd() for entry in sys.path)]))


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
