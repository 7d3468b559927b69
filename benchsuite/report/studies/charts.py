"""The charts of a study: one for each value of the axes that are no line and not across."""

import math
import re
from collections.abc import Callable, Sequence
from enum import Enum
from statistics import fmean
from typing import Any

from benchsuite.core.metrics.every import Metric, Unit
from benchsuite.core.units import in_words
from benchsuite.report.charts.drawing import Chart as Drawn
from benchsuite.report.charts.drawing import draw
from benchsuite.report.charts.series import (
    Axis,
    Column,
    Mark,
    Row,
    Scale,
    Series,
    beside_others,
    dotted_line,
    points,
)
from benchsuite.report.charts.styles import COLOURS, DASHES
from benchsuite.studies import figures, published
from benchsuite.studies.measured import Execution, MeasuredCell
from benchsuite.studies.study import Chart, Coordinates, Study, names
from benchsuite.studies.tables import open_axes, rest_title, selected, written


def charts(study: Study, execution: Execution, beside: Sequence[published.Row] = ()) -> list[Drawn]:
    """Those that have something to show."""
    drawn = []
    for number, chart in enumerate(study.charts, start=1):
        of_figure = chart.x in {figure.name for figure in study.figures}
        taken = (
            {axis.name for axis in study.axes} - {chart.small}
            if of_figure
            else {chart.line, chart.x}
        )
        for rest in open_axes(study, execution, taken, chart.only):
            series = _series(study, execution, chart, rest, number, beside)
            if series:
                drawn.append(draw(series))
    return drawn


def _series(
    study: Study,
    execution: Execution,
    chart: Chart,
    rest: Coordinates,
    number: int,
    beside: Sequence[published.Row],
) -> Series:
    metrics = {one.name: figures.metric(one) for one in study.figures}
    up = metrics[chart.y]
    cells = selected(execution, rest, chart.only)
    lines = _lines(study, chart, cells)
    if chart.x in metrics:
        rows, first, across = _of_figure(chart, metrics[chart.x], lines, cells)
    else:
        rows, first, across = _of_axis(study, chart, lines, cells, beside)
    kind = _kind(rows, of_figure=chart.x in metrics)
    where = rest_title(study, {axis: v for axis, v in rest.items() if axis not in chart.only})
    title = chart.title or f"{up.headline()} by {across.title}"
    columns = [
        Column(
            f"{line} {up.with_unit}".strip(),
            line or up.headline(),
            _show(up),
            mark=_mark(at, kind),
        )
        for line, at in lines
    ]
    has_published = [
        (at, line, place)
        for at, (line, place) in enumerate(lines, start=1 + len(lines))
        if any(len(row) > at and row[at] is not None for row in rows)
    ]
    columns += [
        Column(
            f"{line} {up.with_unit} published".strip(),
            f"{line or up.headline()}, published",
            _show(up),
            mark=_mark(place, kind, published=True),
        )
        for _, line, place in has_published
    ]
    kept = [*range(1 + len(lines)), *(at for at, _, _ in has_published)]
    return Series(
        slug=_slug(f"chart-{number}-{'-'.join(rest.values())}"),
        title=f"{title}: {where}" if where else title,
        across=across,
        up=_axis(up),
        columns=(first, *columns),
        rows=tuple(tuple(row[at] for at in kept) for row in rows),
        note="Means over the runs that count."
        + " Hollow: what was published." * bool(has_published),
    )


def _lines(study: Study, chart: Chart, cells: Sequence[MeasuredCell]) -> list[tuple[str, int]]:
    """The values with a line, and the place of each in its axis, which gives it its colour."""
    if not chart.line:
        return [("", 0)]
    here = {one.coordinates[chart.line] for one in cells}
    every = names(study.axis(chart.line).values)
    return [(value, at) for at, value in enumerate(every) if value in here]


def _of_axis(
    study: Study,
    chart: Chart,
    lines: Sequence[tuple[str, int]],
    cells: Sequence[MeasuredCell],
    beside: Sequence[published.Row],
) -> tuple[list[Row], Column, Axis]:
    """A row for each value, with what was measured and then what was published of each line."""
    here = {one.coordinates[chart.x] for one in cells}
    values = [one for one in names(study.axis(chart.x).values) if one in here]
    numbers = _numbers(values)
    rows: list[Row] = []
    for place, value in zip(numbers or values, values, strict=True):
        where = [{chart.x: value, **_at(chart, line)} for line, _ in lines]
        measured = (_mean(cells, chart.y, one) for one in where)
        rows.append((place, *measured, *(_published(cells, chart.y, one, beside) for one in where)))
    if numbers:
        rows.sort(key=_first)
    return rows, Column(chart.x, chart.x, in_words), Axis(chart.x, scale=Scale.LEVEL)


def _of_figure(
    chart: Chart, metric: Metric, lines: Sequence[tuple[str, int]], cells: Sequence[MeasuredCell]
) -> tuple[list[Row], Column, Axis]:
    """A point for each cell."""
    axis = _axis(metric)
    rows: list[Row] = []
    for cell in cells:
        place = _mean([cell], metric.name, {})
        if place is not None:
            mine = cell.coordinates.get(chart.line, "")
            of_lines = (_mean([cell], chart.y, {}) if line == mine else None for line, _ in lines)
            rows.append((place / axis.per, *of_lines))
    return sorted(rows, key=_first), Column(axis.title, axis.title), axis


def _first(row: Row) -> float:
    return float(row[0])


def _at(chart: Chart, line: str) -> Coordinates:
    return {chart.line: line} if chart.line else {}


def _mean(cells: Sequence[MeasuredCell], figure: str, where: Coordinates) -> float | None:
    for cell in cells:
        if where.items() <= dict(cell.coordinates).items() and (values := cell.values(figure)):
            middle = fmean(values)
            return None if math.isinf(middle) else middle
    return None


def _published(
    cells: Sequence[MeasuredCell], figure: str, where: Coordinates, beside: Sequence[published.Row]
) -> float | None:
    for cell in cells:
        if where.items() <= dict(cell.coordinates).items():
            value = published.of(beside, cell.coordinates).get(figure)
            return value if isinstance(value, float) else None
    return None


def _numbers(values: Sequence[str]) -> list[float]:
    """The values as numbers; none where one is a word."""
    try:
        return [float(one) for one in values]
    except ValueError:
        return []


class Kind(Enum):
    POINTS = "points"  #: Where both axes are figures.
    BARS = "bars"  #: Over words.
    LINES = "lines"


def _kind(rows: Sequence[Row], *, of_figure: bool) -> Kind:
    if of_figure:
        return Kind.POINTS
    return Kind.BARS if any(isinstance(row[0], str) for row in rows) else Kind.LINES


def _mark(at: int, kind: Kind, *, published: bool = False) -> Mark:
    """Of a value in its place of the axis; hollow or hatched where it was published."""
    colour = COLOURS[at % len(COLOURS)]
    if kind is Kind.BARS:
        pattern = {"shape": "/", "fillmode": "replace"} if published else {}
        return beside_others({"color": colour, "pattern": pattern})
    if kind is Kind.POINTS or published:
        return points(colour, "circle-open" if published else "circle")
    return dotted_line(colour, list(DASHES)[at % len(DASHES)])


UNITS: dict[Unit, tuple[str, str, float, Scale]] = {
    Unit.RATE: (" (per second)", " /s", 1, Scale.QUANTITY),
    Unit.BYTES: (" (MiB)", " MiB", 2**20, Scale.QUANTITY),
    Unit.CPUS: (" (CPUs)", "", 100, Scale.QUANTITY),
    Unit.SHARE: (" (%)", " %", 0.01, Scale.QUANTITY),
    Unit.SECONDS: ("", "", 1, Scale.DURATION),
}


def _axis(metric: Metric) -> Axis:
    behind, unit, per, scale = UNITS.get(metric.unit, ("", "", 1, Scale.QUANTITY))
    return Axis(f"{metric.headline()}{behind}", unit, per, scale)


def _show(metric: Metric) -> Callable[[Any], str]:
    return lambda value: metric.show(None) if value is None else written(metric, value)


def _slug(text: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_]+", "-", text).strip("-")
