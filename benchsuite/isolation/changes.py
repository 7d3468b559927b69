"""Collects which settings are changed and why."""

from collections.abc import Mapping
from typing import Any

Settings = Mapping[str, Any]


class Changes:
    """New values, and for each its change in words."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        """The project's own; never modified, nested values included."""
        self.values: dict[str, Any] = {}
        self.words: dict[str, str] = {}

    def put(self, name: str, value: Any, words: str) -> None:
        self.values[name] = value
        self.words[name] = words
