"""One stored run as plain JSON and back: all that the database holds of it.

What is read is believed only if it is whole: the same version, no other fields, values of the types
of their columns, the same digest. It may lack fields that were added since, and can be empty or
have a default.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from functools import partial
from operator import attrgetter
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import AutoField, Field, Model

from benchsuite import __version__
from benchsuite.columns import reader_of
from benchsuite.core.plain import Misfit, at, mapping, read_named, wrong
from benchsuite.core.results import Status
from benchsuite.core.specs import RunSpec
from benchsuite.core.units import listed
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

SEAL = ("version", "benchsuite", "sha256")  #: What stands beside the rows.

OWNER = "owner"  #: The one column that means nothing elsewhere.


def as_plain(run: Run) -> dict[str, Any] | None:
    """All of a run, its relations read; None while it still runs, and where it can't be read."""
    rows = {
        "run": values(run),
        **shared(run),
        **{name: [values(one) for one in getattr(run, name).all()] for name in PARTS},
    }
    gone = run.status == Status.RUNNING.value or run.unreadable  # as is known now
    return None if gone else sealed(rows)


def from_plain(data: object) -> Run:
    """The run that `as_plain` wrote, not stored yet; raises Misfit for anything else."""
    rows = opened(data, "run", PARTS)
    run: Run = made(Run, rows, "run")
    run.key = RunSpec.from_json(run.spec).key
    members = {name: parts(model, rows, name) for name, model in PARTS.items()}
    check_seal(rows, data)
    attach(run, members)
    return run


def sealed(rows: Mapping[str, Any]) -> dict[str, Any]:
    """What can be told from anything else when it is read."""
    return {"version": VERSION, "benchsuite": __version__, "sha256": _digest(rows), **rows}


def opened(data: object, name: str, parts: Iterable[str]) -> dict[str, Any]:
    """The rows that were sealed: one of that name, what it shares, and a list of each part."""
    if not isinstance(data, Mapping):
        raise wrong(f"a stored {name}", data)
    with at("version"):
        if (version := data.get("version")) != VERSION:
            raise wrong(f"the version {VERSION}, which this benchsuite reads,", version)
    rows = {key: value for key, value in data.items() if key not in SEAL}
    if set(rows) != {name, *SHARED, *parts}:
        raise Misfit(f"{listed([name, *SHARED, *parts])} were wanted, and others are there")
    return rows


def check_seal(rows: Mapping[str, Any], data: Any) -> None:
    """Raises Misfit for what was changed though it can still be read."""
    if data.get("sha256") != _digest(rows):
        raise Misfit("it was damaged or changed after it was written: its digest is another one")


def attach(run: Run, parts: Mapping[str, Iterable[Model]]) -> None:
    """Gives a run its relations without the database, in the order in which that gives them."""
    cache: dict[str, Any] = {}
    for name, members in parts.items():
        order = attrgetter(*map(str, PARTS[name]._meta.ordering or ()))
        queryset = getattr(run, name).all()
        queryset._result_cache = sorted(members, key=order)
        queryset._prefetch_done = True
        for row in queryset._result_cache:
            row.run = run
        cache[name] = queryset
    vars(run)["_prefetched_objects_cache"] = cache  # as prefetch_related() does it


def share(row: Model, name: str, data: Mapping[str, Any]) -> None:
    """Gives a row one of `SHARED` with this data, not looked up yet."""
    setattr(row, name, SHARED[name](fingerprint=fingerprint.digest(data), data=dict(data)))


def stored(model: type[Model]) -> "list[Field[Any, Any]]":
    """The fields that hold what was found out: no number of a row, no link to another one."""
    return [
        field
        for field in model._meta.concrete_fields
        if not field.is_relation and not isinstance(field, AutoField) and field.name != OWNER
    ]


def settle(row: Model) -> None:
    """Gives a row the values with which every database would give it back."""
    for field in stored(type(row)):
        value = storable(getattr(row, field.name))
        if isinstance(value, str) and field.max_length and len(value) > field.max_length:
            value = f"{value[: field.max_length - 1]}…"
        setattr(row, field.name, field.to_python(value))


def storable(value: Any) -> Any:
    """The same with only such characters and numbers as every database and JSON take."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")
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
    plain = {}
    for field in stored(type(row)):
        value = getattr(row, field.name)
        if hasattr(value, "isoformat"):
            value = value.isoformat()
        is_plain = isinstance(value, Mapping | list | int | float | None)
        plain[field.name] = value if is_plain else str(value)
    return plain


def _digest(rows: Mapping[str, Any]) -> str:
    text = json.dumps(rows, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def made(model: type[Model], rows: Mapping[str, Any], name: str) -> Any:
    """The row of that name with what it shares, not stored yet; raises Misfit."""
    with at(name):
        row = _made(model, rows[name])
    for field, shared_model in SHARED.items():
        if rows[field] is not None:
            with at(field):
                _read(shared_model._meta.get_field("data"), rows[field])
            share(row, field, rows[field])
    return row


def parts(model: type[Model], rows: Mapping[str, Any], name: str) -> list[Any]:
    """The rows of that part, not stored yet; raises Misfit, also for two in one place."""
    mine = {one.name for one in stored(model)}
    unique = [
        [field for field in one.fields if field in mine]
        for one in model._meta.total_unique_constraints
    ]
    taken: set[Any] = set()
    rows_of_parts = []
    with at(name):
        if not isinstance(rows[name], list):
            raise wrong("a list", rows[name])
        for number, values in enumerate(rows[name]):
            with at(number):
                row = _made(model, values)
                for fields in unique:
                    place = tuple(getattr(row, field) for field in fields)
                    if place in taken:
                        raise Misfit(f"another one has the same {listed(fields)}")
                    taken.add(place)
            rows_of_parts.append(row)
    return rows_of_parts


def _made(model: type[Model], values: object) -> Any:
    fields = {field.name: field for field in stored(model)}
    readers = {name: partial(_read, field) for name, field in fields.items()}
    needed = [  # by a row written before other fields existed, too
        name
        for name, field in fields.items()
        if field.primary_key or not (field.has_default() or field.null or field.blank)
    ]
    return model(**read_named(mapping(values), readers, needed))


def _read(field: "Field[Any, Any]", value: Any) -> Any:
    reader_of(field)(value)
    if storable(value) != value:
        raise Misfit("it holds characters that no database takes")
    try:
        read = field.to_python(value)
        field.run_validators(read)
    except ValidationError as error:
        raise Misfit(" ".join(error.messages).removesuffix(".")) from error
    return read
