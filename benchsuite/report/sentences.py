"""What a run or a comparison says, in one plain sentence each; for pages and the terminal alike."""

from collections.abc import Iterable, Sequence

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.timezone import localtime

from benchsuite import conf
from benchsuite.comparing.cells import Cell
from benchsuite.comparing.leading import leading_sentence
from benchsuite.comparing.margins import DEFAULT, metric
from benchsuite.comparing.titles import (
    cell_titles,
    levels_title,
    load_title,
    units_beside,
    units_of,
    workload_title,
)
from benchsuite.core.metrics.metric import Metric
from benchsuite.core.results import UNREADABLE, Level, Status, Verdict
from benchsuite.core.samples import EVENT
from benchsuite.core.specs import CLOSED, OPEN
from benchsuite.core.units import (
    format_count,
    format_duration,
    format_number,
    format_percent,
    format_period,
    format_ratio,
    listed,
)
from benchsuite.models import Finding, Measurement, Run
from benchsuite.report.levels import climb_words, overload_words
from benchsuite.report.sockets import idle_interval, idle_sentence
from benchsuite.stats.summary import samples_needed
from benchsuite.store.abandoned import expected_until
from benchsuite.store.periods import planned_s
from benchsuite.system import lock

CLOSE = 1.05
"""Below this ratio no winner is named: a few percent are within what one start differs by."""

STARTS_WANTED = 5  #: Fresh starts of each side that a comparison needs before it proves anything.


def questions(cells: Sequence[Cell]) -> list[Metric]:
    """What to rank these by: of idle connections, what each takes."""
    idle = any(cell.middle("connection_bytes") is not None for cell in cells)
    return [metric(name, conf.margins()) for name in (("connection",) if idle else DEFAULT)]


def run_sentence(
    run: Run, findings: Iterable[Finding] = (), measurements: Sequence[Measurement] = ()
) -> str:
    """What happened in this run, and whether its number can be believed."""
    what = f"{workload_title(run)} {'at' if run.model == OPEN else 'from'} {load_title(run)}"
    if run.status == Status.RUNNING.value:
        return f"{run.server} is being measured with {what}. {_remaining(run)}"
    if said := idle_sentence(run):
        return f"{said}; {_failed(run)}.{_doubt(run, list(findings))}"
    if run.goodput is None:
        return f"{run.server} gave no result for {what}: the run {_became(run)}."
    answered = f"{run.server} answered {format_number(run.goodput)} {units_of(run)}/s of {what}"
    parts = [climb_words(run, measurements) or overload_words(run, measurements) or answered]
    if times := _times(run):
        parts.append(times)
    parts.append(_failed(run))
    sentence = f"{'; '.join(parts)}."
    if run.status == Status.INTERRUPTED.value:
        sentence += " It was interrupted: the figures are of a shorter window."
    return f"{sentence}{_doubt(run, list(findings))}"


def ranking_sentence(cells: Sequence[Cell]) -> str:
    """Who answered most, and by how much, or why nobody is ranked; empty for a single cell."""
    first = question_sentence(cells, questions(cells)[0])
    if not first:
        return unranked_sentence(cells)
    parts = [first, starts_sentence(cells), thread_sentence(cells)]
    return " ".join(part for part in parts if part)


def unranked_sentence(cells: Sequence[Cell]) -> str:
    """Why no server is named first though there are several; empty when one is, or there is one."""
    ranked = [cell for (_, cell), _ in _ranked(cells, metric("goodput"))]
    if len(cells) < 2 or len(ranked) > 1:
        return ""
    if len({cell.unit for cell in cells if cell.is_sound}) > 1:
        return "Nothing is ranked: their answers are not of the same unit."
    out = [
        f"{title} {'is invalid' if cell.measured else 'has no figures'}"
        for title, cell in zip(cell_titles(cells), cells, strict=True)
        if cell not in ranked
    ]
    return f"Nothing is ranked: {listed(out)}."


def question_sentence(cells: Sequence[Cell], question: Metric) -> str:
    """Who is first in one figure, against the next; invalid cells take no part.

    Times and memory of different levels of a load are not ranked.
    """
    if not question.more_is_better and len(levels := {levels_title(cell) for cell in cells}) > 1:
        about = question.heading[:1].upper() + question.heading[1:]
        return f"{about} is not ranked: the figures are of {listed(sorted(filter(None, levels)))}."
    if said := leading_sentence(cells, question):
        return said
    ranked = _ranked(cells, question)
    if len(ranked) < 2:
        return ""
    (first, best), (second, next_best), *_ = ranked
    units = units_beside(first[1].first)
    shown, other = question.show(best, units), question.show(next_best, units)
    less, more = sorted((best, next_best))
    ratio = more / less if less else 1.0
    if next_best and (ratio < CLOSE or _overlap(first[1], second[1], question)):
        told = (
            f"{first[0]} and {second[0]} are too close to call in {question.heading}: "
            f"{shown} and {other}"
        )
        return f"{told}{_further(ranked, question)}."
    if not next_best or not best:
        return f"{first[0]} {question.won}: {shown}; {second[0]}: {other}."
    lost = question.lost.format(ratio=format_ratio(ratio), other=second[0], figure="")
    return f"{first[0]} {question.won}: {shown}, {lost} ({other})."


def _further(ranked: Sequence[tuple[tuple[str, Cell], float]], question: Metric) -> str:
    """The nearest of the others that is not too close to the best; empty without one."""
    (_, cell), best = ranked[0]
    for (title, other), value in ranked[2:]:
        low, high = sorted((best, value))
        if low and high / low >= CLOSE and not _overlap(cell, other, question):
            return f"; {title} had {question.show(value)}, {format_ratio(value / best)}"
    return ""


def starts_sentence(cells: Sequence[Cell]) -> str:
    """How many server starts the comparison stands on, and what more would give."""
    counts = sorted({len(cell.entering) for cell in cells if cell.is_sound})
    if not counts or counts[0] >= STARTS_WANTED:
        return ""
    if counts == [1]:
        many = "One start each"
    else:
        many = f"{'–'.join(str(count) for count in {counts[0]: 0, counts[-1]: 0})} starts each"
    return f"{many}: a difference may be chance; --repeat {STARTS_WANTED} would tell."


def thread_sentence(cells: Sequence[Cell]) -> str:
    """Warns that ASGI servers run sync views in a thread, when some of these do."""
    hopping: dict[str, str] = {}
    for run in (cell.first for cell in cells):
        facts = run.server_facts
        is_asgi = facts.get("interface") == "asgi" and facts.get("serves_project", True)
        if is_asgi and facts.get("async_twin"):
            hopping.setdefault(run.server, facts["async_twin"])
    if not hopping or len(hopping) == len({cell.first.server for cell in cells}):
        return ""
    verb = "runs" if len(hopping) == 1 else "run"
    return (
        f"{listed(list(hopping))} {verb} sync views in a thread (docs/reading-results.md): "
        f"compare with --workload={next(iter(hopping.values()))}."
    )


def model_sentence(runs: Iterable[Run]) -> str:
    """What the closed model can't show; empty where no users wait for answers."""
    units = {run.unit for run in runs if run.model == CLOSED and run.requests}
    if not units:
        return ""
    told = ["Closed model: coordinated omission possible."]
    if units - {EVENT}:
        told.append("Users wait for their answers, so a slow server is asked less often.")
    if EVENT in units:
        told.append("A stall that delays many events of a stream is one long time between two.")
    return " ".join(told)


def missing_reason(run: Run, metric: Metric) -> str:
    """Why a figure is "—"."""
    if run.status == Status.RUNNING.value:
        return "still running"
    if run.goodput is None:
        return f"not measured: the run {_became(run)}"
    if metric.percent:
        needed = samples_needed(metric.percent)
        answered = (run.requests or 0) - (run.failures or 0)
        return f"needs {format_count(needed)} right answers, and the run has {answered}"
    return "not recorded"


def _became(run: Run) -> str:
    words = {
        Status.FAILED.value: "failed",
        Status.INTERRUPTED.value: "was interrupted",
        UNREADABLE: "can’t be read",
    }
    return words.get(run.status, "kept no figures")


def _times(run: Run) -> str:
    tail = next(
        (
            f"{percent} % within {format_duration(value)}"
            for percent, value in ((99, run.p99_s), (95, run.p95_s))
            if value is not None
        ),
        "",
    )
    half = f"half within {format_duration(run.p50_s)}" if run.p50_s is not None else ""
    return ", ".join(part for part in (half, tail) if part)


def _failed(run: Run) -> str:
    again = f", {format_count(run.resent)} sent twice" if run.resent else ""
    if not run.failures:
        return f"nothing failed{again}"
    share = format_percent(run.failures / run.requests * 100) if run.requests else "all"
    failed = f"{format_count(run.failures)} of {format_count(run.requests)} failed ({share})"
    return f"{failed}{again}"


def _doubt(run: Run, findings: list[Finding]) -> str:
    if run.verdict not in (Verdict.WEAK.value, Verdict.INVALID.value):
        return ""
    heavy = [finding for finding in findings if finding.level == run.verdict]
    heavy = heavy or [finding for finding in findings if finding.level != Level.INFO.value]
    if not heavy:
        return f" The number is {run.verdict}."
    more = f" ({len(heavy) - 1} more below)" if len(heavy) > 1 else ""
    return f" The number is {run.verdict}: {_inside(heavy[0].message)}{more}."


def _inside(message: str) -> str:
    """A sentence as it reads after a colon."""
    text = message.strip().removesuffix(".")
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _remaining(run: Run) -> str:
    if not lock.can_be_seen(run.owner):
        return (
            f"It was started by a command on {lock.owner_host(run.owner)}, which can’t be seen "
            "from here; without a result by "
            f"{date_format(localtime(expected_until(run)), 'j M, H:i')}"
            " it counts as interrupted."
        )
    left = planned_s(run) - (timezone.now() - run.started_at).total_seconds()
    if left <= 0:
        return "It should be done any moment."
    return f"About {format_period(left)} to go."


def _ranked(cells: Sequence[Cell], question: Metric) -> list[tuple[tuple[str, Cell], float]]:
    """((title, cell), figure) of the cells that may be ranked, best first."""
    found = []
    for title, cell in zip(cell_titles(cells), cells, strict=True):
        value = cell.value(question)
        if value is not None and cell.is_sound:
            found.append(((title, cell), value))
    if question.of_answers and len({c.unit for (_, c), _ in found}) > 1:
        return []
    return sorted(found, key=lambda pair: pair[1], reverse=question.more_is_better)


def _overlap(first: Cell, second: Cell, question: Metric) -> bool:
    """Whether starts of the one lie among starts of the other; with one start it can't be seen, but
    where each start knows its own interval.
    """
    if question.name == "connection_bytes":
        (low, high), (other_low, other_high) = idle_interval(first), idle_interval(second)
        return low <= other_high and other_low <= high
    mine, theirs = first.spread(question.name), second.spread(question.name)
    if mine is None or theirs is None or min(len(first.entering), len(second.entering)) < 2:
        return False
    return mine.least <= theirs.most and theirs.least <= mine.most
