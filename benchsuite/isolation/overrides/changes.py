"""Settings as a rule finds them, and which of them are changed and why."""

import importlib
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path, PurePath
from traceback import walk_stack
from typing import Any

from benchsuite.isolation.instructions import Instructions

Settings = Mapping[str, Any]
FILES = "files"  #: The part of a run's folder that begins as `prepare()` left it.
EMPTY = "empty"  #: The part that is empty when a run begins: caches, logs.
MISSING = object()  #: The value of a setting that the project doesn't have.
ENVIRONMENT = (
    *("CELERY_BROKER_URL", "CELERY_BROKER_READ_URL", "CELERY_BROKER_WRITE_URL"),
    "CELERY_RESULT_BACKEND",
)
"""Settings for which Celery prefers the environment."""


class Changes:
    """New values, and for each its change in words."""

    def __init__(self, settings: Settings, folder: str = "") -> None:
        self.settings = settings  #: The project's own; never modified, nested values included.
        self.values: dict[str, Any] = {}
        self.words: dict[str, str] = {}
        self.folders: dict[str, str] = {}  #: Folder of the run → the project's that it copies.
        self._folder = Path(folder)

    def put(self, name: str, value: Any, words: str) -> None:
        """Words of further changes to the same setting are appended."""
        earlier = self.words.get(name)
        self.values[name] = value
        self.words[name] = f"{earlier}; {words}" if earlier else words

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One value that a rule may replace."""

    value: Any
    alias: str  #: The keys that stood for `*`, joined; empty without any.
    instructions: Instructions
    changes: Changes

    @property
    def settings(self) -> Settings:
        return self.changes.settings

    @property
    def safe(self) -> str:
        """The alias as part of a file's name."""
        return re.sub(r"[^\w.-]", "_", self.alias)

    def folder(self, part: str, name: str, original: object = "") -> str:
        """A folder of the run's own for this alias."""
        named = f"{name}_{self.safe}" if self.alias else name
        return self.changes.folder(part, named, original)


@dataclass(frozen=True, slots=True)
class Rule:
    """One setting, its replacement, and the change in words."""

    setting: str
    becomes: Callable[[Found], Any]  #: The new value, or the old one, MISSING if unset.
    words: str


def change(changes: Changes, instructions: Instructions, rule: Rule) -> None:
    """Applies one rule; an unchanged value is not recorded."""
    top, *keys = rule.setting.split(".")
    value = changes.now(top) if top in changes.settings or top in changes.values else MISSING
    if value is MISSING and keys:
        return
    touched: list[str] = []

    def replaced(value: Any, alias: str) -> Any:
        setting = Found(value=value, alias=alias, instructions=instructions, changes=changes)
        new = rule.becomes(setting)
        if new is not value and new != value:
            touched.append(alias)
        return new

    new = _within(value, keys, "", replaced)
    if touched:
        aliases = ", ".join(alias for alias in touched if alias)
        changes.put(top, new, f"{aliases}: {rule.words}" if aliases else rule.words)


def _within(value: Any, keys: Sequence[str], alias: str, replaced: Callable[..., Any]) -> Any:
    """The value with what the keys lead to replaced; nothing is modified."""
    if not keys:
        return replaced(value, alias)
    if not isinstance(value, Mapping):
        return value
    key, *rest = keys
    new = dict(value)
    for item in list(value) if key == "*" else [key]:
        if rest and item not in value:
            continue
        name = ".".join(filter(None, (alias, str(item)))) if key == "*" else alias
        inner = _within(value.get(item, MISSING), rest, name, replaced)
        if inner is not MISSING:
            new[item] = inner
    return new


def project_settings(module: str, variables: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Name → value of all that the module sets, or the environment instead."""
    own = named(imported(module))  # first, as it may set variables
    return own | {name: variables[name] for name in ENVIRONMENT if name in variables}


def imported(module: str) -> object:
    """The module, made by the importer of django-configurations if it is DJANGO_SETTINGS_MODULE.
    What it puts in place of Django's settings, as dynaconf does, is taken away: it has no changes.
    """
    conf, ours = sys.modules["django.conf"], os.environ["DJANGO_SETTINGS_MODULE"]
    own = conf.settings
    callers = [frame.f_globals for frame, _ in walk_stack(sys._getframe())]
    readers = [names for names in callers if names.get("settings") is own]
    try:
        if os.environ.get("DJANGO_CONFIGURATION") and find_spec("configurations"):
            os.environ["DJANGO_SETTINGS_MODULE"] = module
            importlib.import_module("configurations.importer").install()
        return importlib.import_module(module)
    finally:
        os.environ["DJANGO_SETTINGS_MODULE"] = ours
        sys.modules["django.conf"] = conf
        for names in readers:
            names["settings"] = own


def named(module: object) -> dict[str, Any]:
    """Name → value of the settings in a module."""
    return {name: getattr(module, name) for name in dir(module) if name.isupper()}
