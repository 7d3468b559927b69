"""Environments: their requirements, how each is made, where it is kept, and building it once."""

import fcntl
import hashlib
import json
import os
import re
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Self

from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.pythons.interpreter import ASTRAY, OWN, Interpreter, ask, build_of, kind_of
from benchsuite.system import logfile
from benchsuite.system.folders import replace_private, write_private
from benchsuite.system.installed import plain
from benchsuite.system.interrupts import held_back
from benchsuite.system.process import running

RECIPE_VERSION = 1  #: Increased when old environments must be rebuilt.
MARK = "benchsuite.json"  #: Written last into an environment, which is incomplete without it.
STEP_S = 1800.0  #: How long one program may take: some installations compile.

OLDEST_OF_UV = (3, 8)  #: The oldest Python that uv knows.
OLDEST_WITH_VENV = (3, 3)
VIRTUALENV = "virtualenv==20.21.1"  #: The last one that supports Python 2.7.

ELSEWHERE = ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PIP_REQUIRE_VIRTUALENV")
"""Variables that would make pip install elsewhere, or not at all."""

_ERRORS = (
    r".*\bfatal error:",
    r"(cause:|\u2570\u2500\u25b6) ",
    r"(?i)(error:|.*: error:|no match|could not )",
)
"""Of compilers, uv, pip: how the lines with their errors begin."""

Say = Callable[[str], None]


_INCLUDE = re.compile(r"(?:-r|--requirement|(?P<constrains>-c|--constraint))[\s=]*(?P<file>\S.*)")
_NAME = re.compile(r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """The effective lines: no comments, continued lines joined, included files inserted."""

    lines: tuple[str, ...]
    constraints: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """16 hexadecimal digits, equal for equal content whatever the file's name."""
        parts = ("".join(f"{line}\n" for line in part) for part in (self.lines, self.constraints))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]

    @property
    def names(self) -> frozenset[str]:
        """The distributions, with normalised names."""
        return frozenset(plain(name[0]) for name in map(_NAME.match, self.lines) if name)

    @property
    def versions(self) -> dict[str, str]:
        """Pinned distributions → version."""
        pins = (line.partition(";")[0].split("==") for line in self.lines)
        return {plain(pin[0].strip()): pin[1].split()[0] for pin in pins if len(pin) == 2}

    @classmethod
    def parse(cls, text: str) -> Self:
        return cls(lines=tuple(_logical(text)))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Those of a file; raises UsageError if it or an included one can't be read."""
        lines: list[str] = []
        constraints: list[str] = []
        _read(path, lines, constraints)
        if not lines:
            raise UsageError(
                f"The requirements file {path} lists nothing to install; add a package."
            )
        return cls(lines=tuple(lines), constraints=tuple(constraints))

    @classmethod
    def kept(cls, digest: str, root: Path) -> Self | None:
        try:
            content = json.loads(_kept(digest, root).read_text())
        except (OSError, ValueError):
            return None
        return cls(lines=tuple(content["lines"]), constraints=tuple(content["constraints"]))

    def keep(self, root: Path) -> None:
        """Keeps a copy for --again, for its owner only: the URL of an index may hold a password."""
        path = _kept(self.digest, root)
        if path.exists():
            return
        with _writing(root):
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_private(path, json.dumps(asdict(self), indent=1))


@contextmanager
def _writing(root: Path) -> Iterator[None]:
    """Raises UnavailableError where the cache can't be written."""
    try:
        yield
    except OSError as error:
        raise UnavailableError(
            f"Environments are kept in {root}, which can't be written ({error.strerror}); name "
            "another folder in BENCHSUITE_CACHE."
        ) from error


def _kept(digest: str, root: Path) -> Path:
    return root / "requirements" / f"{digest}.json"


def _read(path: Path, lines: list[str], constraints: list[str], *outer: Path) -> None:
    if path.resolve() in outer:
        raise UsageError(f"The requirements file {path} includes itself; remove that line.")
    try:
        content = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise UsageError(
            f"There is no requirements file {path}; list the packages of the environment in it, "
            f"for example with: python -m pip freeze > {path.name}."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise UsageError(f"The requirements file {path} can't be read: {reason}.") from error
    for line in _logical(content):
        if included := _INCLUDE.fullmatch(line):
            into = constraints if included["constrains"] else lines
            _read(path.parent / included["file"], into, constraints, *outer, path.resolve())
        else:
            lines.append(line)


def _logical(text: str) -> Iterator[str]:
    """Lines as pip reads them: a trailing backslash continues, " #" starts a comment."""
    for line in re.sub(r"\\\r?\n", " ", text).splitlines():
        bare = re.sub(r"(^|\s+)#.*$", "", line).strip()
        if bare:
            yield re.sub(r"\s+", " ", bare)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    requirements: Requirements
    options: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)  #: For compilers ("CFLAGS").
    moves_nothing: bool = False  #: Whether earlier steps' versions must stay.


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Contents of an environment; equal recipes share one environment, whatever their name."""

    name: str
    python: Path  #: The interpreter that it is based on.
    steps: tuple[Step, ...]
    files: Mapping[str, str] = field(default_factory=dict)  #: Among its packages, by name.
    proof: str = ""  #: Python code that must run in it without errors.
    needed: str = ""  #: Advice for users when it can't be built.


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of one recipe's environment in the cache, built or not."""

    recipe: Recipe
    root: Path

    @property
    def digest(self) -> str:
        """16 hexadecimal digits, of the build of the interpreter, too."""
        content = {
            "recipe": RECIPE_VERSION,
            "python": [str(self.recipe.python), build_of(self.recipe.python)],
            "steps": [asdict(step) for step in self.recipe.steps],
            "files": dict(self.recipe.files),
            "proof": self.recipe.proof,
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def folder(self) -> Path:
        return self.root / "environments" / self.digest

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def log(self) -> Path:
        return self.root / "logs" / f"{self.digest}.log"

    @property
    def is_built(self) -> bool:
        """Whether it was finished and its interpreter still exists."""
        return (self.folder / MARK).is_file() and os.access(self.python, os.X_OK)

    def remove(self) -> None:
        """Its mark first, so that a partial one never counts."""
        (self.folder / MARK).unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)


def built(recipe: Recipe, root: Path) -> Interpreter | None:
    """The interpreter of an environment; None if it has not been built."""
    slot = Slot(recipe, root)
    return Interpreter(str(slot.python), recipe.name) if slot.is_built else None


def build(recipe: Recipe, root: Path, say: Say = lambda text: None) -> Interpreter:
    """The interpreter of the environment, which is built if necessary. It contains its own path, so
    it is built in place, and counts only once its mark has been moved into it: the next build
    removes what a killed one left. Raises UnavailableError with the failed program's last error.
    """
    slot = Slot(recipe, root)
    if not slot.is_built:
        with _alone(slot, say):
            if not slot.is_built:
                _build(slot, say)
    return Interpreter(str(slot.python), recipe.name)


@contextmanager
def _alone(slot: Slot, say: Say) -> Iterator[None]:
    """Waits until nobody else builds this environment; the kernel frees a dead process's lock."""
    with _writing(slot.root):
        for folder in (slot.folder.parent, slot.log.parent):
            folder.mkdir(parents=True, exist_ok=True)
        file = slot.folder.with_suffix(".lock").open("w")
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"{slot.recipe.name}: another process is building it; waiting")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(slot: Slot, say: Say) -> None:
    recipe = slot.recipe
    try:
        slot.remove()
        say(f"{recipe.name}: making an environment of {recipe.python}")
        installer = _make(slot, say)
        for step in recipe.steps:
            number = len(step.requirements.lines)
            say(f"{recipe.name}: installing {number} package{'s' * (number != 1)}")
            _run(slot, [*installer, *_wanted(step, slot)], step.variables)
        for name, content in recipe.files.items():
            Path(ask(str(slot.python))["packages"], name).write_text(content)
        if recipe.proof:
            say(f"{recipe.name}: trying it")
            _run(slot, [str(slot.python), "-c", recipe.proof])
        has = ask(str(slot.python))
        mark = {"name": recipe.name, "python": has["facts"], "installed": has["installed"]}
        replace_private(slot.folder / MARK, json.dumps(mark, indent=1, sort_keys=True))
    except BaseException as error:
        with held_back():
            slot.remove()
        if isinstance(error, UnavailableError) and recipe.needed:
            raise UnavailableError(f"{str(error).removesuffix('.')}; {recipe.needed}.") from error
        raise
    slot.log.unlink(missing_ok=True)


def _make(slot: Slot, say: Say) -> list[str]:
    """Makes an empty environment by uv, venv or virtualenv; the begin of what installs into it."""
    python, folder, made = str(slot.recipe.python), str(slot.folder), str(slot.python)
    kind = kind_of(python)
    version = kind.version if kind else OLDEST_OF_UV
    uv = shutil.which(OWN.script("uv"))  # beside our Python, or on the PATH
    if uv and version >= OLDEST_OF_UV:
        _run(slot, [uv, "venv", "--python", python, folder])
        return [uv, "pip", "install", "--python", made]
    if version < OLDEST_WITH_VENV:
        step = Step(requirements=Requirements.parse(VIRTUALENV))
        tool = Recipe(name="virtualenv", python=Path(sys.executable), steps=(step,))
        maker = [*build(tool, slot.root, say).module("virtualenv"), "--python", python]
    else:
        maker = [python, "-m", "venv"]
    try:
        _run(slot, [*maker, folder])
    except UnavailableError as error:
        raise UnavailableError(
            f"{python} can't create virtual environments; install uv: pip install uv."
        ) from error
    return [made, "-m", "pip", "install", "--no-input"]


def _wanted(step: Step, slot: Slot) -> Sequence[str]:
    files = {"requirement": step.requirements.lines, "constraint": step.requirements.constraints}
    if step.moves_nothing:
        there = ask(str(slot.python))["installed"]
        files["constraint"] += tuple(f"{name}=={version}" for name, version in there.items())
    words = list(step.options)
    for option, lines in files.items():
        if lines:
            path = slot.folder / f"{option}s.txt"
            write_private(path, "".join(f"{line}\n" for line in lines))
            words += [f"--{option}", str(path)]
    return words


def _run(slot: Slot, command: Sequence[str], variables: Mapping[str, str] | None = None) -> None:
    """Runs a program and its processes to the end; raises UnavailableError with the last error."""
    name, log = slot.recipe.name, slot.log
    env = {name: value for name, value in os.environ.items() if name not in (*ASTRAY, *ELSEWHERE)}
    env |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "NO_COLOR": "1", **(variables or {})}
    with running(command, name=name, log=log, env=env, marker=secrets.token_hex(8)) as process:
        if (status := process.wait(STEP_S)) is None:
            raise UnavailableError(
                f"The environment {name} was not built within {STEP_S:.0f} s; see the log of the "
                f"last step: {log}."
            )
    if status != 0:
        raise UnavailableError(
            f"The environment {name} can't be built: {last_error(logfile.tail(log, 400))} (the "
            f"whole log: {log})."
        )


def last_error(log: str) -> str:
    """The compiler's fatal error, else what uv gives as a cause, else the last error of pip."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", log)
    lines = [line.strip() for line in plain.splitlines() if line.strip()]
    matching = ([line for line in lines if re.match(errors, line)] for errors in _ERRORS)
    last = next(filter(None, matching), lines or ["it left no message"])[-1]
    return re.sub(r"(?i)^(error:|cause:|\u2570\u2500\u25b6)\s*", "", last).rstrip(".")
