"""Where the program keeps what it measured, and where it shows it."""

import json
import os
import secrets
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from zoneinfo import ZoneInfo

from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.system import folders

RESULTS_VARIABLE = "BENCHSUITE_RESULTS"  #: Path of the SQLite file.
PROJECT_VARIABLE = "BENCHSUITE_PROJECT"  #: The folder of the measured project.
SETTINGS_VARIABLE = "BENCHSUITE_SETTINGS"  #: Its settings module.
TARGETS_VARIABLE = "BENCHSUITE_TARGETS"  #: The key TARGETS of a project's setting, as JSON.
ADDRESS = os.environ.get("BENCHSUITE_ADDRESS", "127.0.0.1:8765")  #: Of `benchsuite serve`.

SQLITE = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
}
"""OPTIONS of the file: readers and one writer share it, and a transaction takes the write lock when
it begins, so that two writers wait for each other instead of failing."""


def data_folder() -> Path:
    """`benchsuite` in the user's data folder, made closed to others; else UnavailableError."""
    folder = folders.own_folder("XDG_DATA_HOME", ".local/share")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UnavailableError(
            f"{folder} can't be made ({error.strerror}); name another place in XDG_DATA_HOME."
        ) from error
    return folder


def as_typed(words: Sequence[str], parser: ArgumentParser, folder: Path) -> Iterator[str]:
    """The words of a command that runs in another folder: files are those that they name in this
    one. What is read must be there; what an option calls FILE alone may be written, too.
    """

    def placed(name: str, kind: str) -> str:
        before, equals, file = name.rpartition("=") if "=" in kind else ("", "", name)
        program = "bin/python" if "PYTHON" in kind else ""  # of an environment's folder
        is_there = any(map(os.path.isfile, (folder / file, folder / file / program)))
        is_file = file not in ("", "-") and (kind == "FILE" or is_there)
        return before + equals + str(folder / file) if is_file else name

    action = None
    for word in words:
        flag, equals, value = word.partition("=") if word.startswith("--") else ("", "", word)
        action = parser._option_string_actions.get(flag) if flag else action
        kind = str(action.metavar) if action else "NAME|FILE"
        if flag and not equals:
            yield word
            continue
        if any(sign in kind for sign in ("FILE", "=", "PYTHON")):
            value = ",".join(placed(name, kind) for name in value.split(","))
        yield flag + equals + value
        action = None


def local_zone() -> str:
    """The name of this machine's time zone; UTC where it has none that is known."""
    name = os.environ.get("TZ") or os.path.realpath("/etc/localtime").rpartition("zoneinfo/")[2]
    with suppress(LookupError, ValueError, OSError):
        return ZoneInfo(name).key
    return "UTC"


def targets() -> dict[str, float]:
    """Hosts that may be loaded, each with the most requests a second; raises UsageError."""
    try:
        known: dict[str, float] = json.loads(os.environ.get(TARGETS_VARIABLE) or "{}")
    except ValueError as error:
        form = """'{"staging.example.org": 50}'"""
        raise UsageError(f"{TARGETS_VARIABLE} is no JSON ({error}); write {form}.") from error
    return known


def token() -> str:
    """What opens the pages; the same each time, so that an address stays good."""
    file = data_folder() / "token"
    if not file.exists():
        folders.write_private(file, secrets.token_urlsafe())
    return file.read_text().strip()
