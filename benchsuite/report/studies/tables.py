"""The tables of a study: measured beside published, in the layout that was published."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean

from benchsuite.core.metrics.metric import Metric
from benchsuite.core.units import MISSING
from benchsuite.report.shown import Shown
from benchsuite.studies import figures, published
from benchsuite.studies.measured import Execution, MeasuredCell, State, reasons
from benchsuite.studies.study import Coordinates, Selector, Study, Table, admits, cell_title, names

MEASURED, PUBLISHED = "measured", "published"


@dataclass(frozen=True, slots=True)
class Column:
    value: str  #: Of the axis of the columns.
    kind: str  #: Measured or published.


@dataclass(frozen=True, slots=True)
class Row:
    value: str
    figure: str
    entries: Sequence[Shown]


@dataclass(frozen=True, slots=True)
class Shape:
    """A table as it is written anywhere."""

    title: str
    axis: str
    columns: Sequence[Column]
    rows: Sequence[Row]

    @property
    def headings(self) -> list[str]:
        several = any(one.kind == PUBLISHED for one in self.columns)
        return [f"{one.value}, {one.kind}" if several else one.value for one in self.columns]


def tables(study: Study, execution: Execution, rows: Sequence[published.Row]) -> list[Shape]:
    """One for each value of the axes that a table leaves open."""
    return [
        shape
        for table in study.tables
        for rest in open_axes(study, execution, {table.rows, table.columns}, table.only)
        if (shape := _shape(study, execution, rows, table, rest)).rows
    ]


def open_axes(
    study: Study, execution: Execution, taken: set[str], only: Selector
) -> list[Coordinates]:
    """The combinations of values of all other axes that have a cell here."""
    others = [axis for axis in study.axes if axis.name not in taken]
    found: list[Coordinates] = []
    for values in product(*(names(axis.values) for axis in others)):
        rest: Coordinates = dict(zip([axis.name for axis in others], values, strict=True))
        if selected(execution, rest, only):
            found.append(rest)
    return found


def selected(execution: Execution, rest: Coordinates, only: Selector) -> list[MeasuredCell]:
    """The cells with these values that a table or chart is of."""
    return [
        one
        for one in execution.cells
        if rest.items() <= dict(one.coordinates).items() and admits(only, one.coordinates)
    ]


def rest_title(study: Study, rest: Coordinates) -> str:
    """What tells a table or chart from the others: axes with a single value don't."""
    several = {axis.name for axis in study.axes if len(axis.values) > 1}
    return cell_title({axis: value for axis, value in rest.items() if axis in several})


def _shape(
    study: Study,
    execution: Execution,
    rows: Sequence[published.Row],
    table: Table,
    rest: Coordinates,
) -> Shape:
    cells = {
        (one.coordinates[table.rows], one.coordinates[table.columns]): one
        for one in selected(execution, rest, table.only)
    }
    told = {one.name: figures.metric(one) for one in study.figures if one.name in table.figures}
    columns = []
    for value in names(study.axis(table.columns).values):
        mine = [one for (_, column), one in cells.items() if column == value]
        if mine:
            columns.append(Column(value, MEASURED))
        if any(told.keys() & published.of(rows, one.coordinates).keys() for one in mine):
            columns.append(Column(value, PUBLISHED))
    lines = [
        Row(
            value,
            told[figure].headline(),
            [_entry(cells.get((value, one.value)), told[figure], rows, one) for one in columns],
        )
        for value in names(study.axis(table.rows).values)
        for figure in table.figures
        if any(row == value for row, _ in cells)
    ]
    title = table.title or ", ".join(told[one].headline() for one in table.figures)
    where = rest_title(study, {axis: v for axis, v in rest.items() if axis not in table.only})
    return Shape(f"{title}: {where}" if where else title, table.rows, columns, lines)


def _entry(
    cell: MeasuredCell | None, metric: Metric, rows: Sequence[published.Row], column: Column
) -> Shown:
    if cell is None:
        return Shown(MISSING, reason="no such cell in this execution")
    if column.kind == MEASURED:
        return shown(cell, metric)
    value = published.of(rows, cell.coordinates).get(metric.name)
    if value is None:
        return Shown(MISSING, reason="not published")
    values = cell.values(metric.name)
    times = published.times_published(fmean(values) if values else None, value)
    note = f"measured {times:.3g} ×" if times is not None and not math.isinf(times) else ""
    return Shown(value if isinstance(value, str) else written(metric, value), note)


def shown(cell: MeasuredCell, metric: Metric) -> Shown:
    """The mean over the starts that count, with the least and the most."""
    values = cell.values(metric.name)
    if not values:
        return Shown(MISSING, reason=_why_not(cell))
    notes = []
    if len(values) > 1 and min(values) != max(values):
        notes.append(f"{written(metric, min(values))} – {written(metric, max(values))}")
    if why := failed(cell):
        notes.append(why)
    return Shown(written(metric, fmean(values)), "; ".join(notes))


def failed(cell: MeasuredCell) -> str:
    """ "1 of 2 starts failed: B201"; empty where none did."""
    failed = [one for one in cell.counted if one.failed]
    if not failed:
        return ""
    return f"{len(failed)} of {len(cell.counted)} starts failed: {reasons(failed)}"


def written(metric: Metric, value: float) -> str:
    return "without limit" if math.isinf(value) else metric.show(value)


def _why_not(cell: MeasuredCell) -> str:
    if cell.state is not State.MEASURED:
        return cell.reason or cell.state.value
    return reasons(cell.starts) or "no start has this figure"
