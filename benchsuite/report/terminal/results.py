"""What `runbench` and `checkbench` answer."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from benchsuite.comparing.answer import own_targets, ranking
from benchsuite.comparing.cells import Cell, cells
from benchsuite.comparing.titles import cell_titles, levels_title, units_beside
from benchsuite.core.answer import Answer, Section, Table
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Place
from benchsuite.core.results import UNREADABLE, Ceiling, Status
from benchsuite.core.units import MISSING, format_percent, format_rate, listed
from benchsuite.load.parent.ceiling import CONNECTIONS
from benchsuite.models import Run
from benchsuite.report import flames, run_answer
from benchsuite.report.limiting import limit_lines, middle
from benchsuite.report.pages import html
from benchsuite.report.parts import populations_table, sockets_table, stages_table
from benchsuite.report.sentences import doubt_lines, model_sentence
from benchsuite.report.terminal.grid import spare
from benchsuite.stats.levels import ceiling_doubt
from benchsuite.telemetry.machine import Check, State


def runs_answer(rows: Sequence[Run], margins: Mapping[str, float]) -> Answer:
    counted = [row for row in rows if not row.spec.get("diagnoses")]
    diagnosed = [row for row in rows if row not in counted]
    result_cells = cells(counted)
    card = _card(result_cells, margins)
    tables = (stages_table(counted), populations_table(counted), sockets_table(counted))
    own = own_targets((row.server, row.server_facts) for row in counted)
    return replace(
        card,
        title="runbench",
        table=results_table(result_cells),
        cautions=list(filter(None, dict.fromkeys([*card.cautions, model_sentence(counted), own]))),
        sections=[
            Section(title="Parts", brief=[table for table in tables if table]),
            Section(title="Findings", brief=doubt_lines(counted)),
            Section(title="What limits it", brief=limit_lines(result_cells, diagnosed)),
            Section(title="Functions", brief=flames.top_tables(diagnosed)),
        ],
    )


def _card(cells: Sequence[Cell], margins: Mapping[str, float]) -> Answer:
    """Which to take or, of a single configuration, what its run or its runs say."""
    if len(cells) > 1 and not any(cell.measured for cell in cells):
        return Answer(title="", headline="No run gave a result.")
    if len(cells) != 1:
        return ranking(cells, margins)
    (cell,) = cells
    many = len(cell.shown)
    is_repeated = many > 1 and bool(cell.figures(every.figure("goodput")))
    answer = run_answer.of_run(middle(cell) or cell.first, is_repeated=is_repeated)
    if is_repeated:
        words = f"{cell.first.server} answers {_goodput(cell)}, the mean of {many} runs."
        answer = replace(answer, headline=words)
    return replace(answer, cautions=[])


def results_table(cells: Sequence[Cell]) -> Table:
    """One row a configuration, most goodput first; figures are means over its runs."""
    runs = [run for cell in cells for run in cell.runs]
    figures = [one for one in every.in_place(Place.TERMINAL) if any(map(one.only, runs))]
    rows = []
    for title, cell in zip(cell_titles(cells), cells, strict=True):
        if cell.measured:
            word = cell.verdict.value if cell.verdict else ""
            verdict = f"{html.SHAPES[word]} {word}" if word else MISSING
        else:  # what became of them
            states = {run.status for run in cell.runs}
            words = (Status.FAILED.value, UNREADABLE, Status.INTERRUPTED.value)
            verdict = f"✗ {next((one for one in words if one in states), words[-1])}"
        values = {one.heading: one.show(cell.value(one)) for one in figures}
        if "goodput" in values:
            values["goodput"] = _goodput(cell)
        rows.append([title, cell.starts.number, *values.values(), verdict])
    numbers = ["runs", *(one.heading for one in figures)]
    less = spare(figures, runs=8)
    return Table(["server", *numbers, "verdict"], rows, figures=numbers, spare=less)


def _goodput(cell: Cell) -> str:
    """The mean and, with several starts, half the range between the extremes."""
    known = cell.figures(every.figure("goodput"))
    if not known:
        return MISSING
    mean = fmean(known)
    text = format_rate(mean, units_beside(cell.first))
    if level := levels_title(cell):
        text += f" at {level}"
    if len(cell.shown) > 1 and mean:
        return f"{text} ±{(max(known) - min(known)) / 2 / mean * 100:.1f} %"
    return text


SHAPES = {State.OK: "●", State.DOUBTFUL: "◐", State.BAD: "○"}


def machine_answer(checks: Sequence[Check]) -> Answer:
    """Whether this machine can measure, what keeps it from that, and what to do."""
    order = list(reversed(State))
    ordered = sorted(checks, key=lambda check: order.index(check.state))
    doubtful = [check.name for check in ordered if check.state is not State.OK]
    named = listed(doubtful) if doubtful else ""
    headlines = {
        State.OK: "This machine is ready: nothing was found that would disturb a run.",
        State.DOUBTFUL: f"Runs here may be off because of {named}.",
        State.BAD: f"Something disturbs runs here: {named}.",
    }
    rows = [
        [f"{SHAPES[check.state]} {check.state}", check.name, check.found, check.advice]
        for check in ordered
    ]
    worst = ordered[0].state if ordered else State.OK
    table = Table(["", "check", "found", "what to do"], rows)
    return Answer(title="checkbench", headline=headlines[worst], table=table)


def ceilings_table(ceilings: Iterable[Ceiling]) -> Table:
    figures = ["in flight", "ceiling", "load CPU", "responder CPU", "others"]
    rows = []
    for ceiling in ceilings:
        percents = (ceiling.load_cpu_percent, ceiling.responder_cpu_percent, ceiling.others_percent)
        doubt = f"not used: {why}" if (why := ceiling_doubt(ceiling)) else ""
        row = [ceiling.model, str(ceiling.users), CONNECTIONS[ceiling.keep_alive]]
        rows.append([*row, format_rate(ceiling.throughput), *map(format_percent, percents), doubt])
    heads = ["model", "in flight", "connections", *figures[1:], "doubt"]
    return Table(heads, rows, figures=figures, spare=("others", "responder CPU", "load CPU"))
