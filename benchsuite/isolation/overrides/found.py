"""A setting as a rule finds it, and how the rule's result replaces it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides.changes import Changes, Settings

MISSING = object()  #: The value of a setting that the project doesn't have.


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

    def named(self, name: str) -> str:
        """A folder name that is unique to this alias."""
        return f"{name}_{self.safe}" if self.alias else name

    @property
    def safe(self) -> str:
        """The alias as part of a file's name."""
        return re.sub(r"[^\w.-]", "_", self.alias)


def change(
    changes: Changes,
    instructions: Instructions,
    setting: str,
    becomes: Callable[[Found], Any],
    words: str,
) -> None:
    """Applies one rule; an unchanged value is not recorded."""
    top, *keys = setting.split(".")
    value = changes.now(top) if top in changes.settings or top in changes.values else MISSING
    if value is MISSING and keys:
        return
    touched: list[str] = []

    def replaced(value: Any, alias: str) -> Any:
        new = becomes(Found(value=value, alias=alias, instructions=instructions, changes=changes))
        if new is not value and new != value:
            touched.append(alias)
        return new

    new = _within(value, keys, "", replaced)
    if touched:
        aliases = ", ".join(alias for alias in touched if alias)
        changes.put(top, new, f"{aliases}: {words}" if aliases else words)


def _within(value: Any, keys: Sequence[str], alias: str, replaced: Callable[..., Any]) -> Any:
    """The value with what the keys lead to replaced; nothing is modified."""
    if not keys:
        return replaced(value, alias)
    if not isinstance(value, Mapping):
        return value
    key, *rest = keys
    new = dict(value)
    for one in list(value) if key == "*" else [key]:
        if rest and one not in value:
            continue
        name = _joined(alias, str(one)) if key == "*" else alias
        found = _within(value.get(one, MISSING), rest, name, replaced)
        if found is not MISSING:
            new[one] = found
    return new


def _joined(alias: str, key: str) -> str:
    return f"{alias}.{key}" if alias else key


def leaves(value: Any, change: Callable[[str], str]) -> Any:
    """A JSON value with every string in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: leaves(one, change) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [leaves(one, change) for one in value]
    return value
