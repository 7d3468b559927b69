"""The charts of a study: one for each value of the axes that are no line and not across."""

import math
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from statistics import fmean

from benchsuite.core.metrics.every import Unit
from benchsuite.core.units import in_words
from benchsuite.report.charts.drawing import Chart as Drawn
from benchsuite.report.charts.drawing import draw
from benchsuite.report.charts.series import Axis, Column, Row, Scale, Series
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
    rows = _rows(study, chart, lines, cells, beside)
    with_bars = any(isinstance(row[0], str) for row in rows)
    where = tables.rest_title(study, rest, chart.only)
    title = chart.title or f"{up.headline()} by {chart.x}"
    across = Axis(chart.x, scale=Scale.LEVEL)
    columns, kept = [Column(chart.x, chart.x, in_words)], [0]
    for is_published in (False, True):
        behind, words = (" published", ", published") if is_published else ("", "")
        for at, (line, place) in enumerate(lines, start=1 + len(lines) * is_published):
            if is_published and all(len(row) <= at or row[at] is None for row in rows):
                continue
            name = f"{line} {up.with_unit}{behind}".strip()
            shown = f"{study.titles({chart.line: line}) if line else up.headline()}{words}"
            mark = _mark(place, with_bars=with_bars, published=is_published)
            columns.append(Column(name, shown, partial(tables.written, up), mark=mark))
            kept.append(at)
    note = "Means over the runs that count."
    note += " Hollow: what was published." * (len(columns) > 1 + len(lines))
    slug = re.sub(r"[^a-zA-Z0-9_]+", "-", f"chart-{number}-{'-'.join(rest.values())}").strip("-")
    table = tuple(tuple(row[at] for at in kept) for row in rows)
    whole = f"{title}: {where}" if where else title
    behind, unit, per, scale = UNITS.get(up.unit, ("", "", 1, Scale.QUANTITY))
    upwards = Axis(f"{up.headline()}{behind}", unit, per, scale)
    return Series(slug, whole, across, upwards, tuple(columns), table, note)


def _rows(
    study: Study,
    chart: Chart,
    lines: Sequence[tuple[str, int]],
    cells: Sequence[MeasuredCell],
    beside: Beside,
) -> list[Row]:
    """A row for each value, with what was measured and then what was published of each line."""
    here = {one.coordinates[chart.x] for one in cells}
    numbers, rows = list[float](), list[Row]()
    values = [one for one in names(study.axis(chart.x).values) if one in here]
    with suppress(ValueError):  # a word is among them
        numbers = [float(one) for one in values]
    titles = [study.titles({chart.x: one}) for one in values]
    cell_at = {
        (one.coordinates[chart.x], one.coordinates.get(chart.line, "")): one for one in cells
    }
    for place, value in zip(numbers or titles, values, strict=True):
        of_lines = [cell_at.get((value, line)) for line, _ in lines]
        measured = (_mean(cell, chart.y) for cell in of_lines)
        rows.append((place, *measured, *(_published(cell, chart.y, beside) for cell in of_lines)))
    if numbers:
        rows.sort(key=lambda row: float(row[0]))
    return rows


def _mean(cell: MeasuredCell | None, figure: str) -> float | None:
    values = cell.values(figure) if cell else []
    middle = fmean(values) if values else math.inf
    return None if math.isinf(middle) else middle


def _published(cell: MeasuredCell | None, figure: str, beside: Beside) -> float | None:
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
