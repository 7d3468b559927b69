"""The tables that `runbench` and `checkbench` print."""

from collections.abc import Iterable, Sequence

from rich.text import Text

from benchsuite.comparing.cells import Cell
from benchsuite.comparing.titles import cell_titles, levels_title, units_beside
from benchsuite.core.metrics import every
from benchsuite.core.metrics.metric import Metric, Place
from benchsuite.core.results import UNREADABLE, Ceiling, Status, Verdict
from benchsuite.core.units import MISSING, format_percent, format_rate
from benchsuite.load.parent.ceiling import CONNECTIONS
from benchsuite.report.terminal.grid import Grid, spare
from benchsuite.stats.levels import ceiling_doubt
from benchsuite.telemetry.machine import Check, State

VERDICT_SHAPES = {Verdict.VALID: "●", Verdict.WEAK: "◐", Verdict.INVALID: "○"}
VERDICT_COLOURS = {Verdict.VALID: "green", Verdict.WEAK: "yellow", Verdict.INVALID: "red"}


def verdict_text(verdict: Verdict | None) -> Text:
    """The verdict as a shape and a word, coloured where colours are wanted."""
    if verdict is None:
        return Text(MISSING)
    return Text(f"{VERDICT_SHAPES[verdict]} {verdict.value}", style=VERDICT_COLOURS[verdict])


def results_table(cells: Sequence[Cell]) -> Grid:
    """One row a cell, most goodput first; figures are means over its starts."""
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
    """The mean and, with several starts, half the range between the extremes."""
    spread = cell.spread(every.figure("goodput"))
    if spread is None:
        return MISSING
    around = spread.half_range_percent
    text = format_rate(spread.mean, units_beside(cell.first))
    if level := levels_title(cell):
        text += f" at {level}"
    if len(cell.shown) > 1 and around is not None:
        return f"{text} ±{around:.1f} %"
    return text


SHAPES = {State.OK: "●", State.DOUBTFUL: "◐", State.BAD: "○"}
COLOURS = {State.OK: "green", State.DOUBTFUL: "yellow", State.BAD: "red"}


def checks_table(checks: Iterable[Check]) -> Grid:
    """One row a check, with what to do where something is to be done."""
    return Grid(
        headings=("", "check", "found", "what to do"),
        rows=[
            [
                Text(f"{SHAPES[check.state]} {check.state}", style=COLOURS[check.state]),
                check.name,
                check.found,
                check.advice,
            ]
            for check in checks
        ],
        words=("check",),
        prose=("found", "what to do"),
    )


def ceilings_table(ceilings: Iterable[Ceiling]) -> Grid:
    """One row for each load that was calibrated."""
    return Grid(
        headings=(
            *("model", "in flight", "connections", "ceiling", "load CPU", "responder CPU"),
            *("others", "doubt"),
        ),
        rows=[
            [
                one.model,
                str(one.users),
                CONNECTIONS[one.keep_alive],
                format_rate(one.throughput),
                format_percent(one.load_cpu_percent),
                format_percent(one.responder_cpu_percent),
                format_percent(one.others_percent),
                f"not used: {why}" if (why := ceiling_doubt(one)) else "",
            ]
            for one in ceilings
        ],
        words=("connections",),
        prose=("doubt",),
        spare=("others", "responder CPU", "load CPU"),
    )
