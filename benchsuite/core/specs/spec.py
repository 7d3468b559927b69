"""What all specs have in common: fields that are options, bounds, JSON; and options of adapters."""

import dataclasses
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import NoneType
from typing import Any, ClassVar, Self, TypeVar, get_args, get_origin, get_type_hints

from benchsuite.core.exceptions import UsageError, choices
from benchsuite.core.plain import LARGEST, read

T = TypeVar("T")
REQUIRED: Any = dataclasses.MISSING  #: In place of a default.
OPTION = "option"  #: Under which a field has its entry among its metadata.


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A field that is an option: a row of the table of options."""

    flag: str
    """As --help shows it: "--users N[,N…]"; words in small letters are all that it may be. Without
    dashes it has its place among the words of a command."""
    help: str
    within: tuple[float, float] | None = None
    above: tuple[float, float] | None = None  #: The first of the two is excluded.
    unless: str = ""  #: What it is unless it is given, where the default doesn't say it.
    parse: Callable[[str], Any] | None = None  #: Raises UsageError; None for what the type says.
    axis: bool = False  #: Whether several make several runs; those with a comma always do.
    opposite: bool = False  #: Whether there is a --no-…, too; where the default is true, always.
    again: bool = False  #: Whether it may stand beside --again.
    needs: tuple[str, str] | None = None
    """What of its spec must be there, too: a field or property, and what gives it, in words."""
    secret: bool = False  #: Whether it may hold what is not stored, so that it is given again.
    group: str = ""  #: Heading in --help; by default the one of its spec.
    path: str = ""  #: Of its field, dotted, from the spec whose table it is: "load.users".
    kind: Any = str  #: Type of the field, without None, or of what it is a list of.
    default: Any = None

    @property
    def field(self) -> str:
        return self.path.rpartition(".")[2]

    @property
    def is_word(self) -> bool:
        """Whether it is told by its place, not by a name."""
        return not self.flag.startswith("--")

    @property
    def name(self) -> str:
        """As on the command line and in study files, without dashes before it."""
        return self.field if self.is_word else self.flag.split()[0].removeprefix("--")

    @property
    def metavar(self) -> str:
        return self.flag.partition(" ")[2]

    @property
    def key(self) -> str:
        """As parsed options have it."""
        return self.name.replace("-", "_")

    @property
    def words(self) -> Sequence[str]:
        """All that it may be; empty for anything."""
        return self.metavar.split("|") if self.metavar.islower() else ()

    @property
    def commas(self) -> bool:
        """Whether a comma separates several."""
        return self.metavar.endswith("…]")

    @property
    def is_list(self) -> bool:
        return get_origin(self.kind) is tuple

    @property
    def is_pairs(self) -> bool:
        return get_origin(self.kind) is Mapping

    @property
    def is_axis(self) -> bool:
        return self.axis or (self.commas and not self.is_list)

    def check(self, given: Any, spec: Any) -> None:
        """Raises UsageError for a value out of bounds or meaning, or without what it needs."""
        for value in given if isinstance(given, list) else [given]:
            if value is None:
                continue
            if self.within:
                within(self.name, value, *self.within)
            if self.above:
                above(self.name, value, *self.above)
            if self.words and value:
                known(self.name, value, self.words)
        if self.needs and given not in (self.default, {}) and not getattr(spec, self.needs[0]):
            option = f"--{'no-' * (given is False)}{self.name}"
            raise UsageError(f"{option} needs {self.needs[1]}: give that, or leave {option} out.")


def option(default: T, text: str, **more: Any) -> T:
    """A field that is an option: `users: int = option(10, "--users N  users at once")`.

    After two spaces comes what --help says. Parsing, bounds, axes, the keys of study files and the
    table in the docs come from it, too.
    """
    flag, _, help = text.partition("  ")
    metadata = {OPTION: Entry(flag=flag, help=help, **more)}
    if default == {}:
        return dataclasses.field(default_factory=dict, metadata=metadata)  # type: ignore[return-value]
    return dataclasses.field(default=default, metadata=metadata)


def optional(text: str, **more: Any) -> Any:
    """A field that is an option, and None unless it is given."""
    return option(None, text, **more)


def switch(text: str, **more: Any) -> Any:
    """A field that is an option without a value, and false unless it is given."""
    return option(False, text, **more)


class Spec:
    """A dataclass of plain values and other specs."""

    __slots__ = ()
    group: ClassVar[str] = ""  #: Heading of its options in --help.
    first_defaults: ClassVar[Mapping[str, Any]] = {}
    """Field → the default it had at first, where another today: stored specs mean what they did,
    and keys of cells stay as they are."""

    def __post_init__(self) -> None:
        for entry in table(type(self)):
            if "." not in entry.path:
                entry.check(getattr(self, entry.field), self)
        self.check()

    def check(self) -> None:
        """Raises UsageError for values that can't be together."""

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)  # type: ignore[call-overload, no-any-return]

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Raises Misfit for what was not written by `to_json`."""
        return read(cls, data)


AnySpec = TypeVar("AnySpec", bound=Spec)


def table(spec: type[Spec]) -> tuple[Entry, ...]:
    """The options of a spec and of its parts, in their order."""
    key: Any = spec  # mypy takes the class for its instances, which need not be hashable
    return _table(key)


@cache
def _table(spec: Any) -> tuple[Entry, ...]:
    hints, entries = get_type_hints(spec), list[Entry]()
    for field in dataclasses.fields(spec):
        kind = hints[field.name]
        if entry := field.metadata.get(OPTION):
            if NoneType in get_args(kind):
                kind = next(one for one in get_args(kind) if one is not NoneType)
            if get_origin(kind) is list:
                (kind,) = get_args(kind)
            own = {"path": field.name, "kind": kind, "group": entry.group or spec.group}
            default = None if field.default is REQUIRED else field.default
            entries.append(dataclasses.replace(entry, default=default, **own))
        elif isinstance(kind, type) and issubclass(kind, Spec):
            entries += [
                dataclasses.replace(one, path=f"{field.name}.{one.path}") for one in table(kind)
            ]
    return tuple(entries)


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


def within(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        bounds = f"{_number(least)} and {_number(most)}"
        raise UsageError(f"--{name} must be between {bounds}, and is {_number(value)}.")


def above(name: str, value: float, limit: float, most: float) -> None:
    if not limit < value <= most:
        raise UsageError(
            f"--{name} must be above {limit:g} and at most {most:g}, and is {value:g}."
        )


def known(name: str, value: str, values: Collection[str]) -> None:
    if value not in values:
        raise UsageError(f"--{name}={value} is not known; {choices(value, values)}")


def _number(value: float) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


Option = str | int | float | bool
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
NUMBERS: Mapping[type[Option], str] = {int: r"-?\d[\d_]*", float: r"-?\d*\.?\d+"}  #: As written.
BOOLEANS = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}


@dataclass(frozen=True, slots=True)
class Within:
    """What a number may be."""

    least: float
    most: float = math.inf

    def __str__(self) -> str:
        if math.isinf(self.most):
            return f"at least {self.least:.10g}"
        return f"from {self.least:.10g} to {self.most:.10g}"


Limits = Mapping[str, Within | tuple[str, ...]]  #: What options must be.


def chosen_options(
    owner: str,
    defaults: Mapping[str, Option],
    given: Mapping[str, Option],
    limits: Limits | None = None,
) -> dict[str, Option]:
    """The defaults, replaced by given values as their types; UsageError for wrong ones."""
    chosen = dict(defaults)
    for name, value in given.items():
        if name not in defaults:
            raise UsageError(f"{owner} has no option {name!r}; {choices(name, sorted(defaults))}")
        default, wanted, text = defaults[name], type(defaults[name]), str(value).strip()
        if wanted is str:
            chosen[name] = str(value)
        elif wanted is bool and text.lower() in BOOLEANS:
            chosen[name] = BOOLEANS[text.lower()]
        elif (
            wanted in NUMBERS and re.fullmatch(NUMBERS[wanted], text) and abs(float(text)) < LARGEST
        ):
            chosen[name] = wanted(text)
        else:
            raise UsageError(
                f"{owner}'s option {name} must be {_KINDS[wanted]} (default {default!r}), not "
                f"{value!r}."
            )
    refuse_outside(owner, chosen, limits or {})
    return chosen


def refuse_outside(owner: str, chosen: Mapping[str, Option], limits: Limits) -> None:
    """Raises UsageError for an option outside of its limits."""
    for name, limit in limits.items():
        if (value := chosen.get(name)) is None:
            continue
        begin = f"{owner}'s option {name} must be"
        if isinstance(limit, tuple):
            if value not in limit:
                raise UsageError(f"{begin} one of {', '.join(limit)}, and is {value!r}.")
        elif not limit.least <= float(value) <= limit.most:
            raise UsageError(f"{begin} {limit}, and is {value}.")
