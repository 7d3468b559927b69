"""Pythons, found by path or version: what is installed in their environments, and what they are
told to import. Another one never gets our packages; a child of our own gets them all.
"""

import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.system import installed
from benchsuite.system.folders import PACKAGE

ASK_S = 20.0  #: For another interpreter to answer; the first start from a slow disk is slow.
ASTRAY = ("PYTHONPATH", "PYTHONHOME", "PYTHONWARNINGS", "PYTHONDEVMODE", "VIRTUAL_ENV")
"""Variables meant for this process's Python, which would mislead another one."""
_PACKAGES = ("site-packages", "dist-packages")
"""Names of folders of installed packages, for CPython, PyPy and Debian."""
CPYTHON, PYPY = "cpython", "pypy"


@dataclass(frozen=True, slots=True)
class Interpreter:
    """One executable, asked once what it can import; this process's own is read directly."""

    executable: str = sys.executable
    name: str = ""  #: As the user calls it ("3.13", an environment); empty for our own.

    @property
    def is_own(self) -> bool:
        return self.executable == sys.executable

    @property
    def version(self) -> str:
        return str(self.facts["version"])

    @property
    def facts(self) -> Mapping[str, Any]:
        return dict(_told(self.executable)["facts"])

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
        return self.packages.get(installed.plain(distribution))

    @property
    def packages(self) -> Mapping[str, str]:
        """All distributions in its environment → version."""
        if self.is_own:
            return _own_packages()
        return dict(_told(self.executable)["installed"])


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
    executable: str | Path,
    file: str,
    *words: str,
    folder: str | Path,
    limit_s: float,
    without: Collection[str] = ASTRAY,
) -> subprocess.CompletedProcess[str]:
    """Has a Python execute this file of ours, in this environment `without` these variables."""
    return subprocess.run(
        [executable, "-c", Path(file).read_text(encoding="utf-8"), *words],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name not in without},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",  # whatever else a project prints
        timeout=limit_s,
    )


def import_path(python: Interpreter, folder: Path) -> str:
    """The PYTHONPATH with which an interpreter finds the project's modules and benchsuite.

    Our own interpreter already has benchsuite. Another one gets a link to it in `folder`, because
    benchsuite's parent folder may also hold our packages; and, where it has none itself, to what
    reads the URL of a database, the only package beside Django that a server needs of us.
    """
    if python.is_own:
        return os.pathsep.join(project_folders())
    holder = folder / "import"
    holder.mkdir(parents=True, exist_ok=True)
    import dj_database_url

    lacks = python.installed("dj-database-url") is None
    for package in (PACKAGE, *[Path(dj_database_url.__file__).parent] * lacks):
        link = holder / package.name
        if not link.is_symlink():
            link.symlink_to(package, target_is_directory=True)
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
        if os.path.isdir(folder) and not any(Path(folder).is_relative_to(one) for one in own)
    ]


_WANTED = re.compile(
    r"(?:(?P<kind>cpython|python|pypy)-?)?(?P<version>\d{1,3}(?:\.\d{1,3}){0,2})?(?P<free>t?)"
)
_PROGRAM = re.compile(r"(python|pypy)\d+\.\d+t?")


@dataclass(frozen=True, slots=True)
class Kind:
    """An interpreter's implementation and version, or a part of it."""

    implementation: str
    version: tuple[int, ...]
    free_threaded: bool = False  #: Whether it was built without the global interpreter lock.

    def suits(self, wanted: "Kind") -> bool:
        return replace(self, version=self.version[: len(wanted.version)]) == wanted

    def __str__(self) -> str:
        number = ".".join(map(str, self.version)) + "t" * self.free_threaded
        return number if self.implementation == CPYTHON else f"{self.implementation}{number}"


def find(wanted: str) -> Path:
    """The executable that `--python` names: a path, also of an environment's folder, or a version
    such as "3.13" or "pypy3.11". Symbolic links are not followed, because they make it the
    environment's. Raises UnavailableError where it is not on this machine.
    """
    if os.sep not in wanted and not os.path.isfile(os.path.join(wanted, "bin", "python")):
        return _named(wanted)
    path = Path(os.path.expanduser(wanted))
    for candidate in (path, path / "bin" / "python"):
        if os.path.isfile(candidate) and kind_of(str(candidate.absolute())) is not None:
            return candidate.absolute()
    what = "no Python" if os.path.exists(path) else "no file"
    raise UnavailableError(
        f"--python={path}: there is {what} at that path; name an interpreter, the folder of a "
        "virtual environment, or a version."
    )


def kind_of(executable: str) -> Kind | None:
    """Which Python a program is; None if it is no Python or can't be started."""
    try:
        report = _told(executable)
    except UnavailableError:
        return None
    numbers = tuple(int(number) for number in re.findall(r"\d+", report["facts"]["version"])[:3])
    return Kind(report["facts"]["implementation"].lower(), numbers, report["free_threaded"])


def build_of(executable: Path) -> str:
    """What distinguishes builds of an interpreter at the same path."""
    facts = _told(str(executable))["facts"]
    return f"{facts['version']} ({facts['build']}) {facts['compiler']}"


@cache
def _named(name: str) -> Path:
    """Our own interpreter if it fits, else the newest one that does."""
    match = _WANTED.fullmatch(name.strip().lower())
    if match is None or not (match["version"] or match["kind"]):
        raise UsageError(
            f"--python={name} is neither a path nor a version such as 3.13, 3.13.1 or pypy3.11."
        )
    numbers = tuple(int(number) for number in (match["version"] or "3").split("."))
    wanted = Kind(PYPY if match["kind"] == PYPY else CPYTHON, numbers, bool(match["free"]))
    there = ((path, kind_of(path)) for path in _candidates(".".join(map(str, numbers[:2]))))
    fitting = {path: kind for path, kind in there if kind and kind.suits(wanted)}
    if sys.executable in fitting:
        return Path(sys.executable)
    if fitting:
        return Path(max(fitting, key=lambda path: fitting[path].version))
    raise UnavailableError(
        f"--python={name} is not on this machine; install it with: uv python install {wanted}, or "
        f"pyenv install {wanted}."
    )


def _candidates(number: str) -> Iterator[str]:
    """Executables that may be Python, with this number in their path; the caller checks them."""
    yield sys.executable
    home = Path.home()
    data = os.environ.get("XDG_DATA_HOME") or home / ".local/share"
    pyenv = Path(os.environ.get("PYENV_ROOT") or home / ".pyenv", "versions")
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or Path(data, "uv/python"))
    for root in (pyenv, uv):
        # "**" would look through all that is installed
        yield from (str(path) for path in root.glob(f"*{number}*/bin/python"))
    for folder in os.get_exec_path():
        with suppress(OSError):  # it is not there, or closed to us
            for name in os.listdir(folder):
                if number in name and _PROGRAM.fullmatch(name):
                    yield os.path.join(folder, name)
