"""Values of a TOML file, read strictly: whatever is wrong is one sentence with file and key."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from benchsuite.core.exceptions import UsageError, choices
from benchsuite.core.plain import LARGEST, shown


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file a value stands."""

    file: str
    keys: tuple[str, ...] = ()

    def at(self, key: object) -> "Place":
        return Place(self.file, (*self.keys, str(key)))

    def nth(self, number: int) -> "Place":
        """Of a list or of an array of tables: claim[2]."""
        return Place(self.file, (*self.keys[:-1], f"{self.keys[-1]}[{number}]"))

    def error(self, message: str) -> UsageError:
        return UsageError(": ".join(filter(None, (self.file, ".".join(self.keys), message))))

    def wrong(self, value: object, wanted: str) -> UsageError:
        return self.error(f"must be {wanted}, and is {shown(value)}.")

    def check(self, names: Iterable[str], what: str, known: Collection[str]) -> None:
        """Raises UsageError for the first of these names that is not known."""
        for name in names:
            if name not in known:
                instead = f"; {choices(name, known)}" if known else ", nor any other."
                raise self.error(f"there is no {what} {name!r}{instead}")


Reader = Callable[[Any, Place], Any]
Rest = Callable[[str, Any, Place], Any]  #: Of the keys that are not named: key, value, its place.


def text(value: Any, place: Place) -> str:
    if not isinstance(value, str) or not value.strip():
        raise place.wrong(value, 'a text, such as "10s"')
    return value


def number(value: Any, place: Place) -> float:
    if not _is_number(value) or not math.isfinite(value):
        raise place.wrong(value, "a number")
    return float(value) if isinstance(value, float) else int(value)


def scalar(value: Any, place: Place) -> str | float:
    if isinstance(value, str):
        return text(value, place)
    if not _is_number(value):
        raise place.wrong(value, "a text or a number")
    return number(value, place)


def _is_number(value: Any) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return isinstance(value, float) or abs(value) < LARGEST


def whole(value: Any, place: Place) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value < LARGEST:
        raise place.wrong(value, "a whole number from 1 on")
    return value


def one_of(*words: str) -> Reader:
    def read(value: Any, place: Place) -> str:
        if value not in words:
            raise place.wrong(value, f"one of {', '.join(words)}")
        return str(value)

    return read


def region(value: Any, place: Place) -> tuple[float, float]:
    """[from, to]; inf and -inf are open ends."""
    wanted = "a region [from, to], such as [0.4, 0.6] or [2, inf]"
    if not isinstance(value, list) or len(value) != 2 or not all(map(_is_number, value)):
        raise place.wrong(value, wanted)
    low, high = value
    if not low < high:
        raise place.wrong(value, f"{wanted}, its end above its beginning")
    return low, high


def several(read: Reader) -> Reader:
    """A list of at least one."""

    def read_all(value: Any, place: Place) -> tuple[Any, ...]:
        if not isinstance(value, list) or not value:
            raise place.wrong(value, "a list of at least one")
        return tuple(read(item, place.nth(number)) for number, item in enumerate(value, start=1))

    return read_all


texts: Callable[[Any, Place], tuple[str, ...]] = several(text)


def one_or_more(value: Any, place: Place) -> tuple[str, ...]:
    """Texts, of which one may stand without a list."""
    return texts(value, place) if isinstance(value, list) else (text(value, place),)


def mapping(read: Reader) -> Reader:
    """A table whose keys are names of the file's own."""

    def read_all(value: Any, place: Place) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise place.wrong(value, "a table")
        return {name: read(item, place.at(name)) for name, item in value.items()}

    return read_all


selector = mapping(one_or_more)  #: Axis → the values that it admits.


def table(
    required: Mapping[str, Reader],
    optional: Mapping[str, Reader] | None = None,
    rest: tuple[str, Rest] | None = None,
    make: Callable[..., Any] = dict,
) -> Reader:
    """What is made of a table with these keys; others are refused, or go to `rest`."""
    known = {**required, **(optional or {})}

    def read_all(value: Any, place: Place) -> Any:
        if not isinstance(value, dict):
            raise place.wrong(value, "a table")
        fields: dict[str, Any] = {rest[0]: {}} if rest else {}
        for name, item in value.items():
            if rest and name not in known:
                fields[rest[0]][name] = rest[1](name, item, place.at(name))
            else:
                place.check([name], "key", known)
                fields[name] = known[name](item, place.at(name))
        for name in required:
            if name not in value:
                raise place.error(f"the key {name} is missing.")
        return make(**fields)

    return read_all
