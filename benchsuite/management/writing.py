"""Writes what commands make for machines: to a file, or to standard output for "-"."""

import sys
from pathlib import Path

from benchsuite.exceptions import BenchsuiteError


def write(file: str, content: str, *, mode: str = "w") -> None:
    """Raises BenchsuiteError when the file can't be written."""
    try:
        if file == "-":
            sys.stdout.write(content)
            sys.stdout.flush()
            return
        with Path(file).open(mode, encoding="utf-8") as opened:
            opened.write(content)
    except OSError as error:
        place = "standard output" if file == "-" else file
        raise BenchsuiteError(f"{place} could not be written: {error.strerror}.") from error
