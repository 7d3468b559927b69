"""What one run answers: a sentence, four figures, what makes it doubtful, and what to do next."""

from collections.abc import Iterable, Iterator, Sequence

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.timezone import localtime

from benchsuite.bottlenecks.registry import Limit
from benchsuite.comparing.answer import own_targets
from benchsuite.comparing.titles import (
    level_title,
    load_title,
    units_beside,
    units_of,
    workload_title,
)
from benchsuite.core.answer import Answer, Tile
from benchsuite.core.commands import command
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Metric, Place, was_asked
from benchsuite.core.results import Level, Status, Verdict
from benchsuite.core.specs import OPEN
from benchsuite.core.units import (
    MISSING,
    format_count,
    format_duration,
    format_number,
    format_percent,
    format_period,
)
from benchsuite.models import Finding, Measurement, Run
from benchsuite.report import sockets
from benchsuite.report.levels import climb_words, overload_words
from benchsuite.report.pages.html import state
from benchsuite.report.sentences import became, missing_reason
from benchsuite.store.abandoned import expected_until, planned_s
from benchsuite.system import lock

FIRST = ("goodput", "p95_s", "failures", "memory_bytes")
BUSY = "L01"  #: The limit whose remedy starts with knowing which functions use the CPU.


def of_run(
    run: Run,
    findings: Iterable[Finding] = (),
    measurements: Sequence[Measurement] = (),
    limits: Sequence[Limit] = (),
) -> Answer:
    """Its headline has at most 20 words; `verdict` is what became of the run where it has none."""
    findings = list(findings)
    heavy = gravest(run, findings)
    step, command = _next(run, heavy, limits)
    return Answer(
        title=f"{run.server} · {workload_title(run)}",
        headline=_headline(run, measurements),
        verdict=state(run),
        tiles=_first_tiles(run),
        reasons=list(filter(None, [own_targets([(run.server, run.server_facts)])])),
        cautions=list(_cautions(run, findings, heavy)),
        next_steps=[step] if step else [],
        command=command,
    )


def _headline(run: Run, measurements: Sequence[Measurement]) -> str:
    if run.status == Status.RUNNING.value:
        return f"{run.server} is being measured. {_remaining(run)}"
    if words := sockets.idle_sentence(run):
        return f"{words}."
    if run.goodput is None:
        return f"{run.server} gave no result: the run {became(run)}."
    if words := climb_words(run, measurements) or overload_words(run, measurements):
        return f"{words}."
    is_invalid = run.verdict == Verdict.INVALID.value
    answers = "seemed to answer" if is_invalid else "answers"
    what = f"{format_number(run.goodput)} {units_of(run)}/s of {workload_title(run)}"
    load = f"{'at' if run.model == OPEN else 'from'} {load_title(run)}"
    end = "don’t use this figure" if is_invalid else _how(run)
    return f"{run.server} {answers} {what} {load}; {end}."


def _how(run: Run) -> str:
    """How well: what failed, else how long nearly all took."""
    if not run.requests:
        return "nothing was asked"
    if run.failures:
        return f"{format_percent(100 * run.failures / run.requests)} failed"
    for percent, value in ((95, run.p95_s), (50, run.p50_s)):
        if value is not None:
            return f"{percent} % within {format_duration(value)}"
    return "nothing failed"


def _remaining(run: Run) -> str:
    if not lock.can_be_seen(run.owner):
        until = date_format(localtime(expected_until(run)), "j M, H:i")
        host = lock.owner_host(run.owner)
        return f"{host} measures it; without a result by {until} it counts as interrupted."
    left = planned_s(run) - (timezone.now() - run.started_at).total_seconds()
    return f"About {format_period(left)} to go." if left > 0 else "It should be done any moment."


def gravest(run: Run, findings: Sequence[Finding]) -> list[Finding]:
    """Those that give it its verdict; none of a valid run."""
    if run.verdict not in (Verdict.WEAK.value, Verdict.INVALID.value):
        return []
    heavy = [finding for finding in findings if finding.level == run.verdict]
    return heavy or [finding for finding in findings if finding.level != Level.INFO.value]


def _cautions(run: Run, findings: Sequence[Finding], heavy: Sequence[Finding]) -> Iterator[str]:
    if run.status == Status.INTERRUPTED.value and run.goodput is not None:
        yield "It was interrupted: the figures are of a shorter window."
    if heavy:
        doubts = sum(finding.level != Level.INFO.value for finding in findings)
        more = f" ({doubts - 1} more below)" if doubts > 1 else ""
        yield f"{heavy[0].code.split()[0]}: {heavy[0].message}{more}"


def _next(run: Run, heavy: Sequence[Finding], limits: Sequence[Limit]) -> tuple[str, str]:
    """One thing to do, and the command that does it."""
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
    if any(limit.code.startswith(BUSY) for limit in limits) and not run.diagnosis:
        return "See which functions use the CPU:", f"{again} --flame"
    return "Repeat it to see how far runs differ:", f"{again} --repeat=5"


def _first_tiles(run: Run) -> list[Tile]:
    if run.goodput is None:
        return []
    if not was_asked(run):
        others = [one for one in sockets.figures(run) if one.title != "ended early"]
        return [*others[:3], _tile(run, every.figure("memory_bytes"))]
    tiles = [_tile(run, every.figure(name)) for name in FIRST]
    return [_with_note(run, tile) for tile in tiles]


def _with_note(run: Run, tile: Tile) -> Tile:
    notes = {
        "goodput": f"with {level}" if (level := level_title(run)) else "",
        "failed": f"of {format_count(run.requests)}" if run.requests else "",
    }
    return Tile(tile.title, tile.text, notes.get(tile.title, ""), tile.reason)


def _tile(run: Run, metric: Metric) -> Tile:
    value = metric.value(run)
    return Tile(
        metric.heading,
        MISSING if value is None else metric.show(value, units_beside(run)),
        reason=missing_reason(run, metric) if value is None else "",
    )


def figures(run: Run) -> list[Tile]:
    """All figures of a run in their order; none of answers where nothing was asked."""
    asked = was_asked(run)
    shown = [
        metric
        for metric in every.in_place(Place.TILE)
        if (asked or not metric.of_answers) and metric.only(run)
    ]
    return [
        *sockets.figures(run),
        *(
            Tile(
                metric.headline(units_of(run)),
                tile.text,
                metric.note(run) if metric.note else "",
                tile.reason,
            )
            for metric in shown
            for tile in [_tile(run, metric)]
        ),
    ]
