"""Frozen values to JSON and back, by the types of their fields; the types of stored JSON.

What is read comes from files and databases that anybody may have changed: only what has the type
that was written is taken, and an error names its place in it.
"""

import json
import reprlib
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache, partial
from pathlib import PurePath
from typing import Any, TypedDict, TypeVar, get_args, get_origin, get_type_hints, is_typeddict
from uuid import UUID

from benchsuite.core.exceptions import UsageError

T = TypeVar("T")
Reader = Callable[[Any], Any]  #: Raises Misfit.
LARGEST = 2.0**63  #: No figure, time or amount reaches it, nor do most databases.
LONGEST_S = 1e9  #: No duration reaches it: 30 years.
LONGEST_TEXT = 4_000_000  #: Characters.
DEEPEST = 100  #: Levels of what has no type of its own.


class Misfit(UsageError):
    """What was wanted of a value, what it is, and where it stands in what was read."""

    def __init__(self, problem: str, place: str = "") -> None:
        super().__init__(problem)
        self.problem, self.place = problem, place

    def __str__(self) -> str:
        place = self.place.removeprefix(".")
        return f"{place}: {self.problem}" if place else self.problem

    def within(self, step: object) -> "Misfit":
        """The same, seen from what holds it: by a name, or by a number from 0."""
        outer = f"[{step}]" if type(step) is int else f".{step}"
        return Misfit(self.problem, f"{outer}{self.place}")


@contextmanager
def at(step: object) -> Iterator[None]:
    """Whatever is a misfit in this block stands in that field, or has that number in a list."""
    try:
        yield
    except Misfit as misfit:
        raise misfit.within(step) from misfit


AS_IT_IS = (str, float, int, bool, types.NoneType)


def plain(value: Any) -> Any:
    """As JSON has it; a mapping whose keys are no texts becomes a list of pairs."""
    if type(value) in AS_IT_IS:  # nearly all: asked first, as the others take long to ask
        return value
    if is_dataclass(value):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        if all(type(key) is str for key in value):
            return {key: plain(one) for key, one in value.items()}
        return [[plain(key), plain(one)] for key, one in value.items()]
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value.value if isinstance(value, StrEnum) else value


def leaves(value: Any, change: Callable[[str], str], whole: Callable[[Any], Any] = dict) -> Any:
    """A JSON value with every string and path in it changed, and then each mapping as a whole."""
    kind = type(value)  # isinstance() would evaluate Django's lazy objects
    if issubclass(kind, str):
        return change(value)
    if issubclass(kind, PurePath):
        return kind(change(str(value)))
    if issubclass(kind, Mapping):
        return whole({key: leaves(one, change, whole) for key, one in value.items()})
    if issubclass(kind, (list, tuple)):
        return [leaves(one, change, whole) for one in value]
    return value


def parsed(text: str) -> Any:
    """What stands in a text of JSON; raises Misfit, whatever is wrong with it."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        cut = "; it may be truncated" if error.pos >= len(text.rstrip()) else ""
        where = f"line {error.lineno}, column {error.colno}"
        raise Misfit(f"it is not JSON: {error.msg} at {where}{cut}") from error
    except RecursionError as error:
        raise Misfit("it is JSON nested too deep to be read") from error
    except ValueError as error:
        raise Misfit("it has a number of more digits than can be read") from error


def read(kind: type[T], data: Any) -> T:
    """The value that `plain` wrote, with defaults for missing fields; Misfit for anything else."""
    key: Any = kind  # mypy takes the class for its instances, which need not be hashable
    value: T = reader(key)(data)
    return value


@cache
def reader(kind: Any) -> Reader:
    """What makes a value of that type of what `plain` wrote."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind in SCALARS:
        return SCALARS[kind][1]
    if is_dataclass(kind):
        return _of_fields(kind)
    if is_typeddict(kind):  # names without a type of their own may be there, too
        known = {name: ranged(name, reader(one)) for name, one in get_type_hints(kind).items()}
        return lambda data: read_named(mapping(data), known, kind.__required_keys__, _any)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        values = {one.value: one for one in kind}

        def read_one(data: Any) -> Any:
            if not isinstance(data, str) or data not in values:
                raise wrong(f"one of {', '.join(values)}", data)
            return values[data]

        return read_one
    if origin is types.UnionType:
        return _alternatives(inner)
    if origin is tuple and inner[-1] is not Ellipsis:
        return _row([reader(one) for one in inner])
    if origin in (tuple, list, Sequence):
        return _list(reader(inner[0]), list if origin is list else tuple)
    if origin in (dict, Mapping):
        return _pairs(*inner)
    if kind is Any:
        return _any
    raise TypeError(f"no values of {kind} can be read")


def wrong(wanted: str, data: Any) -> Misfit:
    return Misfit(f"{wanted} was wanted, and is {shown(data)}")


def ranged(name: str, read_one: Reader) -> Reader:
    """The same for what has this name: how it ends says whether it is a duration."""
    if not name.endswith("_s"):
        return read_one

    def in_range(data: Any) -> Any:
        number = read_one(data)
        if isinstance(number, int | float) and not 0 <= number <= LONGEST_S:
            raise wrong(f"a number from 0 to {LONGEST_S:.0e}", data)
        return number

    return in_range


def _of_fields(kind: Any) -> Reader:
    hints = get_type_hints(kind)
    known = {one.name: ranged(one.name, reader(hints[one.name])) for one in fields(kind)}
    first: Mapping[str, Any] = getattr(kind, "first_defaults", {})
    needed = [
        one.name
        for one in fields(kind)
        if one.default is MISSING and one.default_factory is MISSING and one.name not in first
    ]
    unwrapped: Callable[[Any], Any] = getattr(kind, "unwrapped", dict)
    gone = getattr(kind, "read_no_more", ())  #: Fields that were stored once.

    def read_all(data: Any) -> Any:
        stored = {name: one for name, one in unwrapped(mapping(data)).items() if name not in gone}
        given = read_named(stored, known, needed)
        try:
            return kind(**{**first, **given})
        except (UsageError, TypeError, ValueError, ArithmeticError) as error:
            raise Misfit(str(error).removesuffix(".")) from error

    return read_all


def read_named(
    data: Mapping[str, Any],
    known: Mapping[str, Reader],
    needed: Iterable[str],
    rest: Reader | None = None,
) -> dict[str, Any]:
    """Each value as its name is read; what has none is refused, or goes to `rest`."""
    if rest is None and (unknown := sorted(set(data) - set(known))):
        raise Misfit(f"there are unknown fields: {', '.join(map(shown, unknown))}")
    if missing := [name for name in needed if name not in data]:
        raise Misfit(f"fields are missing: {', '.join(missing)}")
    return {name: _at(name, known.get(name) or rest or _any, one) for name, one in data.items()}


def _at(step: object, read_part: Reader, part: Any) -> Any:
    """As `at`, which costs too much for each value."""
    try:
        return read_part(part)
    except Misfit as misfit:
        raise misfit.within(step) from misfit


def _alternatives(kinds: Sequence[Any]) -> Reader:
    some = [one for one in kinds if one is not type(None)]
    readers, optional = [reader(one) for one in some], len(some) < len(kinds)

    def read_first(data: Any) -> Any:
        if optional and data is None:
            return None
        misfits = []
        for reader in readers:
            try:
                return reader(data)
            except Misfit as misfit:
                misfits.append(misfit)
        if len(some) > 1 and all(kind in SCALARS for kind in some):
            raise wrong(" or ".join(SCALARS[kind][0] for kind in some), data)
        raise max(misfits, key=lambda misfit: len(misfit.place))  # which fits best

    return read_first


def _row(readers: Sequence[Reader]) -> Reader:
    def read_all(data: Any) -> Any:
        if not isinstance(data, list | tuple) or len(data) != len(readers):
            raise wrong(f"a list of {len(readers)}", data)
        return tuple(map(_at, range(len(readers)), readers, data))

    return read_all


def _list(reader: Reader, make: type[list[Any]] | type[tuple[Any, ...]]) -> Reader:
    def read_all(data: Any) -> Any:
        if not isinstance(data, list | tuple):
            raise wrong("a list", data)
        return make(_at(number, reader, part) for number, part in enumerate(data))

    return read_all


def _pairs(key: Any, value: Any) -> Reader:
    """Keys that are no texts stand in pairs, numbers as JSON writes them in an object, too."""
    single, pairs = reader(value), _list(_row([reader(key), reader(value)]), list)

    def read_all(data: Any) -> Any:
        if key is not str and isinstance(data, list):
            return dict(pairs(data))
        fields = {}
        for name, part in mapping(data).items():
            known = int(name) if key is int and name.isdecimal() and len(name) < 10 else name
            fields[_at(name, reader(key), known)] = _at(name, ranged(name, single), part)
        return fields

    return read_all


def mapping(data: Any) -> Mapping[str, Any]:
    if not isinstance(data, Mapping) or not all(isinstance(name, str) for name in data):
        raise wrong("an object", data)
    return data


def _text(data: Any) -> str:
    if not isinstance(data, str):
        raise wrong("a text", data)
    if len(data) > LONGEST_TEXT:
        raise Misfit(f"a text of at most {LONGEST_TEXT} characters was wanted, and has {len(data)}")
    return data


def _number(data: Any, kinds: Any = int | float, wanted: str = "a number") -> Any:
    if not isinstance(data, kinds) or isinstance(data, bool) or not abs(data) < LARGEST:
        raise wrong(wanted, data)
    return data


def _bool(data: Any) -> bool:
    if not isinstance(data, bool):
        raise wrong("true or false", data)
    return data


def _moment(data: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(data) if isinstance(data, str) else data
    except ValueError:
        moment = None
    if (
        not isinstance(moment, datetime)
        or (isinstance(data, str) and moment.tzinfo is None)
        or not 1 < moment.year < 9999  # which no other zone can tell
    ):
        raise wrong("a date and time with its zone (2026-01-31T12:00:00+00:00)", data)
    return moment


def _id(data: Any) -> UUID:
    try:
        return data if isinstance(data, UUID) else UUID(_text(data))
    except ValueError as error:
        raise wrong("an id (a UUID)", data) from error


def _any(data: Any, depth: int = 0) -> Any:
    """Whatever JSON has, of which nobody asks more than to show it."""
    if depth > DEEPEST:
        raise Misfit(f"at most {DEEPEST} levels in each other were wanted, and there are more")
    if isinstance(data, Mapping):
        return read_named(mapping(data), {}, (), partial(_any, depth=depth + 1))
    if isinstance(data, list | tuple):
        return _list(partial(_any, depth=depth + 1), list)(data)
    if data is None or isinstance(data, int):
        return data
    return _number(data) if isinstance(data, float) else _text(data)


SCALARS: Mapping[Any, tuple[str, Reader]] = {
    str: ("a text", _text),
    float: ("a number", _number),
    int: ("a whole number", partial(_number, kinds=int, wanted="a whole number")),
    bool: ("true or false", _bool),
    datetime: ("a date and time", _moment),
    UUID: ("an id", _id),
}


def shown(data: Any) -> str:
    """A value in a sentence, whatever its size and depth."""
    if data is None:
        return "null"
    if isinstance(data, int) and data.bit_length() > 64:
        return "a number far too large"
    return _SHORT.repr(data)


_SHORT = reprlib.Repr()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother = 2, 60, 60
Times = Mapping[str, float | None]
"""count, mean_s, min_s, max_s and percentiles (p95_s), as far as samples suffice."""


class Machine(TypedDict, total=False):
    """What is asked of an environment; the rest of its facts is shown and compared."""

    hostname: str
    cpu_logical: int | None
    cpu_usable: int | None
    memory_total_bytes: int | None


class Software(TypedDict):
    """Facts of a Python, and each of its distributions → version."""

    python: Mapping[str, Any]
    packages: Mapping[str, str]


class ServerFacts(TypedDict, total=False):
    """What is said of a server; empty where nothing is known."""

    interface: str
    serves_project: bool
    starts: bool
    threads_word: str | None
    async_twin: str | None
    at_once: int | None
    connections: int | None


class Shape(TypedDict):
    """One query of a page, with the place in the code that makes it."""

    query: str
    place: str
    times: float  #: For each request.
    query_s: float


class Page(TypedDict):
    """Means of a request of one page."""

    page: str
    requests: int
    request_s: float
    queries: float
    query_s: float
    connecting_s: float
    shapes: list[Shape]


class Timed(TypedDict):
    """What a diagnostic start has timed."""

    pages: list[Page]
    paused_s: float
    longest_pause_s: float
    cpu_s: float


class FlameGraph(TypedDict):
    """Stacks as `benchsuite.stats.stacks` packs them."""

    samples: int
    rate_hz: float
    least: int
    project: list[str]  #: Of the calls those that are measured.
    stacks: str


class Profiled(TypedDict):
    """What a profiler saw beside a diagnostic start."""

    flame: FlameGraph
