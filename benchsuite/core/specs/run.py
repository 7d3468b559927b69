"""One execution: everything needed to do it again."""

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self, get_type_hints

from benchsuite.core.exceptions import UsageError
from benchsuite.core.plain import wrong
from benchsuite.core.printable import hidden_in, is_control
from benchsuite.core.specs.database import DatabaseSpec
from benchsuite.core.specs.load import LoadProfile
from benchsuite.core.specs.server import MEASURED, DelaySpec, LayerSpec, ServerSpec, TargetSpec
from benchsuite.core.specs.spec import Option, Spec, option
from benchsuite.core.specs.visitor import VisitorSpec

OUTPUT = "Runs and output"  #: Heading of --help.
FORMAT_VERSION = 1  #: Raised whenever a stored spec could not be read by the code before it.
COLLECT, SKIP = "collect", "skip"
MAX_LABEL = 200  #: Characters, which is what the database keeps of one.
QUERIES, FLAME = "queries", "flame"  #: What a diagnostic start looks at.
DIAGNOSTIC_WARMUP_S, DIAGNOSTIC_S = 1.0, 5.0  #: Of a diagnostic start, at most.
ALIKE = ("timeout_s", "drain_s", "keep_alive", "keep_cookies", "cpus")  #: Of its load, which stay.
FLAME_S = 10.0  #: Of one that is profiled: a thousand samples of a busy process.


def check_label(label: str) -> None:
    """Raises UsageError for one that can't be stored, or shown."""
    if len(label) > MAX_LABEL:
        raise UsageError(f"--label may have {MAX_LABEL} characters at most, and has {len(label)}.")
    if any(is_control(one) for one in label):
        raise UsageError(
            f"--label={label!r} has control characters, which terminals obey; write it without."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadSpec(Spec):
    """Which kind of work, with the workload's own options (`path` for url, `size` for cpu, …)."""

    group = MEASURED
    workload: str = option("plain", "--workload NAME  kind of work (see listbench)")
    options: Mapping[str, Option] = option(
        {}, "--workload-option NAME=VALUE  an option of the workload, such as size=1000000 for cpu"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpec(Spec):
    workload: WorkloadSpec = field(default_factory=WorkloadSpec)
    visitor: VisitorSpec = field(default_factory=VisitorSpec)
    server: ServerSpec
    load: LoadProfile = field(default_factory=LoadProfile)
    database: DatabaseSpec = field(default_factory=DatabaseSpec)
    delay: DelaySpec = field(default_factory=DelaySpec)
    layer: LayerSpec = field(default_factory=LayerSpec)
    target: TargetSpec = field(default_factory=TargetSpec)
    static: str = option(
        "",
        "--static collect|skip  whether static files are collected into the run's folder",
        unless="where their storage has a manifest and finds none",
        group=MEASURED,
    )
    project: str = ""  #: Where several share the results: what this one is called there.
    diagnoses: str = ""  #: "queries" or "flame" for a start that never counts.
    label: str = option("", "--label WORD  a word to find these runs by", again=True, group=OUTPUT)
    repetition: int = 1
    seed: int = 0

    def check(self) -> None:
        check_label(self.label)

    @property
    def diagnosed(self) -> Self:
        """The same as a diagnostic start: the server times queries and pauses for garbage."""
        return self._looked_into(QUERIES, min(self.load.duration_s, DIAGNOSTIC_S))

    @property
    def profiled(self) -> Self:
        """The same as a diagnostic start beside which a profiler is at work."""
        return self._looked_into(FLAME, FLAME_S)

    def _looked_into(self, by: str, duration_s: float) -> Self:
        """One user asks the same for so long."""
        alike = {name: getattr(self.load, name) for name in ALIKE}
        warmup_s = min(self.load.warmup_s, DIAGNOSTIC_WARMUP_S)
        load = LoadProfile(users=1, warmup_s=warmup_s, duration_s=duration_s, **alike)
        return dataclasses.replace(self, load=load, diagnoses=by, repetition=1, seed=0)

    @property
    def key(self) -> str:
        """Names the cell: equal for repetitions of the same thing, different for anything else.

        A digest of what differs from the first defaults, so that a new field splits no stored cell.
        """
        mine = dataclasses.replace(self, repetition=1, seed=0, label="").to_json()
        plain, differences = self._plain().to_json(), {}
        for name, value in mine.items():
            first = plain[name]
            if value != first and name in PARTS:
                value = {inner: one for inner, one in value.items() if one != first[inner]}
            if value != first:
                differences[name] = value
        text = json.dumps(differences)
        comparable = json.loads(text, parse_float=_whole)  # equal specs must have equal keys
        return hashlib.sha256(json.dumps(comparable, sort_keys=True).encode()).hexdigest()

    def _plain(self) -> Self:
        """A run of no server, with the first defaults of everything."""
        fields = {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}
        parts: dict[str, Any] = {
            name: type(part).from_json({"server": ""} if name == "server" else {})
            for name, part in fields.items()
            if isinstance(part, Spec)
        }
        return type(self)(**{**self.first_defaults, **parts})

    def to_json(self) -> dict[str, Any]:
        """As it may be stored and shown: without passwords."""
        return {
            "format_version": FORMAT_VERSION,
            **hidden_in(dataclasses.asdict(self)),
            "database": self.database.shown(),
            "visitor": self.visitor.to_json(),
            "target": hidden_in(self.target.to_json()),
        }

    @classmethod
    def unwrapped(cls, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """The fields of what `to_json` wrote."""
        version = data.get("format_version")
        if version != FORMAT_VERSION:
            raise wrong(f"the format {FORMAT_VERSION}, which this benchsuite reads,", version)
        return {name: one for name, one in data.items() if name != "format_version"}


PARTS: Mapping[str, type[Spec]] = {
    name: kind
    for name, kind in get_type_hints(RunSpec).items()
    if isinstance(kind, type) and issubclass(kind, Spec)
}
"""The fields of a run that are specs themselves."""


def _whole(digits: str) -> float:
    """10.0 as 10."""
    number = float(digits)
    return int(number) if number.is_integer() else number
