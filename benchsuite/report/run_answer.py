"""What one run answers: a sentence, four figures, what makes it doubtful, and what to do next."""

from collections.abc import Sequence
from datetime import UTC, datetime

from django.utils.formats import date_format
from django.utils.timezone import localtime

from benchsuite.comparing.answer import own_targets
from benchsuite.comparing.titles import level_title, load_title, units_of, workload_title
from benchsuite.core import units
from benchsuite.core.answer import Answer, Tile
from benchsuite.core.commands import command
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Metric, Place, was_asked
from benchsuite.core.results import Level, Status, Verdict
from benchsuite.core.specs import OPEN
from benchsuite.models import Finding, Run
from benchsuite.report import parts
from benchsuite.report.pages.html import state
from benchsuite.report.parts import climb_words, overload_words
from benchsuite.report.sentences import became, figure
from benchsuite.store import expected_until, planned_s
from benchsuite.system import lock

FIRST = ("goodput", "p95_s", "failures", "memory_bytes")
WEIGHTS = (Verdict.INVALID.value, Verdict.WEAK.value, Level.INFO.value)


def of_run(run: Run, *, is_repeated: bool = False) -> Answer:
    """Its headline has at most 20 words; `verdict` is what became of the run where it has none.
    `is_repeated`: further runs of its configuration are shown with it.
    """
    doubts = [one for one in by_weight(run) if one.level != Level.INFO.value]
    heavy: list[Finding] = []  # those that give it its verdict; none of a valid run
    if run.verdict in (Verdict.WEAK.value, Verdict.INVALID.value):
        heavy = [finding for finding in doubts if finding.level == run.verdict] or doubts
    own, cautions = own_targets([(run.server, run.server_facts)]), []
    if run.status == Status.INTERRUPTED.value and run.goodput is not None:
        cautions.append("It was interrupted: the figures are of a shorter window.")
    if heavy:
        more = f" ({len(doubts) - 1} more below)" if len(doubts) > 1 else ""
        cautions.append(f"{heavy[0].code.split()[0]}: {heavy[0].message}{more}")
    step, command = _next(run, heavy, is_repeated=is_repeated)
    return Answer(
        title=f"{run.server} · {workload_title(run)}",
        headline=_headline(run),
        verdict=state(run),
        tiles=_first_tiles(run),
        reasons=[own] if own else [],
        cautions=cautions,
        next_steps=[step] if step else [],
        command=command,
    )


def by_weight(run: Run) -> list[Finding]:
    """Its findings, those that make it invalid first."""
    return sorted(run.findings.all(), key=lambda finding: WEIGHTS.index(finding.level))


def _headline(run: Run) -> str:
    if run.status == Status.RUNNING.value:
        until = date_format(localtime(expected_until(run)), "j M, H:i")
        left = planned_s(run) - (datetime.now(UTC) - run.started_at).total_seconds()
        end = "It should be done any moment."
        if not lock.can_be_seen(run.owner):
            host = lock.owner_host(run.owner)
            end = f"{host} measures it; without a result by {until} it counts as interrupted."
        elif left > 0:
            end = f"About {units.format_period(left)} to go."
        return f"{run.server} is being measured. {end}"
    if words := parts.idle_sentence(run):
        return f"{words}."
    if run.goodput is None:
        return f"{run.server} gave no result: the run {became(run)}."
    if words := climb_words(run) or overload_words(run):
        return f"{words}."
    is_invalid = run.verdict == Verdict.INVALID.value
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
    what = f"{units.format_number(run.goodput)} {units_of(run)}/s of {workload_title(run)}"
    load = f"{'at' if run.model == OPEN else 'from'} {load_title(run)}"
    return f"{run.server} {'seemed to answer' if is_invalid else 'answers'} {what} {load}; {end}."


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
        others = [tile for tile in parts.socket_tiles(run) if tile.title != "ended early"]
        return [*others[:3], _tile(run, every.figure("memory_bytes"))]
    level = level_title(run)
    notes = {
        "goodput": f"with {level}" if level else "",
        "failures": f"of {units.format_count(run.requests)}" if run.requests else "",
    }
    return [_tile(run, every.figure(name), note=notes.get(name, "")) for name in FIRST]


def _tile(run: Run, metric: Metric, *, title: str = "", note: str = "") -> Tile:
    text, reason = figure(run, metric)
    return Tile(title or metric.heading, text, note, reason)


def figures(run: Run) -> list[Tile]:
    """All figures of a run in their order; none of answers where nothing was asked."""
    tiles = parts.socket_tiles(run)
    for metric in every.in_place(Place.TILE):
        if (was_asked(run) or not metric.of_answers) and metric.only(run):
            title, note = metric.headline(units_of(run)), metric.note(run) if metric.note else ""
            tiles.append(_tile(run, metric, title=title, note=note))
    return tiles
