"""What one run answers, what the runs of a command do, and whether a machine can measure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from statistics import fmean

from django.utils.timezone import localtime

from benchsuite.comparing import titles
from benchsuite.comparing.answer import own_targets, ranking
from benchsuite.comparing.cells import Cell, cells
from benchsuite.core import units
from benchsuite.core.answer import Answer, Section, Table, Tile
from benchsuite.core.commands import command
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Metric, Place, was_asked
from benchsuite.core.results import UNREADABLE, Ceiling, Level, Status, Verdict
from benchsuite.core.specs import OPEN
from benchsuite.load.parent.ceiling import CONNECTIONS
from benchsuite.models import Finding, Run
from benchsuite.report import parts
from benchsuite.report.limiting import limit_lines, middle, top_tables
from benchsuite.report.sentences import (
    SHAPES,
    became,
    doubt_lines,
    figure,
    model_sentence,
    reason,
    state,
)
from benchsuite.report.writers import spare
from benchsuite.stats.levels import ceiling_doubt
from benchsuite.store import expected_until, planned_s
from benchsuite.system import lock
from benchsuite.telemetry.machine import Check, State

FIRST = ("goodput", "p95_s", "failures", "memory_bytes")
LONGEST = 500  #: Characters of why a run failed, in its card.
NO_RESULT = (Status.FAILED.value, UNREADABLE, Status.INTERRUPTED.value)
"""Or not a whole one; what is told first of several runs comes first."""
WEIGHTS = (Verdict.INVALID.value, Verdict.WEAK.value, Level.INFO.value)


def of_run(run: Run, *, is_repeated: bool = False) -> Answer:
    """Its headline has at most 20 words; `is_repeated`: more runs of its cell are shown."""
    doubts = [one for one in by_weight(run) if one.level != Level.INFO.value]
    heavy: list[Finding] = []  # those that give it its verdict; none of a valid run
    if run.verdict in (Verdict.WEAK.value, Verdict.INVALID.value):
        heavy = [finding for finding in doubts if finding.level == run.verdict] or doubts
    own, cautions = own_targets([(run.server, run.server_facts)]), []
    why = (reason(run, LONGEST) or "No reason was recorded.") if run.status in NO_RESULT else ""
    if run.status == Status.INTERRUPTED.value and run.goodput is not None:
        cautions.append("It was interrupted: the figures are of a shorter window.")
    if heavy:
        more = f" ({len(doubts) - 1} more below)" if len(doubts) > 1 else ""
        cautions.append(f"{heavy[0].code.split()[0]}: {heavy[0].message}{more}")
    step, command = _next(run, heavy, is_repeated=is_repeated)
    return Answer(
        title=f"{run.server} · {titles.workload_title(run)}",
        headline=_headline(run),
        verdict=state(run),
        tiles=_first_tiles(run),
        reasons=list(filter(None, (why, own))),
        cautions=cautions,
        next_steps=[step] if step else [],
        command=command,
    )


def by_weight(run: Run) -> list[Finding]:
    """Its findings, those that make it invalid first."""
    return sorted(run.findings.all(), key=lambda finding: WEIGHTS.index(finding.level))


def _headline(run: Run) -> str:
    if run.status == Status.RUNNING.value:
        until = f"{localtime(expected_until(run)):%-d %b, %H:%M}"
        left = planned_s(run) - (datetime.now(UTC) - run.started_at).total_seconds()
        end = "It should be done any moment."
        if lock.has_ended(run.owner) is None:
            host = lock.owner_host(run.owner)
            end = f"{host} measures it; without a result by {until} it counts as interrupted."
        elif left > 0:
            end = f"About {units.format_period(left)} to go."
        return f"{run.server} is being measured. {end}"
    is_invalid = run.verdict == Verdict.INVALID.value
    if words := parts.idle_sentence(run):
        return f"{words}{'; don’t use this figure' * is_invalid}."
    if run.goodput is None:
        how = "" if run.status == Status.FAILED.value else f": the run {became(run)}"
        return f"{run.server} gave no result{how}."
    if words := parts.climb_words(run) or parts.overload_words(run):
        return f"{words}."
    if is_invalid:
        end = "don’t use this figure"
    elif not run.requests:
        end = "nothing was asked"
    elif run.failures:
        end = f"{units.format_percent(100 * run.failures / run.requests)} failed"
    elif known := run.p95_s or run.p50_s:
        end = f"{95 if run.p95_s else 50} % within {units.format_duration(known)}"
    else:
        end = "nothing failed"
    rate = f"{units.format_number(run.goodput)} {titles.units_of(run)}/s"
    what = f"{titles.workload_title(run)} {'at' if run.model == OPEN else 'from'}"
    answers = "seemed to answer" if is_invalid else "answers"
    return f"{run.server} {answers} {rate} of {what} {titles.load_title(run)}; {end}."


def _next(run: Run, heavy: Sequence[Finding], *, is_repeated: bool) -> tuple[str, str]:
    again = command("runbench", "--again", run.pk)
    if run.status == Status.RUNNING.value or run.unreadable:
        return "", ""
    if run.status == Status.INTERRUPTED.value:
        return "Run it again:", again
    if run.goodput is None:
        return "Run it again when that is mended:", again
    if any(finding.code.startswith("B4") for finding in heavy):
        return "See what keeps this machine busy, then run it again:", command("checkbench")
    if heavy:
        return "Follow the hint under Findings, then run it again:", again
    if is_repeated:
        return "", ""
    return "Repeat it to see how far runs differ:", f"{again} --repeat=5"


def _first_tiles(run: Run) -> list[Tile]:
    if run.goodput is None:
        return []
    if not was_asked(run):
        tiles = [tile for tile in parts.socket_tiles(run) if tile.title != "ended early"]
        return [*tiles[:3], _tile(run, every.figure("memory_bytes"))]
    level = titles.level_title(run)
    notes = {
        "goodput": f"with {level}" if level else "",
        "failures": f"of {units.format_count(run.requests)}" if run.requests else "",
    }
    return [_tile(run, every.figure(name), note=notes.get(name, "")) for name in FIRST]


def _tile(run: Run, metric: Metric, *, title: str = "", note: str = "") -> Tile:
    text, missing = figure(run, metric)
    return Tile(title or metric.heading, text, note, missing)


def figures(run: Run) -> list[Tile]:
    """All figures of a run in their order; none of answers where nothing was asked."""
    tiles = parts.socket_tiles(run)
    for metric in every.in_place(Place.TILE):
        if (was_asked(run) or not metric.of_answers) and metric.only(run):
            note = metric.note(run) if metric.note else ""
            tiles.append(_tile(run, metric, title=metric.headline(titles.units_of(run)), note=note))
    return tiles


def runs_answer(rows: Sequence[Run], margins: Mapping[str, float]) -> Answer:
    counted = [row for row in rows if not row.spec.get("diagnoses")]
    diagnosed = [row for row in rows if row not in counted]
    result_cells = cells(counted)
    card = card_of(result_cells, margins)
    tables = (parts.stages_table, parts.populations_table, parts.sockets_table)
    names = {run.pk: cell.title for cell in titles.titled(result_cells) for run in cell.runs}
    brief = [part for table in tables if (part := table(counted, names))]
    own = own_targets((row.server, row.server_facts) for row in counted)
    return replace(
        card,
        title="runbench",
        table=results_table(result_cells),
        cautions=list(filter(None, dict.fromkeys([*card.cautions, model_sentence(counted), own]))),
        sections=[
            Section(title="Parts", brief=brief),
            Section(title="Findings", brief=doubt_lines(counted, names)),
            Section(title="What limits it", brief=limit_lines(result_cells, diagnosed)),
            Section(title="Functions", brief=top_tables(diagnosed)),
        ],
    )


def card_of(cells: Sequence[Cell], margins: Mapping[str, float]) -> Answer:
    """Which to take or, of a single configuration, what its run or its runs say."""
    if len(cells) > 1 and not any(cell.measured for cell in cells):
        return Answer(title="", headline="No run gave a result.")
    if len(cells) != 1:
        return ranking(cells, margins)
    (cell,) = cells
    many = len(cell.shown)
    is_repeated = many > 1 and bool(cell.figures(every.figure("goodput")))
    answer = of_run(middle(cell) or cell.first, is_repeated=is_repeated)
    if is_repeated and cell.is_sound and cell.goodput:
        words = f"{cell.first.server} answers {_goodput(cell)}, the mean of {many} runs."
        answer = replace(answer, headline=words)
    return replace(answer, reasons=[], cautions=[])  # both are said of all runs together


def results_table(cells: Sequence[Cell]) -> Table:
    """One row a configuration, most goodput first; figures are means over its runs."""
    runs = [run for cell in cells for run in cell.runs]
    figures = [one for one in every.in_place(Place.TERMINAL) if any(map(one.only, runs))]
    rows = []
    for title, cell in zip(titles.cell_titles(cells), cells, strict=True):
        if cell.measured:
            word = cell.verdict.value if cell.verdict else ""
            verdict = f"{SHAPES[word]} {word}" if word else units.MISSING
        else:  # what became of them
            states = {run.status for run in cell.runs}
            verdict = f"✗ {next((one for one in NO_RESULT if one in states), NO_RESULT[-1])}"
        values = {one.heading: one.show(cell.value(one)) for one in figures}
        if "goodput" in values:
            values["goodput"] = _goodput(cell)
        rows.append([title, cell.starts.number, *values.values(), verdict])
    numbers = ["runs", *(one.heading for one in figures)]
    less = spare(figures, runs=8)
    return Table(["server", *numbers, "verdict"], rows, figures=numbers, spare=less)


def _goodput(cell: Cell) -> str:
    """The mean and, with several starts, half the range between the extremes."""
    if not (known := cell.figures(every.figure("goodput"))):
        return units.MISSING
    mean = fmean(known)
    text = units.format_rate(mean, titles.units_beside(cell.first))
    if level := titles.levels_title(cell):
        text += f" at {level}"
    if len(cell.shown) > 1 and mean:
        return f"{text} ±{(max(known) - min(known)) / 2 / mean * 100:.1f} %"
    return text


STATES = {State.OK: "●", State.DOUBTFUL: "◐", State.BAD: "○"}


def machine_answer(checks: Sequence[Check]) -> Answer:
    """Whether this machine can measure, what keeps it from that, and what to do."""
    order = list(reversed(State))
    ordered = sorted(checks, key=lambda check: order.index(check.state))
    doubtful = [check.name for check in ordered if check.state is not State.OK]
    named = units.listed(doubtful) if doubtful else ""
    headlines = {
        State.OK: "This machine is ready: nothing was found that would disturb a run.",
        State.DOUBTFUL: f"Runs here may be off because of {named}.",
        State.BAD: f"Something disturbs runs here: {named}.",
    }
    rows = [
        [f"{STATES[check.state]} {check.state}", check.name, check.text, check.advice]
        for check in ordered
    ]
    worst = ordered[0].state if ordered else State.OK
    table = Table(["", "check", "found", "what to do"], rows)
    return Answer(title="checkbench", headline=headlines[worst], table=table)


def ceilings_table(ceilings: Iterable[Ceiling]) -> Table:
    figures = ["in flight", "ceiling", "load CPU", "responder CPU", "others"]
    rows = []
    for ceiling in ceilings:
        cpus = (ceiling.load_cpu_percent, ceiling.responder_cpu_percent, ceiling.others_percent)
        doubt = f"not used: {why}" if (why := ceiling_doubt(ceiling)) else ""
        row = [ceiling.model, str(ceiling.users), CONNECTIONS[ceiling.keep_alive]]
        row += [units.format_rate(ceiling.throughput), *map(units.format_percent, cpus)]
        rows.append([*row, doubt])
    heads = ["model", "in flight", "connections", *figures[1:], "doubt"]
    return Table(heads, rows, figures=figures, spare=("others", "responder CPU", "load CPU"))
