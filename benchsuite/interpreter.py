"""A Python and its environment: what is installed there, and how it is started."""

import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from benchsuite.exceptions import UnavailableError

ASK_S = 20.0
"""How long another interpreter may take to say what it has."""

_ASK = """
import json, platform, sysconfig
found = {"version": platform.python_version(), "scripts": sysconfig.get_path("scripts")}
found["packages"] = sysconfig.get_path("purelib")
try:
    from importlib import metadata
except ImportError:
    import pkg_resources
    found["installed"] = {one.project_name: one.version for one in pkg_resources.working_set}
else:
    found["installed"] = {one.metadata["Name"]: one.version for one in metadata.distributions()}
print(json.dumps(found))
"""

ASTRAY = ("PYTHONPATH", "PYTHONHOME", "PYTHONWARNINGS", "PYTHONDEVMODE", "VIRTUAL_ENV")
"""Variables that are meant for this process's Python, and would lead another one astray."""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """One executable; what it can import is asked of it once and remembered.

    This process's own is asked nothing: its metadata is read where it is.
    """

    executable: str = sys.executable
    name: str = ""
    """How people named it ("3.13", an environment's name); empty for this process's own."""

    @property
    def is_own(self) -> bool:
        return self.executable == sys.executable

    @property
    def version(self) -> str:
        """Its version: "3.11.7"."""
        return str(_told(self.executable)["version"])

    def module(self, name: str) -> list[str]:
        """The start of a command line that runs an installed module."""
        return [self.executable, "-m", name]

    def script(self, name: str) -> str:
        """The path of a console script of its environment, else the bare name."""
        candidate = Path(str(_told(self.executable)["scripts"])) / name
        return str(candidate) if os.access(candidate, os.X_OK) else name

    def installed(self, distribution: str) -> str | None:
        """The version of a distribution in its environment, or None."""
        if self.is_own:
            return installed_version(distribution)
        found: str | None = _told(self.executable)["installed"].get(plain(distribution))
        return found

    @property
    def packages(self) -> Mapping[str, str]:
        """All that is installed in its environment: distribution → version."""
        if self.is_own:
            return _own_packages()
        found: Mapping[str, str] = _told(self.executable)["installed"]
        return found


OWN = Interpreter()
"""The interpreter of this process."""


def installed_version(distribution: str) -> str | None:
    """The version of a distribution in this interpreter's environment, or None."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


@cache
def _own_packages() -> Mapping[str, str]:
    return {
        plain(one.metadata["Name"]): one.version
        for one in metadata.distributions()
        if one.metadata["Name"]
    }


@cache
def _told(executable: str) -> Mapping[str, Any]:
    """What an interpreter says of itself, asked once."""
    if executable == sys.executable:
        version = ".".join(str(part) for part in sys.version_info[:3])
        return {"version": version, "scripts": sysconfig.get_path("scripts")}
    return ask(executable)


def ask(executable: str) -> Mapping[str, Any]:
    """What an interpreter has now: its version, the folders of its scripts and packages, and the
    versions of what is installed; raises UnavailableError when it can't be asked.
    """
    try:
        done = subprocess.run(
            [executable, "-c", _ASK],
            capture_output=True,
            text=True,
            timeout=ASK_S,
            check=True,
            cwd="/",  # not here: a project's folder may hold metadata of its own
            env={name: value for name, value in os.environ.items() if name not in ASTRAY},
        )
        told: dict[str, Any] = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise UnavailableError(
            f"{executable} can't be asked what it has installed: {error}."
        ) from error
    installed = {plain(name): one for name, one in told["installed"].items() if name}
    return {**told, "installed": installed}


def plain(distribution: str) -> str:
    """A distribution's name as all spellings of it compare."""
    return re.sub(r"[-_.]+", "-", distribution).lower()
