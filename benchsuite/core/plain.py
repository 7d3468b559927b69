"""Frozen values to JSON and back, by the types of their fields."""

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import cache
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
        return cast(T, _reader(cast(Any, kind))(data))
    except (TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"This is no stored {kind.__name__}: {error}") from error


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    """What makes a value of that type of what `plain` wrote."""
    origin, inner = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return _of_fields(kind)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return kind
    if origin in (Union, types.UnionType):
        others = [_reader(one) for one in inner if one is not type(None)]
        return (
            _as_it_is if len(others) > 1 else lambda data: None if data is None else others[0](data)
        )
    if origin is tuple and inner[-1] is not Ellipsis:
        each = [_reader(one) for one in inner]
        return lambda data: tuple(one(part) for one, part in zip(each, data, strict=True))
    if origin in (tuple, list, Sequence):
        one, make = _reader(inner[0]), list if origin is list else tuple
        return lambda data: make(map(one, data))
    if origin in (dict, Mapping):
        key, value = map(_reader, inner)
        return lambda data: {key(name): value(part) for name, part in _pairs(data)}
    return _as_it_is


def _of_fields(kind: Any) -> Callable[[Any], Any]:
    hints = get_type_hints(kind)
    readers = {one.name: _reader(hints[one.name]) for one in fields(kind)}

    def made(data: Any) -> Any:
        if unknown := sorted(set(data) - set(readers)):
            raise ValueError(f"unknown fields {', '.join(unknown)}")
        return kind(**{name: readers[name](part) for name, part in data.items()})

    return made


def _pairs(data: Any) -> Any:
    return data.items() if isinstance(data, Mapping) else data


def _as_it_is(data: Any) -> Any:
    return data
