"""Where the programs of PostgreSQL are: on the path, or where Debian puts them."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from benchsuite.core.exceptions import UnavailableError
from benchsuite.system.account import can_read

DEBIAN = Path("/usr/lib/postgresql")
TRY_S = 10.0


def found() -> Path | None:
    """The folder of `initdb` and `postgres`; None when there is none in which both work."""
    return next((folder for folder in _candidates() if version(folder)), None)


@cache
def version(folder: Path) -> str:
    """The version of which both programs are; empty when one is missing or doesn't run."""
    versions = {_version(folder / name) for name in ("initdb", "postgres")}
    return versions.pop() if len(versions) == 1 else ""


def check_open(folder: Path, user: str) -> None:
    """Raises UnavailableError when this user may not run what lies in the folder."""
    if not can_read(folder, user):
        raise UnavailableError(
            f"PostgreSQL runs as {user} when root starts it, and {user} can't get to {folder}; "
            "open it (chmod o+x) with what lies above it, or: apt install postgresql"
        )


def _candidates() -> Iterator[Path]:
    if program := shutil.which("postgres"):
        yield Path(program).resolve().parent
    yield from sorted(DEBIAN.glob("*/bin"), key=_number, reverse=True)
    if folder := _said_by_pg_config():
        yield folder


def _number(folder: Path) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", folder.parent.name))


def _said_by_pg_config() -> Path | None:
    program = shutil.which("pg_config")
    said = _output([program, "--bindir"]) if program else ""
    return Path(said) if said else None


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
