"""What to do, as frozen values: they check themselves and go to and from JSON.

All times are in seconds. A spec never holds anything that was found out while running; that is what
`benchsuite.results` is for.
"""

import dataclasses
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from benchsuite.exceptions import UsageError

FORMAT_VERSION = 1
"""Raised whenever a stored spec could not be read by the code before it."""

MAX_USERS = 10_000
MAX_DURATION_S = 24 * 3600.0
MAX_PROCESSES = 256
MAX_THREADS = 1024

THROWAWAY = "throwaway"
KEEP = "keep"

Option = str | int | float | bool

_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}

BOOLEANS = {
    "1": True,
    "true": True,
    "yes": True,
    "on": True,
    "0": False,
    "false": False,
    "no": False,
    "off": False,
}


class _Spec:
    """To and from JSON for a dataclass of plain values and other specs."""

    __slots__ = ()

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)  # type: ignore[call-overload, no-any-return]

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        cls._refuse_unknown(data)
        return cls(**data)

    @classmethod
    def _refuse_unknown(cls, data: Mapping[str, Any]) -> None:
        known = {one.name for one in dataclasses.fields(cls)}  # type: ignore[arg-type]
        unknown = sorted(set(data) - known)
        if unknown:
            raise UsageError(f"A stored {cls.__name__} has unknown fields: {', '.join(unknown)}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSpec(_Spec):
    """Which server, in which size.

    `processes` and `threads` are None for "the adapter's default"; `options` are the adapter's
    own names.
    """

    server: str
    processes: int | None = None
    threads: int | None = None
    options: Mapping[str, Option] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _whole("processes", self.processes, 1, MAX_PROCESSES)
        _whole("threads", self.threads, 1, MAX_THREADS)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadProfile(_Spec):
    """How many users do what for how long (closed model: each user waits for its answer).

    The load begins with the ramp (`users / spawn_rate`), then the warm-up, both thrown away; then
    comes the window that is measured, then the drain, in which nothing new is started.
    """

    model: str = "closed"
    users: int = 10
    spawn_rate: float | None = None
    """Users started per second; None starts all at once."""
    think_time_s: float = 0.0
    """Pause of each user between two journeys."""
    warmup_s: float = 3.0
    duration_s: float = 10.0
    timeout_s: float = 30.0
    """A request without its whole answer by then is a failure."""
    drain_s: float | None = None
    """How long requests still open at the end are waited for; None means `timeout_s`."""
    keep_alive: bool = True

    def __post_init__(self) -> None:
        if self.model != "closed":
            raise UsageError(f"The load model {self.model!r} is unknown; there is: closed.")
        _whole("users", self.users, 1, MAX_USERS)
        _above("duration", self.duration_s, 0.0, MAX_DURATION_S)
        _above("timeout", self.timeout_s, 0.0, 3600.0)
        _from("warmup", self.warmup_s, 0.0, MAX_DURATION_S)
        _from("think-time", self.think_time_s, 0.0, 3600.0)
        if self.drain_s is not None:
            _from("drain", self.drain_s, 0.0, 3600.0)
        if self.spawn_rate is not None:
            _above("spawn-rate", self.spawn_rate, 0.0, float(MAX_USERS))

    @property
    def ramp_s(self) -> float:
        """Seconds until the last user has been started."""
        if self.spawn_rate is None or self.spawn_rate >= self.users:
            return 0.0
        return self.users / self.spawn_rate

    @property
    def window_start_s(self) -> float:
        """Seconds from the first request to the begin of the window."""
        return self.ramp_s + self.warmup_s

    @property
    def window_end_s(self) -> float:
        return self.window_start_s + self.duration_s

    @property
    def longest_s(self) -> float:
        """Seconds after which the load must have ended, drain included."""
        return self.window_end_s + self.drain_limit_s

    @property
    def drain_limit_s(self) -> float:
        return self.timeout_s if self.drain_s is None else self.drain_s


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseSpec(_Spec):
    """On which data the target runs.

    `use` is "throwaway" (made and dropped by the run), "keep" (the project's own, explicitly), or
    the URL of a database server on which the throw-away database is made.
    """

    use: str = THROWAWAY
    rows: int = 100_000
    """Rows that workloads with stored data are seeded with; others ignore it."""
    fixture: str = ""
    """Name of a Django fixture that fills the throw-away database; empty for none."""

    def __post_init__(self) -> None:
        _whole("rows", self.rows, 0, 1_000_000_000)
        if self.use not in (THROWAWAY, KEEP) and "://" not in self.use:
            raise UsageError(
                f"--database={self.use} is not known; write throwaway, keep, or a URL such as "
                "postgres://user@host/name."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadSpec(_Spec):
    """Which kind of work, with the workload's own options (`path` for url, `size` for cpu, …)."""

    workload: str = "plain"
    options: Mapping[str, Option] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpec(_Spec):
    """One execution: everything needed to do it again."""

    workload: WorkloadSpec = field(default_factory=WorkloadSpec)
    server: ServerSpec
    load: LoadProfile = field(default_factory=LoadProfile)
    database: DatabaseSpec = field(default_factory=DatabaseSpec)
    label: str = ""
    repetition: int = 1
    seed: int = 0

    @property
    def key(self) -> str:
        """Names the cell: equal for repetitions of the same thing, different for anything else."""
        cell = dataclasses.replace(self, repetition=1, seed=0, label="")
        return json.dumps(_comparable(cell.to_json()), sort_keys=True)

    def to_json(self) -> dict[str, Any]:
        return {"format_version": FORMAT_VERSION, **dataclasses.asdict(self)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        fields = dict(data)
        version = fields.pop("format_version", None)
        if version != FORMAT_VERSION:
            raise UsageError(
                f"This run was stored in format {version}, and this benchsuite reads "
                f"{FORMAT_VERSION}."
            )
        cls._refuse_unknown(fields)
        return cls(
            workload=WorkloadSpec.from_json(fields.pop("workload")),
            server=ServerSpec.from_json(fields.pop("server")),
            load=LoadProfile.from_json(fields.pop("load")),
            database=DatabaseSpec.from_json(fields.pop("database")),
            **fields,
        )


def chosen_options(
    owner: str, defaults: Mapping[str, Option], given: Mapping[str, Option]
) -> dict[str, Option]:
    """The defaults with what was given in their place, each in the type of its default.

    Raises UsageError for a name that `owner` doesn't have and for a value that doesn't convert.
    """
    chosen = dict(defaults)
    for name, value in given.items():
        if name not in defaults:
            known = ", ".join(sorted(defaults)) or "none"
            raise UsageError(f"{owner} has no option {name!r}; it has: {known}.")
        chosen[name] = _converted(owner, name, value, defaults[name])
    return chosen


def _converted(owner: str, name: str, value: Option, default: Option) -> Option:
    wanted = type(default)
    text = str(value).strip()
    if wanted is str:
        return str(value)
    if wanted is bool and text.lower() in BOOLEANS:
        return BOOLEANS[text.lower()]
    if wanted is int and re.fullmatch(r"-?\d[\d_]*", text):
        return int(text)
    if wanted is float and re.fullmatch(r"-?\d*\.?\d+", text):
        return float(text)
    raise UsageError(
        f"{owner}'s option {name} is {_KINDS[wanted]} (default {default!r}), and {value!r} is not."
    )


def _comparable(value: Any) -> Any:
    """The same value, with 10.0 written as 10: equal specs must have equal keys."""
    if isinstance(value, Mapping):
        return {name: _comparable(part) for name, part in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _whole(name: str, value: int | None, least: int, most: int) -> None:
    if value is not None and not least <= value <= most:
        raise UsageError(f"--{name} must be between {least} and {most}, and is {value}.")


def _above(name: str, value: float, limit: float, most: float) -> None:
    if not limit < value <= most:
        raise UsageError(
            f"--{name} must be above {limit:g} and at most {most:g}, and is {value:g}."
        )


def _from(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise UsageError(f"--{name} must be between {least:g} and {most:g}, and is {value:g}.")
