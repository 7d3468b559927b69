"""What all specs have in common: they go to and from JSON and check their bounds."""

import dataclasses
from collections.abc import Collection, Mapping
from typing import Any, ClassVar, Self, TypeVar

from benchsuite.core.exceptions import UsageError
from benchsuite.core.plain import read
from benchsuite.core.suggestions import choices


class Spec:
    """To and from JSON for a dataclass of plain values and other specs."""

    __slots__ = ()

    first_defaults: ClassVar[Mapping[str, Any]] = {}
    """Field → the default it had at first, where it has another one today.

    That is what a stored spec without the field meant, and what the keys of cells are told from:
    changing a default neither splits stored cells nor joins them to others.
    """

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)  # type: ignore[call-overload, no-any-return]

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Raises Misfit for what was not written by `to_json`."""
        return read(cls, data)


AnySpec = TypeVar("AnySpec", bound=Spec)


def changed(spec: AnySpec, values: Mapping[str, Any]) -> AnySpec:
    """The same with other values, by dotted names: {"server.processes": 4}; all at once."""
    own = {name: value for name, value in values.items() if "." not in name}
    parts: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        if "." in name:
            part, _, rest = name.partition(".")
            parts.setdefault(part, {})[rest] = value
    for part, inner in parts.items():
        own[part] = changed(own.get(part, getattr(spec, part)), inner)
    return dataclasses.replace(spec, **own)  # type: ignore[type-var]


def whole(name: str, value: int | None, least: int, most: int) -> None:
    if value is not None and not least <= value <= most:
        raise UsageError(f"--{name} must be between {least} and {most}, and is {value}.")


def above(name: str, value: float, limit: float, most: float) -> None:
    if not limit < value <= most:
        raise UsageError(
            f"--{name} must be above {limit:g} and at most {most:g}, and is {value:g}."
        )


def known(name: str, value: str, values: Collection[str]) -> None:
    if value not in values:
        raise UsageError(f"--{name}={value} is not known; {choices(value, values)}")


def at_least(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise UsageError(f"--{name} must be between {least:g} and {most:g}, and is {value:g}.")
