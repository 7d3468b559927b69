"""Writes the machine-readable output of commands to a file, or to standard output for "-"."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from benchsuite.core.exceptions import BenchsuiteError, UsageError

LONGEST_NAME = 255  #: The kernel's limit for a file's name, in bytes.


def check(flag: str, file: str | None) -> None:
    """Raises UsageError if the file can't be written: better now than after an hour of runs."""
    if file is None or file == "-":
        return
    path = Path(file).absolute()
    if os.path.isdir(path):  # Path's own raises where a name is too long
        raise UsageError(f"{flag}={file} is a folder; name a file in it.")
    if len(os.fsencode(path.name)) > LONGEST_NAME:
        raise UsageError(
            f"{flag} has a name of {len(path.name)} characters, and the limit is {LONGEST_NAME} "
            "bytes; shorten it."
        )
    if not os.path.isdir(path.parent):
        raise UsageError(
            f"{flag}={file} can't be written: there is no folder {path.parent}; create it, or name "
            "another."
        )
    if not os.access(path if os.path.exists(path) else path.parent, os.W_OK):
        raise UsageError(f"{flag}={file} is not writable for this user; name another file.")


def write(file: str, content: str | Iterable[str], *, mode: str = "w") -> None:
    """All of it, or piece by piece; raises BenchsuiteError when the file can't be written."""
    pieces = [content] if isinstance(content, str) else content
    try:
        if file == "-":
            _to_standard_output(pieces)
            return
        with Path(file).open(mode, encoding="utf-8") as opened:
            opened.writelines(pieces)
    except OSError as error:
        place = "standard output" if file == "-" else file
        raise BenchsuiteError(f"{place} could not be written: {error.strerror}.") from error


def _to_standard_output(pieces: Iterable[str]) -> None:
    """In UTF-8, whatever the terminal's encoding: it is for machines."""
    binary = getattr(sys.stdout, "buffer", None)
    sys.stdout.flush()
    if binary is None:
        sys.stdout.writelines(pieces)
        return
    binary.writelines(piece.encode(errors="replace") for piece in pieces)
    binary.flush()
