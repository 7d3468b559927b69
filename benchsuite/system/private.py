"""Files that only their owner may read, as they may hold passwords. Standard library only."""

import os
from pathlib import Path
from typing import BinaryIO

MODE = 0o600


def write(path: Path, text: str) -> None:
    """Replaces the file's content; an existing file is closed to others, too."""
    with open(path, "w", encoding="utf-8", opener=_opener) as file:
        os.fchmod(file.fileno(), MODE)
        file.write(text)


def log(path: Path) -> BinaryIO:
    """A new file for a program's output."""
    return open(path, "wb", opener=_opener)


def _opener(path: str, flags: int) -> int:
    return os.open(path, flags, MODE)
