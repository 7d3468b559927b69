"""The studies that there are: benchsuite's own, and those of the project."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchsuite.core.exceptions import UsageError

FOLDER = Path(__file__).parent / "files"
SUFFIX = ".toml"


def studies(extra: Sequence[Path] = ()) -> Mapping[str, Path]:
    """Name → file: the catalogue's, then those of these files and folders.

    A study is called as its file. Raises UsageError where two have one name.
    """
    paths: dict[str, Path] = {}
    for file in (one for place in (FOLDER, *extra) for one in _files(place)):
        if file.stem in paths:
            raise UsageError(
                f"Two studies are called {file.stem}, {paths[file.stem]} and {file}; rename one."
            )
        paths[file.stem] = file
    return paths


def _files(place: Path) -> Iterator[Path]:
    if not place.is_dir():
        yield place
        return
    yield from sorted(one for one in place.iterdir() if one.suffix == SUFFIX and one.is_file())
