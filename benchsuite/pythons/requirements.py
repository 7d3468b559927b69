"""The requirements of an environment: a file with the files that it includes inserted."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchsuite.core.exceptions import UsageError
from benchsuite.system.installed import plain

_INCLUDE = re.compile(r"(?:-r|--requirement)[\s=]*(?P<file>\S.*)")
_CONSTRAIN = re.compile(r"(?:-c|--constraint)[\s=]*(?P<file>\S.*)")
_NAME = re.compile(r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """The effective lines: no comments, continued lines joined, included files inserted."""

    lines: tuple[str, ...]
    constraints: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)

    @property
    def constraints_text(self) -> str:
        return "".join(f"{line}\n" for line in self.constraints)

    @property
    def digest(self) -> str:
        """16 hexadecimal digits, equal for equal content whatever the file's name."""
        content = f"{self.text}\0{self.constraints_text}"
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    @property
    def names(self) -> frozenset[str]:
        """The distributions, with normalised names."""
        found = (_NAME.match(line) for line in self.lines)
        return frozenset(plain(one[0]) for one in found if one)

    @property
    def versions(self) -> dict[str, str]:
        """Pinned distributions → version."""
        pinned = (line.partition(";")[0].split("==") for line in self.lines)
        return {plain(one[0].strip()): one[1].split()[0] for one in pinned if len(one) == 2}


def parse(text: str) -> Requirements:
    """Requirements that include no other file."""
    return Requirements(lines=tuple(_logical(text)))


def read(path: Path) -> Requirements:
    """The requirements of a file; raises UsageError if it or an included one can't be read."""
    lines: list[str] = []
    constraints: list[str] = []
    _read(path, lines, constraints, reading=())
    if not lines:
        raise UsageError(f"The requirements file {path} lists nothing to install; add a package.")
    return Requirements(lines=tuple(lines), constraints=tuple(constraints))


def _read(
    path: Path, lines: list[str], constraints: list[str], *, reading: tuple[Path, ...]
) -> None:
    if path.resolve() in reading:
        raise UsageError(f"The requirements file {path} includes itself; remove that line.")
    inside = (*reading, path.resolve())
    for line in _logical(_content(path)):
        if included := _INCLUDE.fullmatch(line):
            _read(path.parent / included["file"], lines, constraints, reading=inside)
        elif constraining := _CONSTRAIN.fullmatch(line):
            _read(path.parent / constraining["file"], constraints, constraints, reading=inside)
        else:
            lines.append(line)


def _content(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise UsageError(
            f"There is no requirements file {path}; list the packages of the environment in it, "
            f"for example with: python -m pip freeze > {path.name}."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise UsageError(f"The requirements file {path} can't be read: {reason}.") from error


def _logical(text: str) -> Iterator[str]:
    """Lines as pip reads them: a trailing backslash continues, " #" starts a comment."""
    for line in re.sub(r"\\\r?\n", " ", text).splitlines():
        bare = re.sub(r"(^|\s+)#.*$", "", line).strip()
        if bare:
            yield re.sub(r"\s+", " ", bare)
