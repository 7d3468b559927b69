"""The cells of a study: the product of its axes, without what is excluded."""

from collections.abc import Iterator
from itertools import product

from benchsuite.core.exceptions import UsageError
from benchsuite.studies import scaling, selecting
from benchsuite.studies.options import in_cell, laid_over, settled, shares
from benchsuite.studies.study import Cell, Coordinates, Selector, Study, Value, admits

ALL: Selector = {}  #: Selects every cell.

Key = frozenset[tuple[str, str]]


def cells(study: Study, scale: float = 1.0, only: Selector = ALL) -> tuple[Cell, ...]:
    """Those to be measured at that scale, in the order of the file.

    A value that `only` names is kept at any scale, and so is a cell whose figures another one
    needs. Raises UsageError for an unknown axis or value, and where nothing is left.
    """
    scaling.check(scale)
    selecting.check(study, only)
    kept = {axis: one for axis, one in scaling.kept(study, scale).items() if axis not in only}
    found = {key(cell.coordinates): cell for cell in every(study)}
    wanted: set[Key] = set()
    for cell in found.values():
        if admits(only, cell.coordinates) and admits(kept, cell.coordinates):
            _add(cell, found, wanted)
    if not wanted:
        raise UsageError(
            f"No cell of {study.name} is {selecting.words(only)} at scale {scale:g}; the study "
            "excludes this combination."
        )
    return tuple(
        Cell(
            coordinates=cell.coordinates,
            kinds=cell.kinds,
            options=scaling.scaled(study, cell.options, scale),
        )
        for place, cell in found.items()
        if place in wanted
    )


def key(coordinates: Coordinates) -> Key:
    return frozenset(coordinates.items())


def _add(cell: Cell, found: dict[Key, Cell], wanted: set[Key]) -> None:
    """With all that must be measured before it."""
    if key(cell.coordinates) in wanted:
        return
    wanted.add(key(cell.coordinates))
    for share in shares(cell.options).values():
        _add(found[key(in_cell(share, cell.coordinates).cell)], found, wanted)


def every(study: Study) -> Iterator[Cell]:
    """All of them, unscaled."""
    axes = [axis.name for axis in study.axes]
    for values in product(*(axis.values for axis in study.axes)):
        coordinates = {axis: value.name for axis, value in zip(axes, values, strict=True)}
        if not any(admits(excluded, coordinates) for excluded in study.excluded):
            yield _cell(study, coordinates, values)


def _cell(study: Study, coordinates: Coordinates, values: tuple[Value, ...]) -> Cell:
    options = dict(study.every)
    for value in values:
        options = laid_over(options, value.options)
    for override in study.overrides:
        if admits(override.when, coordinates):
            options = laid_over(options, override.options)
    kinds = dict.fromkeys(value.kind for value in values if value.kind)
    return Cell(coordinates=coordinates, kinds=tuple(kinds), options=settled(options))
