"""A Python and its environment: what is installed there, and how it is started."""

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

from benchsuite.core.exceptions import UnavailableError
from benchsuite.system import installed

ASK_S = 20.0  #: How long another interpreter may take to list its packages.

ASTRAY = ("PYTHONPATH", "PYTHONHOME", "PYTHONWARNINGS", "PYTHONDEVMODE", "VIRTUAL_ENV")
"""Variables meant for this process's Python, which would mislead another one."""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """One executable; it is asked once what it can import.

    This process's own is not asked: its metadata is read directly.
    """

    executable: str = sys.executable
    name: str = ""
    """The name that the user gave it ("3.13", an environment); empty for this process's own."""

    @property
    def is_own(self) -> bool:
        return self.executable == sys.executable

    @property
    def version(self) -> str:
        """Its version: "3.11.7"."""
        return str(self.facts["version"])

    @property
    def facts(self) -> Mapping[str, Any]:
        """Version, build, implementation and build flags."""
        found: Mapping[str, Any] = _told(self.executable)["facts"]
        return found

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
            return installed.version(distribution)
        found = _told(self.executable)["installed"].get(installed.plain(distribution))
        return found[0] if found else None

    @property
    def packages(self) -> Mapping[str, str]:
        """All distributions in its environment → version.

        If one came from no index, its commit or hash follows the version, which different states
        may share.
        """
        found = _own_packages() if self.is_own else _told(self.executable)["installed"]
        return {
            name: f"{version} ({origin})" if origin else version
            for name, (version, origin) in found.items()
        }


OWN = Interpreter()  #: The interpreter of this process.


_own_packages = cache(installed.distributions)


@cache
def _told(executable: str) -> Mapping[str, Any]:
    """What an interpreter reports about itself, asked once."""
    if executable == sys.executable:
        return {"facts": installed.facts(), "scripts": sysconfig.get_path("scripts")}
    return ask(executable)


def ask(executable: str) -> Mapping[str, Any]:
    """What an interpreter reports now (`installed.told`); raises UnavailableError if it can't."""
    try:
        done = subprocess.run(
            [executable, "-c", Path(installed.__file__).read_text(encoding="utf-8")],
            capture_output=True,
            text=True,
            timeout=ASK_S,
            check=True,
            cwd="/",  # the project's folder may contain metadata of its own
            env={name: value for name, value in os.environ.items() if name not in ASTRAY},
        )
        told: dict[str, Any] = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise UnavailableError(
            f"{executable} can't list its installed packages: {error}."
        ) from error
    return told
