"""The charts of a study: one for each value of the axes that are no line and not across."""

import math
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from statistics import fmean
from typing import Any

from benchsuite.core.metrics.every import Unit
from benchsuite.core.units import in_words
from benchsuite.report.charts.drawing import Chart as Drawn
from benchsuite.report.charts.drawing import draw
from benchsuite.report.charts.series import Axis, Column, Scale, Series
from benchsuite.report.charts.styles import COLOURS, DASHES, Mark, dotted_line, points
from benchsuite.studies import figures, tables
from benchsuite.studies.measured import Execution, MeasuredCell
from benchsuite.studies.study import Chart, Coordinates, Study, names
from benchsuite.studies.tables import Beside


def charts(study: Study, execution: Execution, beside: Beside = ()) -> list[Drawn]:
    drawn, axes = [], names(study.axes)
    for number, chart in enumerate(study.charts, start=1):
        if chart.x not in axes:
            continue  # a stored file may have a figure there
        for rest in tables.open_axes(study, execution, {chart.line, chart.x}, chart.only):
            cells = tables.selected(execution, rest, chart.only)
            if series := _series(study, cells, chart, rest, number, beside):
                drawn.append(draw(series))
    return drawn


def _series(
    study: Study,
    cells: Sequence[MeasuredCell],
    chart: Chart,
    rest: Coordinates,
    number: int,
    beside: Beside,
) -> Series:
    metrics = {one.name: figures.metric(one) for one in study.figures}
    up = metrics[chart.y]
    lines = [("", 0)]  # the values with a line, and where in its axis, which gives its colour
    if chart.line:
        here = {one.coordinates[chart.line] for one in cells}
        every = names(study.axis(chart.line).values)
        lines = [(value, at) for at, value in enumerate(every) if value in here]
    places = _places(study, chart.x, cells)
    with_bars = any(isinstance(place, str) for place, _ in places)
    cell_at = {
        (one.coordinates[chart.x], one.coordinates.get(chart.line, "")): one for one in cells
    }
    where = tables.rest_title(study, rest, chart.only)
    title = chart.title or f"{up.headline()} by {chart.x}"
    across = Axis(chart.x, scale=Scale.LEVEL)
    columns = [Column(chart.x, chart.x, in_words)]
    values: list[list[Any]] = [[place for place, _ in places]]
    kinds: dict[str, Callable[..., float | None]]
    kinds = {"": _mean, "published": partial(_published, beside)}
    for kind, figure_of in kinds.items():
        for line, colour in lines:
            of_line = [figure_of(cell_at.get((value, line)), chart.y) for _, value in places]
            if kind and all(value is None for value in of_line):
                continue
            values.append(of_line)
            name = f"{line} {up.with_unit} {kind}".strip()
            shown = study.titles({chart.line: line}) if line else up.headline()
            shown += f", {kind}" * bool(kind)
            mark = _mark(colour, with_bars=with_bars, published=bool(kind))
            columns.append(Column(name, shown, partial(tables.written, up), mark=mark))
    note = "Means over the runs that count."
    note += " Hollow: what was published." * (len(columns) > 1 + len(lines))
    slug = re.sub(r"[^a-zA-Z0-9_]+", "-", f"chart-{number}-{'-'.join(rest.values())}").strip("-")
    table = tuple(zip(*values, strict=True))
    whole = f"{title}: {where}" if where else title
    behind, unit, per, scale = UNITS.get(up.unit, ("", "", 1, Scale.QUANTITY))
    upwards = Axis(f"{up.headline()}{behind}", unit, per, scale)
    return Series(slug, whole, across, upwards, tuple(columns), table, note)


def _places(study: Study, axis: str, cells: Sequence[MeasuredCell]) -> list[tuple[Any, str]]:
    """Where each value of the axis lies that is here: at its number, or its title among words."""
    here = {one.coordinates[axis] for one in cells}
    values = [one for one in names(study.axis(axis).values) if one in here]
    with suppress(ValueError):  # a word is among them
        if all(math.isfinite(float(value)) for value in values):
            return sorted((float(value), value) for value in values)
    return [(study.titles({axis: value}), value) for value in values]


def _mean(cell: MeasuredCell | None, figure: str) -> float | None:
    values = cell.measured(figure) if cell else []
    middle = fmean(values) if values else math.inf
    return None if math.isinf(middle) else middle


def _published(beside: Beside, cell: MeasuredCell | None, figure: str) -> float | None:
    value = tables.published_of(beside, cell.coordinates).get(figure) if cell else None
    return value if isinstance(value, float) else None


def _mark(at: int, *, with_bars: bool, published: bool) -> Mark:
    """Bars over words, else lines; hatched or hollow points where published."""
    colour = COLOURS[at % len(COLOURS)]
    if with_bars:
        pattern = {"shape": "/", "fillmode": "replace"} if published else {}
        return Mark({"type": "bar", "marker": {"color": colour, "pattern": pattern}})
    if published:
        return points(colour, "circle-open")
    return dotted_line(colour, DASHES[at % len(DASHES)])


UNITS: dict[Unit, tuple[str, str, float, Scale]] = {
    Unit.RATE: (" (per second)", " /s", 1, Scale.QUANTITY),
    Unit.BYTES: (" (MiB)", " MiB", 2**20, Scale.QUANTITY),
    Unit.CPUS: (" (CPUs)", "", 100, Scale.QUANTITY),
    Unit.SHARE: (" (%)", " %", 0.01, Scale.QUANTITY),
    Unit.SECONDS: ("", "", 1, Scale.DURATION),
}
