"""The folders that stand for the project's own: made, and filled with copies."""

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchsuite.isolation.overrides.changes import FILES
from benchsuite.system import scratch

MOST_BYTES = 256 * 2**20
"""Of one folder of the project's: more of it would take longer to copy than a run should."""


def made(folders: Mapping[str, str]) -> dict[str, str]:
    """Makes each folder, as a copy of the project's own that it stands for; gives back, for each
    that was not copied, why.
    """
    left = {}
    for folder, original in folders.items():
        Path(folder).mkdir(parents=True, exist_ok=True)
        if original:
            try:
                if Path(original).is_dir():  # raises where a folder above it is closed to us
                    _copy(Path(original), Path(folder))
            except (OSError, OverflowError) as error:
                if isinstance(error, OSError) and error.errno in scratch.FULL:
                    raise  # it is no fault of this folder's
                left[original] = f"{original} is not copied: {error}"
                shutil.rmtree(folder)
                Path(folder).mkdir()
    return left


def handed_on(template: Path, run: Path) -> None:
    """What the template's folders hold now, for one run alone."""
    if (template / FILES).is_dir():
        shutil.copytree(template / FILES, run / FILES, symlinks=True, dirs_exist_ok=True)


def _copy(original: Path, folder: Path) -> None:
    """Raises OverflowError, having copied nothing, when it is too much."""
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
    """Its files, but none of the folder's, which may lie below it."""
    for place, folders, names in os.walk(original):
        folders[:] = [name for name in folders if Path(place, name) != folder]
        yield from (path for name in sorted(names) if (path := Path(place, name)).is_file())
