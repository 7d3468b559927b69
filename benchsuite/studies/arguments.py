"""A cell as arguments of `runbench`."""

from collections.abc import Iterator, Mapping
from typing import Any

from benchsuite.studies.options import in_cell, shares
from benchsuite.studies.study import Cell, Share

FIRST = ("server", "workload")

NOTHING: Mapping[str, Any] = {}


def arguments(cell: Cell, resolved: Mapping[str, Any] = NOTHING) -> list[str]:
    """One a --option=value: server and workload first, then by name.

    `resolved` has the values of options that are a share of a figure; one that is not yet known
    is shown as a formula, which `runbench` does not understand.
    """
    order = sorted(cell.options, key=lambda name: (name not in FIRST, name))
    options = {name: resolved.get(name, cell.options[name]) for name in order}
    return [f"--{argument}" for name in order for argument in _of(name, options[name])]


def needs(cell: Cell) -> list[Share]:
    """What must be measured first: every axis of the other cell is named."""
    return [in_cell(share, cell.coordinates) for share in shares(cell.options).values()]


def _of(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, bool):
        yield name if value else f"no-{name}"
    elif isinstance(value, Mapping):
        for item in sorted(value):
            yield f"{name}={item}={_shown(value[item])}"
    elif isinstance(value, tuple):
        for item in value:
            yield f"{name}={_shown(item)}"
    else:
        yield f"{name}={_shown(value)}"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, Share):
        cell = ",".join(f"{axis}={one}" for axis, one in value.cell.items())
        return f"{value.share:g}*{value.figure}({cell})"
    return str(value)
