"""Creates the folders that replace the project's own, and fills them with copies."""

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchsuite.isolation.overrides.changes import FILES
from benchsuite.system import scratch

MOST_BYTES = 256 * 2**20
"""Limit for one folder of the project; a larger one would take too long to copy."""


def made(folders: Mapping[str, str]) -> dict[str, str]:
    """Creates each folder as a copy of the project's own; returns why others were not copied."""
    left = {}
    for folder, original in folders.items():
        Path(folder).mkdir(parents=True, exist_ok=True)
        if original:
            try:
                if Path(original).is_dir():  # raises where a folder above it is closed to us
                    _copy(Path(original), Path(folder))
            except (OSError, OverflowError) as error:
                if isinstance(error, OSError) and error.errno in scratch.FULL:
                    raise  # not this folder's fault
                left[original] = f"{original} is not copied: {error}"
                shutil.rmtree(folder)
                Path(folder).mkdir()
    return left


def handed_on(template: Path, run: Path) -> None:
    """Copies the template's folders for one run."""
    if (template / FILES).is_dir():
        shutil.copytree(template / FILES, run / FILES, symlinks=True, dirs_exist_ok=True)


def _copy(original: Path, folder: Path) -> None:
    """Raises OverflowError, before copying anything, when it is too large."""
    files = []
    total = 0
    for path in _files(original, folder):
        total += path.stat().st_size
        if total > MOST_BYTES:
            raise OverflowError(f"it holds more than {MOST_BYTES // 2**20} MB")
        files.append(path)
    for path in files:
        place = folder / path.relative_to(original)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)


def _files(original: Path, folder: Path) -> Iterator[Path]:
    """The files of `original`, without those of `folder`, which may lie below it."""
    for place, folders, names in os.walk(original):
        folders[:] = [name for name in folders if Path(place, name) != folder]
        yield from (path for name in sorted(names) if (path := Path(place, name)).is_file())
