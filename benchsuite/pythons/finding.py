"""Finds an interpreter by path or version: our own, pyenv's, uv's, then those on the PATH."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchsuite.core.exceptions import UnavailableError, UsageError

ASK_S = 20.0
"""How long a program may take to name its version; the first start from a slow disk is slow."""

CPYTHON, PYPY = "cpython", "pypy"

# Also runs under Python 2.7.
_ASK = """
import platform, sys, sysconfig
free = sysconfig.get_config_var("Py_GIL_DISABLED") and "t" or ""
print(platform.python_implementation().lower() + " " + platform.python_version() + free)
print(sys.version)
"""
_WANTED = re.compile(
    r"(?:(?P<kind>cpython|python|pypy)-?)?(?P<version>\d{1,3}(?:\.\d{1,3}){0,2})?(?P<free>t?)"
)
_PROGRAM = re.compile(r"(python|pypy)\d+\.\d+t?")


@dataclass(frozen=True, slots=True, order=True)
class Kind:
    """An interpreter's implementation and version, or a part of it."""

    implementation: str
    version: tuple[int, ...]
    free_threaded: bool = False  #: Whether it was built without the global interpreter lock.

    def suits(self, wanted: "Kind") -> bool:
        return (
            self.implementation == wanted.implementation
            and self.version[: len(wanted.version)] == wanted.version
            and self.free_threaded == wanted.free_threaded
        )

    def __str__(self) -> str:
        number = ".".join(map(str, self.version)) + "t" * self.free_threaded
        return number if self.implementation == CPYTHON else f"{self.implementation}{number}"


def find(wanted: str) -> Path:
    """The executable that `--python` names: a path, or a version such as "3.13" or "pypy3.11".

    The path may be that of an environment's folder. Symbolic links are not followed, because they
    make it the environment's. Raises UnavailableError, with a list of those found, when it is not
    on this machine.
    """
    if os.sep not in wanted:
        return _named(wanted)
    path = Path(wanted).expanduser()
    for candidate in (path, path / "bin" / "python"):
        if candidate.is_file() and kind_of(str(candidate.absolute())) is not None:
            return candidate.absolute()
    what = "no Python" if path.exists() else "no file"
    raise UnavailableError(
        f"--python={path}: there is {what} at that path; name an interpreter, the folder of a "
        f"virtual environment, or a version ({_there_are()})."
    )


def kind_of(executable: str) -> Kind | None:
    """Which Python a program is; None if it is no Python or can't be started."""
    try:
        implementation, _, version = _said(executable)[0].partition(" ")
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:3])
    return Kind(implementation, numbers, version.endswith("t")) if numbers else None


def build_of(executable: Path) -> str:
    """`sys.version`, which distinguishes builds of an interpreter at the same path."""
    try:
        return _said(str(executable))[1]
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise UnavailableError(f"{executable} can't be started: {error}.") from error


@cache
def _said(executable: str) -> tuple[str, str]:
    done = subprocess.run(
        [executable, "-c", _ASK],
        capture_output=True,
        text=True,
        timeout=ASK_S,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    kind, _, build = done.stdout.partition("\n")
    return kind, " ".join(build.split())


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
        f"--python={name} is not on this machine ({_there_are()}); install it with: "
        f"{how_to_get(wanted)}."
    )


def how_to_get(wanted: Kind) -> str:
    """Commands that install it: uv has none before 3.8, pyenv names PyPy's differently."""
    commands = []
    if wanted.version >= (3, 8) or len(wanted.version) == 1:
        commands.append(f"uv python install {wanted}")
    if wanted.implementation == CPYTHON:
        commands.append(f"pyenv install {wanted}")
    return ", or ".join(commands)


def _candidates(number: str = "") -> Iterator[str]:
    """Executables that may be Python, with this number in their path; the caller checks them."""
    yield sys.executable
    home = Path.home()
    data = os.environ.get("XDG_DATA_HOME") or home / ".local/share"
    pyenv = Path(os.environ.get("PYENV_ROOT") or home / ".pyenv", "versions")
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or Path(data, "uv/python"))
    for root in (pyenv, uv):
        # "**" would look through all that is installed
        yield from (str(path) for path in root.glob(f"{number and '*'}{number}*/bin/python"))
    for folder in os.get_exec_path():
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if number in name and _PROGRAM.fullmatch(name):
                yield os.path.join(folder, name)


def _there_are() -> str:
    kinds = {kind for path in _candidates() if (kind := kind_of(path))}
    return f"found: {', '.join(str(kind) for kind in sorted(kinds))}"
