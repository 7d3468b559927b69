"""The tables of a study: measured beside published, and what it answers to its questions."""

import math
from collections.abc import Sequence
from itertools import product
from statistics import fmean

from benchsuite.core.answer import Shown, Table
from benchsuite.core.metrics.every import Metric
from benchsuite.studies import figures, published
from benchsuite.studies.claims import Arm, Lead, Situation, answered
from benchsuite.studies.claims import written as ratio_words
from benchsuite.studies.measured import Execution, MeasuredCell, State, reasons
from benchsuite.studies.study import Coordinates, Selector, Study, admits, cell_title, names
from benchsuite.studies.study import Table as Layout

MEASURED, PUBLISHED = "measured", "published"


def tables(study: Study, execution: Execution, rows: Sequence[published.Row]) -> list[Table]:
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
    axes = [axis for axis in study.axes if axis.name not in taken]
    combinations: list[Coordinates] = [
        dict(zip([axis.name for axis in axes], values, strict=True))
        for values in product(*(names(axis.values) for axis in axes))
    ]
    return [rest for rest in combinations if selected(execution, rest, only)]


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
    table: Layout,
    rest: Coordinates,
) -> Table:
    cells = {
        (one.coordinates[table.rows], one.coordinates[table.columns]): one
        for one in selected(execution, rest, table.only)
    }
    metrics = {one.name: figures.metric(one) for one in study.figures if one.name in table.figures}
    columns: list[tuple[str, str]] = []  # value of the axis, and measured or published
    for value in names(study.axis(table.columns).values):
        mine = [one for (_, column), one in cells.items() if column == value]
        if mine:
            columns.append((value, MEASURED))
        if any(metrics.keys() & published.of(rows, one.coordinates).keys() for one in mine):
            columns.append((value, PUBLISHED))
    several = any(kind == PUBLISHED for _, kind in columns)
    headings = [f"{value}, {kind}" if several else value for value, kind in columns]
    lines: list[list[Shown | str]] = [
        [
            value,
            metrics[figure].headline(),
            *(
                _entry(cells.get((value, column)), metrics[figure], rows, kind)
                for column, kind in columns
            ),
        ]
        for value in names(study.axis(table.rows).values)
        for figure in table.figures
        if any(row == value for row, _ in cells)
    ]
    title = table.title or ", ".join(metrics[one].headline() for one in table.figures)
    where = rest_title(study, {axis: v for axis, v in rest.items() if axis not in table.only})
    title = f"{title}: {where}" if where else title
    return Table([table.rows, "figure", *headings], lines, title=title, figures=headings)


def _entry(
    cell: MeasuredCell | None, metric: Metric, rows: Sequence[published.Row], kind: str
) -> Shown:
    if cell is None:
        return Shown.missing("no such configuration in this execution")
    if kind == MEASURED:
        return shown(cell, metric)
    value = published.of(rows, cell.coordinates).get(metric.name)
    if value is None:
        return Shown.missing("not published")
    values = cell.values(metric.name)
    times = published.times_published(fmean(values) if values else None, value)
    note = f"measured {times:.3g} ×" if times is not None and not math.isinf(times) else ""
    return Shown(value if isinstance(value, str) else written(metric, value), note)


def shown(cell: MeasuredCell, metric: Metric) -> Shown:
    """The mean over the runs that count, with the least and the most."""
    values = cell.values(metric.name)
    if not values and cell.state is not State.MEASURED:
        return Shown.missing(cell.reason or cell.state.value)
    if not values:
        return Shown.missing(reasons(cell.starts) or "no run has this figure")
    ends = f"{written(metric, min(values))} – {written(metric, max(values))}"
    notes = [ends * (min(values) != max(values)), failed(cell)]
    return Shown(written(metric, fmean(values)), "; ".join(filter(None, notes)))


def failed(cell: MeasuredCell) -> str:
    """ "1 of 2 starts failed: B201"; empty where none did."""
    failed = [one for one in cell.counted if one.failed]
    words = f"{len(failed)} of {len(cell.counted)} runs failed: {reasons(failed)}"
    return words if failed else ""


def written(metric: Metric, value: float) -> str:
    return "without limit" if math.isinf(value) else metric.show(value)


HOW = """\
The best has the best mean over the runs that count, with its 95 % interval. What is not clearly \
different from it may be as good: the interval of their ratio holds 1, at 95 % for all that are \
compared with it together. What is behind has its ratio to the best. What failed (B2xx) in half of \
its runs or more is not named. Nobody is named where one that was measured has no run that counts, \
or one alone, or where half of the runs of one that is not behind are in doubt."""

LEADS = {Lead.ALONE: "●", Lead.SHARED: "◐", Lead.UNTOLD: "◐"}


def questions(study: Study, execution: Execution) -> list[Table]:
    """What the study answers to the questions of its file, a row for each situation."""
    made = []
    for question in answered(study, execution):
        figure = question.by.figure
        metric = next(figures.metric(one) for one in study.figures if one.name == figure)
        every = question.situations
        columns: dict[str, list[str]] = {
            "case": [rest_title(study, one.where) or "all" for one in every],
            "best": [f"{LEADS[one.lead]} {_best(one, metric)}" for one in every],
            Lead.SHARED: ["; ".join(_arm(arm, metric) for arm in one.best[1:]) for one in every],
            "behind": ["; ".join(map(_behind, one.behind)) for one in every],
            "failed": ["; ".join(_arm(arm, metric) for arm in one.failed) for one in every],
            "not known": ["; ".join(one.unknown) for one in every],
            "not measured": ["; ".join(one.absent) for one in every],
        }
        shown = {title: column for title, column in columns.items() if any(column)}
        nothing = " No configuration of it is part of this execution." * (not every)
        made.append(
            Table(
                list(shown),
                list(zip(*shown.values(), strict=True)),
                title=" ".join(question.answer.asks.split()),
                note=f"By {metric.headline()}; the {question.by.best} is the best.{nothing}",
            )
        )
    return made


def _best(situation: Situation, metric: Metric) -> str:
    first = _arm(situation.best[0], metric) if situation.best else ""
    of_those = f"; of those that count {first}" if first else ""
    return f"{Lead.UNTOLD}{of_those}" if situation.lead is Lead.UNTOLD else first


def _arm(arm: Arm, metric: Metric) -> str:
    """ "uvicorn 512 /s [501, 523] (1 of 2 starts failed: B201)" """
    value, low, high = arm.found.value, arm.found.low, arm.found.high
    words = written(metric, value) if value is not None else ""
    if low is not None and high is not None:
        words += f" [{written(metric, low)}, {written(metric, high)}]"
    why = failed(arm.cell)
    return f"{arm.name} {words}{f' ({why})' if why else ''}"


def _behind(arm: Arm) -> str:
    assert arm.ratio is not None
    value, low, high = arm.ratio.value, arm.ratio.low, arm.ratio.high
    between = f" [{ratio_words(low)}, {ratio_words(high)}]" if low is not None else ""
    return f"{arm.name} {ratio_words(value)} ×{between}"
