"""What `runbench` prints of the results: a row for each cell."""

from collections.abc import Sequence

from rich.text import Text

from benchsuite.comparing.cells import Cell
from benchsuite.comparing.titles import cell_titles, levels_title, units_beside
from benchsuite.core.metrics import every
from benchsuite.core.metrics.metric import Metric, Place
from benchsuite.core.results import UNREADABLE, Status, Verdict
from benchsuite.core.units import MISSING, format_rate
from benchsuite.report.terminal.grid import Grid, spare

SHAPES = {Verdict.VALID: "●", Verdict.WEAK: "◐", Verdict.INVALID: "○"}
COLOURS = {Verdict.VALID: "green", Verdict.WEAK: "yellow", Verdict.INVALID: "red"}


def verdict_text(verdict: Verdict | None) -> Text:
    """The verdict as a shape and a word, coloured where colours are wanted."""
    if verdict is None:
        return Text(MISSING)
    return Text(f"{SHAPES[verdict]} {verdict.value}", style=COLOURS[verdict])


def results_table(cells: Sequence[Cell]) -> Grid:
    """One row a cell, most goodput first; figures are medians over its starts."""
    figures = [
        one
        for one in every.in_place(Place.TERMINAL)
        if any(one.only(run) for cell in cells for run in cell.runs)
    ]
    return Grid(
        headings=["server", "runs", *(one.heading for one in figures), "verdict"],
        rows=[
            [
                title,
                cell.starts.number,
                *(_figure(cell, one) for one in figures),
                _verdict(cell),
            ]
            for title, cell in zip(cell_titles(cells), cells, strict=True)
        ],
        words=("verdict",),
        spare=spare(figures, runs=8),
    )


def _verdict(cell: Cell) -> Text:
    """Its verdict or, where no start has figures, what became of them."""
    if cell.measured:
        return verdict_text(cell.verdict)
    states = {run.status for run in cell.runs}
    words = (Status.FAILED.value, UNREADABLE, Status.INTERRUPTED.value)
    word = next((one for one in words if one in states), words[-1])
    return Text(f"✗ {word}", style="red")


def starts_lines(cells: Sequence[Cell]) -> list[str]:
    """How many starts count, of the cells of several of which not all do."""
    return [
        f"{title}: {cell.starts.words}."
        for title, cell in zip(cell_titles(cells), cells, strict=True)
        if len(cell.runs) > 1 and not cell.starts.is_whole
    ]


def _figure(cell: Cell, metric: Metric) -> str:
    return _goodput(cell) if metric.name == "goodput" else metric.show(cell.value(metric))


def _goodput(cell: Cell) -> str:
    """The median and, with several starts, half the range between the extremes."""
    spread = cell.spread("goodput")
    if spread is None:
        return MISSING
    around = spread.half_range_percent
    text = format_rate(spread.median, units_beside(cell.first))
    if level := levels_title(cell):
        text += f" at {level}"
    if len(cell.shown) > 1 and around is not None:
        return f"{text} ±{around:.1f} %"
    return text
