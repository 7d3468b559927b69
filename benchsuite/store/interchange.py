"""One stored run as plain JSON and back: all that the database holds of it.

What is read is believed only if it is whole: the same version, no other fields, the same digest. It
may lack fields that were added since, and can be empty or have a default.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import AutoField, Field, Model

from benchsuite.core.exceptions import UsageError
from benchsuite.core.results import Status
from benchsuite.core.specs import RunSpec
from benchsuite.models import Environment, Finding, Interval, Measurement, Reading, Run, Software
from benchsuite.system import fingerprint

VERSION = 1  #: Raised whenever the benchsuite before could not read what this one writes.

PARTS: Mapping[str, type[Model]] = {
    "measurements": Measurement,
    "intervals": Interval,
    "readings": Reading,
    "findings": Finding,
}
"""What a run has many of: its accessor → its model."""

SHARED: Mapping[str, type[Environment] | type[Software]] = {
    "environment": Environment,
    "software": Software,
}
"""What many runs share, and is stored once: the name of the link → its model."""

OWNER = "owner"  #: The one column that means nothing elsewhere.


def as_plain(run: Run) -> dict[str, Any] | None:
    """All of a run, its relations read; None while it still runs."""
    if run.status == Status.RUNNING.value:
        return None
    rows = {
        "run": values(run),
        **shared(run),
        **{name: [values(one) for one in getattr(run, name).all()] for name in PARTS},
    }
    return sealed(rows)


def from_plain(data: object) -> Run:
    """The run that `as_plain` wrote, not stored yet; raises UsageError for anything else."""
    rows = opened(data, "run", PARTS)
    run: Run = made(Run, rows["run"], "run")
    run.key = _key(run)
    for name in SHARED:
        if rows[name] is not None:
            share(run, name, rows[name])
    parts = {name: [made(model, one, name) for one in rows[name]] for name, model in PARTS.items()}
    attach(run, parts)
    return run


def sealed(rows: Mapping[str, Any]) -> dict[str, Any]:
    """What can be told from anything else when it is read."""
    return {"version": VERSION, "sha256": _digest(rows), **rows}


def opened(data: object, name: str, parts: Iterable[str]) -> dict[str, Any]:
    """The rows that were sealed: one of that name, what it shares, and a list of each part."""
    if not isinstance(data, Mapping):
        raise UsageError(f"holds no stored {name}")
    rows = {name: value for name, value in data.items() if name not in ("version", "sha256")}
    if data.get("version") != VERSION:
        raise UsageError(
            f"was written in version {data.get('version')!r}, and this benchsuite reads {VERSION}; "
            "load it with a benchsuite like the one that wrote it"
        )
    if data.get("sha256") != _digest(rows) or set(rows) != {name, *SHARED, *parts}:
        raise UsageError("was damaged or changed after it was written: its digest is another one")
    lists = all(isinstance(rows[name], list) for name in parts)
    if not lists or not all(isinstance(rows[name], Mapping | None) for name in SHARED):
        raise UsageError("has other fields than this benchsuite stores")
    return rows


def attach(run: Run, parts: Mapping[str, Iterable[Model]]) -> None:
    """Gives a run its relations without the database, in the order in which that gives them."""
    cache: dict[str, Any] = {}
    for name, members in parts.items():
        order = attrgetter(*map(str, PARTS[name]._meta.ordering or ()))
        queryset = getattr(run, name).all()
        queryset._result_cache = sorted(members, key=order)
        queryset._prefetch_done = True
        for one in queryset._result_cache:
            one.run = run
        cache[name] = queryset
    vars(run)["_prefetched_objects_cache"] = cache  # as prefetch_related() does it


def share(row: Model, name: str, data: Mapping[str, Any]) -> None:
    """Gives a row one of `SHARED` with this data, not looked up yet."""
    setattr(row, name, SHARED[name](fingerprint=fingerprint.digest(data), data=dict(data)))


def columns(model: type[Model]) -> "list[Field[Any, Any]]":
    """The fields that hold what was found out: no number of a row, no link to another one."""
    return [
        field
        for field in model._meta.concrete_fields
        if not field.is_relation and not isinstance(field, AutoField) and field.name != OWNER
    ]


def settle(row: Model) -> None:
    """Gives a row the values with which every database would give it back."""
    for field in columns(type(row)):
        value = storable(getattr(row, field.name))
        if isinstance(value, str) and field.max_length and len(value) > field.max_length:
            value = f"{value[: field.max_length - 1]}…"
        setattr(row, field.name, field.to_python(value))


def storable(value: Any) -> Any:
    """The same with only such characters and numbers as every database and JSON take."""
    if isinstance(value, str):
        text = value.encode("utf-8", "backslashreplace").decode()
        return text.replace("\0", "\\x00")
    if isinstance(value, Mapping):
        return {storable(str(name)): storable(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [storable(part) for part in value]
    if hasattr(value, "dtype"):  # of numpy, which is not imported for it: pages need none
        return storable(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def shared(row: Model) -> dict[str, Any]:
    """The data of each of `SHARED`; None for what the row lacks."""
    return {name: getattr(getattr(row, name, None), "data", None) for name in SHARED}


def values(row: Model) -> dict[str, Any]:
    """Of its columns, as JSON has them."""
    return {field.name: _plain(getattr(row, field.name)) for field in columns(type(row))}


def _plain(value: Any) -> Any:
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return value if isinstance(value, Mapping | list | int | float | None) else str(value)


def _digest(rows: Mapping[str, Any]) -> str:
    text = json.dumps(rows, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _key(run: Run) -> str:
    """Of its cell, as this benchsuite tells cells apart; its own where the spec can't be read."""
    try:
        return RunSpec.from_json(run.spec).key
    except (UsageError, TypeError, ValueError, AttributeError):
        return run.key


def made(model: type[Model], values: object, where: str) -> Any:
    """The row of these values, not stored yet; raises UsageError for what no benchsuite stores."""
    fields = {field.name: field for field in columns(model)}
    needed = {name for name, field in fields.items() if not _may_lack(field)}
    if not isinstance(values, Mapping) or not needed <= set(values) <= set(fields):
        raise UsageError(f"has other fields than this benchsuite stores, in {where}")
    return model(**{name: _read(fields[name], value, where) for name, value in values.items()})


def _may_lack(field: "Field[Any, Any]") -> bool:
    """Whether a row written before this field existed can do without it."""
    return not field.primary_key and (field.has_default() or field.null or field.blank)


def _read(field: "Field[Any, Any]", value: Any, where: str) -> Any:
    """The value as its column takes it."""
    try:
        if value is None and not field.null:
            raise ValidationError("It must not be missing.")
        if storable(value) != value:
            raise ValidationError("It holds what no database takes.")
        read = field.to_python(value)
        field.run_validators(read)
        if field.choices and read and read not in dict(field.flatchoices):
            raise ValidationError("It is none of the choices.")
    except (ValidationError, TypeError, ValueError, OverflowError) as error:
        raise UsageError(f"has a wrong {field.name} in {where}: {str(value)[:60]!r}") from error
    return read
