"""The requirements of an environment: a file with the files that it includes inserted."""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchsuite.core.exceptions import UsageError
from benchsuite.system.folders import write_private
from benchsuite.system.installed import plain

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


def parse(text: str) -> Requirements:
    return Requirements(lines=tuple(_logical(text)))


def read(path: Path) -> Requirements:
    """The requirements of a file; raises UsageError if it or an included one can't be read."""
    lines: list[str] = []
    constraints: list[str] = []
    _read(path, lines, constraints)
    if not lines:
        raise UsageError(f"The requirements file {path} lists nothing to install; add a package.")
    return Requirements(lines=tuple(lines), constraints=tuple(constraints))


def keep(requirements: Requirements, root: Path) -> None:
    """Keeps a copy for --again, for its owner only: the URL of an index may hold a password."""
    path = _kept(requirements.digest, root)
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"lines": requirements.lines, "constraints": requirements.constraints}
    aside = path.with_suffix(f".{os.getpid()}")
    write_private(aside, json.dumps(content, indent=1))
    aside.replace(path)


def kept(digest: str, root: Path) -> Requirements | None:
    try:
        content = json.loads(_kept(digest, root).read_text())
    except (OSError, ValueError):
        return None
    return Requirements(lines=tuple(content["lines"]), constraints=tuple(content["constraints"]))


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
