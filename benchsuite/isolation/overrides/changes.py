"""Collects which settings are changed and why."""

from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

Settings = Mapping[str, Any]

FILES = "files"  #: The part of a run's folder that begins as `prepare()` left it.
EMPTY = "empty"  #: The part that is empty when a run begins: caches, logs.


class Changes:
    """New values, and for each its change in words."""

    def __init__(self, settings: Settings, folder: str = "") -> None:
        self.settings = settings  #: The project's own; never modified, nested values included.
        self.values: dict[str, Any] = {}
        self.words: dict[str, str] = {}
        self.folders: dict[str, str] = {}
        """Folder of the run → the project's folder that it starts as a copy of; empty if it
        starts empty."""
        self._folder = Path(folder)

    def put(self, name: str, value: Any, words: str) -> None:
        """Words of further changes to the same setting are appended."""
        said = self.words.get(name)
        self.values[name] = value
        self.words[name] = f"{said}; {words}" if said else words

    def now(self, name: str) -> Any:
        """The setting as changed so far; None if unset."""
        return self.values[name] if name in self.values else self.settings.get(name)

    def folder(self, part: str, name: str, original: object = "") -> str:
        """A folder of the run's own, below `FILES` or `EMPTY`."""
        path = str(self._folder / part / name)
        self.folders[path] = str(original or "")
        return path


def like(original: object, place: str) -> str | PurePath:
    """The place as a Path if the setting was one: projects write `settings.MEDIA_ROOT / "x"`."""
    return type(original)(place) if isinstance(original, PurePath) else place
