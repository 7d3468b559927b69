"""What `runbench` prints: the plan, the progress, the table."""

from collections.abc import Sequence

from rich.text import Text

from benchsuite import conf
from benchsuite.comparing.cells import Cell
from benchsuite.comparing.setup import Around
from benchsuite.comparing.titles import cell_titles, levels_title, units_beside
from benchsuite.core.metrics import every
from benchsuite.core.metrics.metric import Metric, Place
from benchsuite.core.results import Status, Verdict
from benchsuite.core.samples import REQUEST
from benchsuite.core.specs import USER, DatabaseSpec, LoadProfile, RunSpec
from benchsuite.core.units import MISSING, format_period, format_rate
from benchsuite.report.terminal.grid import Grid, spare
from benchsuite.system.cpus import words

SHAPES = {Verdict.VALID: "●", Verdict.WEAK: "◐", Verdict.INVALID: "○"}
COLOURS = {Verdict.VALID: "green", Verdict.WEAK: "yellow", Verdict.INVALID: "red"}


def plan_line(runs: Sequence[RunSpec], estimate_s: float) -> str:
    """One line: how many servers and repeats, which work, which load, how long."""
    first = runs[0]
    cells = {run.key: run.server for run in runs}.values()
    pythons = len({(server.python, server.environment) for server in cells})
    servers = len(cells) // pythons
    repeats = max(run.repetition for run in runs)
    load = first.load
    parts = [
        f"{servers} server{'s' * (servers > 1)}"
        + f" × {pythons} Pythons" * (pythons > 1)
        + f" × {repeats} repeats" * (repeats > 1),
        first.workload.workload,
        load.words_of(_who(first)),
        _periods(load),
        *["cookies kept"] * load.keep_cookies,
        *_around(first),
    ]
    seconds = format_period(round(estimate_s))
    return f"{', '.join(parts)} · {cpus_words(first)} · about {seconds}"


def _around(run: RunSpec) -> list[str]:
    """What stands around every server of the plan, where it is not the default."""
    around = Around.of_spec(run)
    data = around.database if run.database != DatabaseSpec(rows=run.database.rows) else ""
    delay = around.delay and f"{around.delay} added"
    told = (around.visitor, around.front, data, around.layer, delay, around.static)
    return [words for words in told if words]


def _who(run: RunSpec) -> str:
    """Who asks: connections, where those are what the workload is about."""
    return USER if conf.workload_class(run.workload.workload).unit == REQUEST else "connection"


def cpus_words(run: RunSpec) -> str:
    """Where server and load run: a server that may use fewer CPUs than there are must know it."""
    if run.server.cpus is None or run.load.cpus is None:
        return "server and load share all CPUs"
    crowded = run.server.processes is not None and run.server.processes > len(run.server.cpus)
    processes = f" with {run.server.processes} processes" * crowded
    return f"server{processes} on {words(run.server.cpus)}, load on {words(run.load.cpus)}"


def _periods(load: LoadProfile) -> str:
    if load.stages:
        return (
            f"{len(load.stages)} stages of {format_period(load.warmup_s)} warm-up + "
            f"{format_period(load.duration_s)}"
        )
    return f"{format_period(load.window_start_s)} warm-up + {format_period(load.duration_s)} each"


def plan_rows(runs: Sequence[RunSpec]) -> list[str]:
    """One line a run, in order: what `--dry-run` shows."""
    return [
        f"{number:>3}  {_server(run)}  {run.workload.workload}"
        f"  repetition {run.repetition}  seed {run.seed}"
        for number, run in enumerate(runs, start=1)
    ]


def _server(run: RunSpec) -> str:
    python = run.server.python_words
    return f"{run.server.server} ({python})" if python else run.server.server


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
    word = Status.FAILED.value if Status.FAILED.value in states else Status.INTERRUPTED.value
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
