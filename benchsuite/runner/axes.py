"""Several values of an option make an axis: the cells are the product of all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product as combinations
from typing import Any

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import RunSpec
from benchsuite.core.specs.spec import changed

Value = Mapping[str, Any]  #: Fields of a RunSpec by their dotted names: {"server.processes": 4}.


@dataclass(frozen=True, slots=True)
class Axis:
    """What varies, by name, and the values it takes."""

    name: str
    values: tuple[Value, ...]


def axis(name: str, field: str, values: Sequence[Any] | None) -> Axis:
    """One that varies a single field; as the base has it where no values are given."""
    return Axis(name, tuple({field: value} for value in dict.fromkeys(values or ())) or ({},))


def product(base: RunSpec, axes: Sequence[Axis]) -> tuple[RunSpec, ...]:
    """Every combination, the first axis outermost; combinations that are the same cell, once.

    Raises UsageError for one that can't be, and names it where there are several.
    """
    cells: dict[str, RunSpec] = {}
    for combination in combinations(*(axis.values for axis in axes)):
        values = {name: one for value in combination for name, one in value.items()}
        try:
            cell = changed(base, values)
        except UsageError as error:
            varied = _varied(axes, combination)
            raise UsageError(f"{varied}: {error}" if varied else str(error)) from error
        cells.setdefault(cell.key, cell)
    return tuple(cells.values())


def _varied(axes: Sequence[Axis], combination: Sequence[Value]) -> str:
    """What tells this cell from the others: "server uvicorn, threads 4"."""
    return ", ".join(
        f"{axis.name} {' '.join(str(one) for one in value.values() if one != '') or 'none'}"
        for axis, value in zip(axes, combination, strict=True)
        if len(axis.values) > 1
    )
