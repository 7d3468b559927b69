"""Finds an interpreter by path or version: our own, pyenv's, uv's, then those on the PATH."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchsuite.core.exceptions import UnavailableError, UsageError

ASK_S = 20.0
"""How long a program may take to name its version; the first start from a slow disk is slow."""

CANT_SAY = (OSError, subprocess.SubprocessError, UnicodeDecodeError)

CPYTHON = "cpython"
PYPY = "pypy"

# Also runs under Python 2.7.
_ASK = """
import platform, sysconfig
free = sysconfig.get_config_var("Py_GIL_DISABLED") and "t" or ""
print(platform.python_implementation().lower() + " " + platform.python_version() + free)
"""

_WANTED = re.compile(
    r"(?:(?P<kind>cpython|python|pypy)-?)?(?P<version>\d{1,3}(?:\.\d{1,3}){0,2})?(?P<free>t?)"
)
_ON_PATH = re.compile(r"(python|pypy)\d+\.\d+t?")


@dataclass(frozen=True, slots=True)
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

    Raises UnavailableError, with a list of those found, when it is not on this machine.
    """
    if os.sep in wanted:
        return _at(Path(wanted).expanduser())
    return _named(wanted)


@cache
def kind_of(executable: str) -> Kind | None:
    """Which Python a program is; None if it is no Python or can't be started."""
    try:
        said = _said(executable, "-c", _ASK)
    except CANT_SAY:
        return None
    implementation, _, version = said.partition(" ")
    numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:3])
    return Kind(implementation, numbers, version.endswith("t")) if numbers else None


@cache
def build_of(executable: Path) -> str:
    """`sys.version`, which distinguishes builds of an interpreter at the same path."""
    try:
        return _said(str(executable), "-c", "import sys; print(sys.version)")
    except CANT_SAY as error:
        raise UnavailableError(f"{executable} can't be started: {error}.") from error


def _said(*command: str) -> str:
    """What a program prints, on one line."""
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=ASK_S,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return " ".join(done.stdout.split())


def _at(path: Path) -> Path:
    """An executable, or that of an environment's folder. Symbolic links are not followed, because
    they make it the environment's."""
    for candidate in (path, path / "bin" / "python"):
        if candidate.is_file() and kind_of(str(candidate.absolute())) is not None:
            return candidate.absolute()
    what = "no Python" if path.exists() else "no file"
    raise UnavailableError(
        f"--python={path}: there is {what} at that path; name an interpreter, the folder of a "
        f"virtual environment, or a version ({_there_are()})."
    )


@cache
def _named(name: str) -> Path:
    wanted = _wanted(name)
    for candidate in _candidates(wanted):
        kind = kind_of(candidate)
        if kind is not None and kind.suits(wanted):
            return Path(candidate)
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


def _wanted(name: str) -> Kind:
    found = _WANTED.fullmatch(name.strip().lower())
    if found is None or not (found["version"] or found["kind"]):
        raise UsageError(
            f"--python={name} is neither a path nor a version such as 3.13, 3.13.1 or pypy3.11."
        )
    numbers = tuple(int(number) for number in (found["version"] or "3").split("."))
    return Kind(PYPY if found["kind"] == PYPY else CPYTHON, numbers, bool(found["free"]))


def _candidates(wanted: Kind) -> Iterator[str]:
    """Executables that may be it, the likeliest first; the caller must check them."""
    yield sys.executable
    yield from _of_pyenv(wanted)
    yield from _of_uv(wanted)
    yield from _on_path(wanted)


def _of_pyenv(wanted: Kind) -> Iterator[str]:
    """The newest first. pyenv's shims don't help: they only run active versions."""
    named = [(name, folder) for name, folder in _pyenv_versions().items() if name.suits(wanted)]
    for _, folder in sorted(named, key=lambda one: one[0].version, reverse=True):
        yield str(folder / "bin" / "python")


def _pyenv_versions() -> dict[Kind, Path]:
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    found = {}
    for folder in sorted(root.glob("*")) if root.is_dir() else ():
        name = re.fullmatch(r"(pypy)?(\d+(?:\.\d+)+)(t?)(-.*)?", folder.name)
        if name and (folder / "bin" / "python").exists():
            numbers = tuple(int(number) for number in name[2].split("."))
            found[Kind(PYPY if name[1] else CPYTHON, numbers, bool(name[3]))] = folder
    return found


def _of_uv(wanted: Kind) -> Iterator[str]:
    uv = shutil.which("uv")
    if uv is not None:
        with suppress(*CANT_SAY):
            yield _said(uv, "python", "find", "--system", "--no-python-downloads", str(wanted))


def _on_path(wanted: Kind) -> Iterator[str]:
    word = "python" if wanted.implementation == CPYTHON else wanted.implementation
    number = ".".join(map(str, wanted.version[:2])) + "t" * wanted.free_threaded
    for folder in os.get_exec_path():
        candidate = Path(folder) / f"{word}{number}"
        if os.path.isfile(candidate):  # Path's own raises where a name is too long
            yield str(candidate)


def _there_are() -> str:
    """The versions that were found, for a message."""
    kinds = set(_pyenv_versions())
    for folder in os.get_exec_path():
        if not Path(folder).is_dir():
            continue
        for name in os.listdir(folder):
            if _ON_PATH.fullmatch(name):
                kind = kind_of(str(Path(folder) / name))
                kinds |= {kind} if kind is not None else set()
    own = kind_of(sys.executable)
    kinds |= {own} if own is not None else set()
    return f"found: {', '.join(str(kind) for kind in sorted(kinds, key=_order))}"


def _order(kind: Kind) -> tuple[str, tuple[int, ...], bool]:
    return (kind.implementation, kind.version, kind.free_threaded)
