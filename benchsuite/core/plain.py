"""Frozen values to JSON and back, by the types of their fields."""

import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from benchsuite.core.exceptions import UsageError

T = TypeVar("T")


def plain(value: Any) -> Any:
    """As JSON has it; a mapping whose keys are no texts becomes a list of pairs."""
    if is_dataclass(value):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        if all(type(key) is str for key in value):
            return {key: plain(one) for key, one in value.items()}
        return [[plain(key), plain(one)] for key, one in value.items()]
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value.value if isinstance(value, StrEnum) else value


def read(kind: type[T], data: Any) -> T:
    """The value of that type that `plain` wrote; fields that are missing have their defaults.

    Raises UsageError for anything else.
    """
    try:
        return cast(T, _read(kind, data))
    except (TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"This is no stored {kind.__name__}: {error}") from error


def _read(kind: Any, data: Any) -> Any:
    inner = get_args(kind)
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        if unknown := sorted(set(data) - {one.name for one in fields(kind)}):
            raise ValueError(f"unknown fields {', '.join(unknown)}")
        return cast(Any, kind)(**{name: _read(hints[name], one) for name, one in data.items()})
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return kind(data)
    if get_origin(kind) in (Union, types.UnionType):
        others = [one for one in inner if one is not type(None)]
        return data if data is None or len(others) > 1 else _read(others[0], data)
    if get_origin(kind) is tuple and inner[-1] is not Ellipsis:
        return tuple(_read(each, one) for each, one in zip(inner, data, strict=True))
    if get_origin(kind) in (tuple, list, Sequence):
        found = [_read(inner[0], one) for one in data]
        return found if get_origin(kind) is list else tuple(found)
    if get_origin(kind) in (dict, Mapping):
        pairs = data.items() if isinstance(data, Mapping) else data
        return {_read(inner[0], key): _read(inner[1], one) for key, one in pairs}
    return data
