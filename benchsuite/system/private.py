"""Files that their owner alone may read: a password may stand in them. Standard library only."""

import os
from pathlib import Path
from typing import BinaryIO

MODE = 0o600


def write(path: Path, text: str) -> None:
    """Puts the text in place of what the file had; one that was there before is closed, too."""
    with open(path, "w", encoding="utf-8", opener=_opener) as file:
        os.fchmod(file.fileno(), MODE)
        file.write(text)


def log(path: Path) -> BinaryIO:
    """A new file for a program's output."""
    return open(path, "wb", opener=_opener)


def _opener(path: str, flags: int) -> int:
    return os.open(path, flags, MODE)
