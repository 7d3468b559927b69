"""The tables of a study: measured beside published, which is no judgement, and its answers."""

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import fmean

from benchsuite.core.answer import Shown, Table
from benchsuite.core.exceptions import UsageError
from benchsuite.core.metrics.every import Metric, Unit
from benchsuite.core.units import counted, listed
from benchsuite.studies import figures
from benchsuite.studies.claims import Answered, Arm, Doubt, Lead, Situation, doubts_of_questions
from benchsuite.studies.claims import written as ratio_words
from benchsuite.studies.intervals import FEWEST, MOST_MORE, Interval
from benchsuite.studies.matrix import ALL
from benchsuite.studies.measured import Execution, MeasuredCell, State, reasons
from benchsuite.studies.study import Coordinates, Published, Selector, Study, admits, names
from benchsuite.studies.study import Table as Layout

MEASURED, PUBLISHED = "measured", "published"


Value = float | str  #: A text is a range or words, as they were published: "14.00-14.25".


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """What is published of the cells that have these values."""

    cell: Coordinates  #: Axes that the file doesn't name are left open.
    figures: Mapping[str, Value]  #: By the study's names.


Beside = Sequence[PublishedRow]


def published_rows(study: Study) -> list[PublishedRow]:
    """Of all its files; raises UsageError for one that can't be read."""
    folder = Path(study.path).parent
    return [row for each in study.published for row in _rows_of(folder / each.file, each)]


def published_of(rows: Beside, coordinates: Coordinates) -> dict[str, Value]:
    """What is published of a cell; a row that says more of it wins over one that says less."""
    values: dict[str, Value] = {}
    for row in sorted(rows, key=lambda other_row: len(other_row.cell)):
        if row.cell.items() <= coordinates.items():
            values |= row.figures
    return values


def _rows_of(path: Path, each: Published) -> list[PublishedRow]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = list(csv.DictReader(file))
    except (OSError, ValueError, csv.Error) as error:
        raise UsageError(f"published: {path.name} can't be read: {error}.") from error
    return [
        PublishedRow(
            {
                axis: each.names.get(axis, {}).get(line.get(column, ""), line.get(column, ""))
                for axis, column in each.cell.items()
            },
            {
                figure: value if isinstance(value, str) else value * each.factor.get(figure, 1.0)
                for figure, column in each.figures.items()
                if (value := _value(line.get(column))) is not None
            },
        )
        for line in lines
        if all(line.get(column) == value for column, value in each.only.items())
    ]


def _value(text: str | None) -> Value | None:
    """None for what is empty."""
    try:
        number = float(text) if text and text.strip() else None
    except ValueError:
        return text
    return number if number is None or math.isfinite(number) else text


def tables(study: Study, execution: Execution, rows: Beside) -> list[Table]:
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
    axes = {axis.name: names(axis.values) for axis in study.axes if axis.name not in taken}
    combinations = (dict(zip(axes, values, strict=True)) for values in product(*axes.values()))
    return [rest for rest in combinations if selected(execution, rest, only)]


def selected(execution: Execution, rest: Coordinates, only: Selector) -> list[MeasuredCell]:
    """The cells with these values that a table or chart is of."""
    return [
        one
        for one in execution.cells
        if rest.items() <= dict(one.coordinates).items() and admits(only, one.coordinates)
    ]


def rest_title(study: Study, rest: Coordinates, only: Selector = ALL) -> str:
    """What tells a table, chart or case from the others: no axis of one value, or selected."""
    telling = {axis.name for axis in study.axes if len(axis.values) > 1} - only.keys()
    distinct = {axis: value for axis, value in rest.items() if axis in telling}
    return study.titles(distinct, with_axes=True)


def _shape(
    study: Study, execution: Execution, rows: Beside, table: Layout, rest: Coordinates
) -> Table:
    cells = {
        (one.coordinates[table.rows], one.coordinates[table.columns]): one
        for one in selected(execution, rest, table.only)
    }
    metrics = {one.name: figures.metric(one) for one in study.figures if one.name in table.figures}
    columns: list[tuple[str, str]] = []  # value of the axis, and measured or published
    for value in names(study.axis(table.columns).values):
        if mine := [one for (_, column), one in cells.items() if column == value]:
            columns.append((value, MEASURED))
        if any(metrics.keys() & published_of(rows, one.coordinates).keys() for one in mine):
            columns.append((value, PUBLISHED))
    several = any(kind == PUBLISHED for _, kind in columns)
    headings = [
        study.titles({table.columns: value}) + f", {kind}" * several for value, kind in columns
    ]
    lines: list[list[Shown | str]] = []
    for value, figure in product(names(study.axis(table.rows).values), table.figures):
        if any(row == value for row, _ in cells):
            own = [(cells.get((value, column)), kind) for column, kind in columns]
            entries = [_entry(cell, metrics[figure], rows, kind) for cell, kind in own]
            lines.append([study.titles({table.rows: value}), metrics[figure].headline(), *entries])
    title = table.title or ", ".join(metrics[one].headline() for one in table.figures)
    where = rest_title(study, rest, table.only)
    title = f"{title}: {where}" if where else title
    return Table([table.rows, "figure", *headings], lines, title=title, figures=headings)


def _entry(cell: MeasuredCell | None, metric: Metric, rows: Beside, kind: str) -> Shown:
    if cell is None:
        return Shown.missing("no such configuration in this execution")
    if kind == MEASURED:
        return shown(cell, metric)
    value = published_of(rows, cell.coordinates).get(metric.name)
    if value is None:
        return Shown.missing("not published")
    return Shown(value if isinstance(value, str) else written(metric, value))


def shown(cell: MeasuredCell, metric: Metric) -> Shown:
    """The mean over the runs that count, with the least and the most."""
    values = cell.values(metric.name)
    if not values and cell.state is not State.MEASURED:
        return Shown.missing(cell.reason or cell.state.value)
    if not values:
        return Shown.missing(reasons(cell.starts) or "no run has this figure")
    ends = f"{written(metric, min(values))} – {written(metric, max(values))}"
    notes = [ends * (min(values) != max(values)), failed(cell)]
    least = "at least " * cell.is_floor(metric.name)
    return Shown(least + written(metric, fmean(values)), "; ".join(filter(None, notes)))


HOW = """\
The best has the best mean over the runs that count, with its 95 % interval. Others may be as good \
where the interval of their ratio to it holds 1, so that in 5 % at most one that is better is left \
out. What failed (B2xx) in half of its runs or more is not named, and nobody is where one that was \
measured has fewer than two runs that count, or where half of the runs of one that may be best are \
doubtful.\
"""

BAR = 24  #: Characters of the longest.
NUMBER = "0123456789. \N{NO-BREAK SPACE}\N{THIN SPACE}"


@dataclass(frozen=True, slots=True)
class Question:
    """What an execution answers to a question of its study."""

    asks: str
    cases: Mapping[str, Table | None]  #: The sentence of each, and its ranking, if there is one.
    changes: Sequence[str]  #: What may change the answer.
    answered: float  #: The share of cases that have an answer.

    @property
    def rankings(self) -> list[Table]:
        return [table for table in self.cases.values() if table]


def questions(study: Study, execution: Execution, answers: Sequence[Answered]) -> list[Question]:
    """All that the file of the study asks, in its order."""
    made = []
    for question in answers:
        metric = figures.metric(study.figure(question.by.figure))
        cases: dict[str, Table | None] = {}
        untold = [situation.lead is Lead.UNTOLD for situation in question.situations]
        for situation in sorted(question.situations, key=lambda case: case.lead is Lead.UNTOLD):
            title = rest_title(study, situation.where)
            words = f"{title}: " * bool(title) + sentence(situation, metric)
            cases[words] = _ranking(situation, metric, title, question.by.best)
        absent = dict.fromkeys(why for one in question.situations for why in one.absent)
        changes = [f"Not measured: {why.rstrip('.')}." for why in absent]
        mine = list(doubts_of_questions([question]))
        cases = cases or {"No configuration of it is part of this execution.": None}
        asks = " ".join(question.answer.asks.split())
        share = untold.count(False) / max(1, len(untold))
        made.append(Question(asks, cases, [*changes, *_more(mine)], share))
    return made


def sentence(situation: Situation, metric: Metric) -> str:
    """Who is best, by how much, or why that can't be told."""
    if situation.lead is Lead.UNTOLD:
        spoilt = [f"{one.name}: {why}" for one in situation.best if (why := failed(one.cell))]
        other = "all failed" if situation.failed else "fewer than two were measured"
        whys = [*situation.unknown, *spoilt, other]
        return f"It can’t be told here ({whys[0]})."
    first = situation.best[0]
    is_bare = metric.unit in (Unit.NUMBER, Unit.COUNT)
    with_figure = f"with {_figure(first, metric)}" + f" {metric.heading}" * is_bare
    if situation.lead is Lead.SHARED:
        names_of_all = listed([one.name for one in situation.best])
        return f"{names_of_all} may be equally good; {first.name} comes first {with_figure}."
    if not situation.behind:
        failing = listed([one.name for one in situation.failed])
        return f"{first.name} is best {with_figure}; {failing} failed."
    nearest = situation.behind[0]
    return f"{first.name} is best {with_figure}; {nearest.name} has {_times(nearest)} of that."


def _ranking(situation: Situation, metric: Metric, title: str, best: str) -> Table | None:
    """None with fewer than two."""
    arms = situation.measured
    if len(arms) < FEWEST:
        return None
    ends = [end for one in arms for end in (one.interval.value, one.interval.high)]
    most = max((end for end in ends if end and not math.isinf(end)), default=0.0)
    rows = []
    for arm in arms:
        beside = failed(arm.cell) if arm in situation.failed else _times(arm)
        rows.append([arm.name, _figure(arm, metric), beside, _bar(arm.interval, most)])
    figure = f"{metric.headline()}, the {best} is best"
    headings = ["", figure, "of the first", "█ at least, ░ at most"]
    notes = [f"Can’t be told: {arm}." for arm in situation.unknown]
    return Table(headings, rows, title=title, note=" ".join(notes))


def _figure(arm: Arm, metric: Metric) -> str:
    """ "512 /s [501, 523]": the unit once, where it is the same."""
    value, low, high = arm.interval.value, arm.interval.low, arm.interval.high
    words = "—" if value is None else written(metric, value)
    if low is None or high is None:
        return words
    if math.isinf(high) and not math.isinf(low):
        return f"at least {written(metric, low)}"
    ends, unit = [written(metric, low), written(metric, high)], words.lstrip(NUMBER)
    if unit != words and all(end.endswith(unit) for end in ends):
        ends = [end.removesuffix(unit).rstrip() for end in ends]
    return f"{words} [{', '.join(ends)}]"


def _times(arm: Arm) -> str:
    """ "0.62 × [0.5, 0.7]"; empty of the first."""
    if arm.ratio is None or arm.ratio.value is None:
        return ""
    value, low, high = arm.ratio.value, arm.ratio.low, arm.ratio.high
    if low == 0 and high:
        return f"at most {ratio_words(high)} ×"
    if low and high == math.inf:
        return f"at least {ratio_words(low)} ×"
    between = f" [{ratio_words(low)}, {ratio_words(high)}]" if low is not None else ""
    return f"{ratio_words(value)} ×{between}"


def _bar(interval: Interval, most: float) -> str:
    if interval.value is None or not most or math.isinf(interval.value):
        return ""
    low, high = (
        round(BAR * max(0.0, min(end, most)) / most)
        for end in (interval.value if end is None else end for end in (interval.low, interval.high))
    )
    return "█" * low + "░" * (high - low)


def _more(waiting: Sequence[Doubt]) -> list[str]:
    """How many runs more may tell apart what may be equally good."""
    if few := sorted({doubt.more for doubt in waiting if doubt.more}):
        least = f"{few[0]} to " * (len(few) > 1)
        return [f"{least}{counted(few[-1], 'more run')} of each may tell more of them apart."]
    return [f"{MOST_MORE} more runs of each would hardly tell them apart."] if waiting else []


def failed(cell: MeasuredCell) -> str:
    """ "1 of 2 runs failed: B201"; empty where none did."""
    failing = [one for one in cell.counted if one.failed]
    words = f"{len(failing)} of {len(cell.counted)} runs failed: {reasons(failing)}"
    return words if failing else ""


def written(metric: Metric, value: float | None) -> str:
    return "without limit" if value == math.inf else metric.show(value)
