"""What `runbench` prints: the plan, the progress, the table."""

from collections.abc import Sequence

from rich.text import Text

from benchsuite import conf
from benchsuite.comparing.cells import Cell
from benchsuite.comparing.setup import Around
from benchsuite.comparing.titles import cell_titles, levels_title, units_beside
from benchsuite.core.results import Status, Verdict
from benchsuite.core.samples import REQUEST
from benchsuite.core.specs import USER, DatabaseSpec, LoadProfile, RunSpec
from benchsuite.core.units import (
    MISSING,
    format_bytes,
    format_count,
    format_duration,
    format_period,
    format_rate,
)
from benchsuite.report.terminal.grid import Grid
from benchsuite.system.cpus import words

SHAPES = {Verdict.VALID: "●", Verdict.WEAK: "◐", Verdict.INVALID: "○"}
COLUMNS = (
    "server",
    "runs",
    "goodput",
    "p50",
    "p95",
    "p99",
    "failed",
    "CPU",
    "memory",
    "verdict",
)
COMPLETED = ("completed", "not completed")  #: Two more after "runs", where people come to an end.
SPARE = ("CPU", "p50", "runs", "p99", "memory", *COMPLETED[1:], "failed")
"""What a narrow terminal leaves out, the first first."""

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
    completes = any(cell.middle("completions") is not None for cell in cells)
    return Grid(
        headings=[*COLUMNS[:1], *(COMPLETED if completes else ()), *COLUMNS[1:]],
        rows=[
            [row[0], *(_completed(cell) if completes else ()), *row[1:]]
            for title, cell in zip(cell_titles(cells), cells, strict=True)
            for row in [_row(title, cell)]
        ],
        words=("verdict",),
        spare=SPARE,
    )


def _row(title: str, cell: Cell) -> tuple[str | Text, ...]:
    """A value for each of `COLUMNS`."""
    cpu = cell.middle("cpu_percent")
    failures = [run.failures for run in cell.shown if run.failures is not None]
    verdict = verdict_text(cell.verdict)
    if not cell.measured:
        states = {run.status for run in cell.runs}
        word = Status.FAILED.value if Status.FAILED.value in states else Status.INTERRUPTED.value
        verdict = Text(f"✗ {word}", style="red")
    return (
        title,
        cell.starts.number,
        _goodput(cell),
        format_duration(cell.middle("p50_s")),
        format_duration(cell.middle("p95_s")),
        format_duration(cell.middle("p99_s")),
        format_count(sum(failures)) if failures else MISSING,
        MISSING if cpu is None else f"{cpu / 100:.2f}",
        format_bytes(cell.middle("memory_bytes")),
        verdict,
    )


def starts_lines(cells: Sequence[Cell]) -> list[str]:
    """How many starts count, of the cells of several of which not all do."""
    return [
        f"{title}: {cell.starts.words}."
        for title, cell in zip(cell_titles(cells), cells, strict=True)
        if len(cell.runs) > 1 and not cell.starts.is_whole
    ]


def _completed(cell: Cell) -> tuple[str, str]:
    """Completions of a run, and those that failed; medians over its starts."""
    return (
        format_count(cell.middle("completions")),
        format_count(cell.middle("failed_completions")),
    )


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
