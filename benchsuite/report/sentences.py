"""What a run says, in one plain sentence; for pages and the terminal alike."""

from collections.abc import Iterable, Sequence

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.timezone import localtime

from benchsuite.comparing.cells import Cell
from benchsuite.comparing.titles import (
    load_title,
    units_of,
    workload_title,
)
from benchsuite.core.metrics import every
from benchsuite.core.metrics.metric import Metric
from benchsuite.core.results import UNREADABLE, Level, Status, Verdict, is_completion
from benchsuite.core.samples import EVENT
from benchsuite.core.specs import CLOSED, OPEN
from benchsuite.core.units import (
    format_count,
    format_duration,
    format_number,
    format_percent,
    format_period,
)
from benchsuite.models import Finding, Measurement, Run
from benchsuite.report.levels import climb_words, overload_words
from benchsuite.report.sockets import idle_sentence
from benchsuite.stats.summary import samples_needed
from benchsuite.store.abandoned import expected_until, planned_s, windows_s
from benchsuite.system import lock


def run_sentence(
    run: Run, findings: Iterable[Finding] = (), measurements: Sequence[Measurement] = ()
) -> str:
    """What happened in this run, and whether its number can be believed."""
    what = f"{workload_title(run)} {'at' if run.model == OPEN else 'from'} {load_title(run)}"
    if run.status == Status.RUNNING.value:
        return f"{run.server} is being measured with {what}. {_remaining(run)}"
    if words := idle_sentence(run):
        return f"{words}; {_failed(run)}.{_doubt(run, list(findings))}"
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


def model_sentence(runs: Iterable[Run]) -> str:
    """What the closed model can't show; empty where no users wait for answers."""
    units = {run.unit for run in runs if run.model == CLOSED and run.requests}
    if not units:
        return ""
    lines = ["Closed model: coordinated omission possible."]
    if units - {EVENT}:
        lines.append("Users wait for their answers, so a slow server is asked less often.")
    if EVENT in units:
        lines.append("A stall that delays many events of a stream is one long time between two.")
    return " ".join(lines)


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


def completions_sentence(run: Run) -> str:
    """48 completed in 6 s (480 a minute, 120 pages/s), none failed, such as …; empty for a run
    whose journeys have no names of their own.
    """
    if run.completions is None:
        return ""
    per_minute = every.figure("completions_per_minute").value(run)
    failed = format_count(run.failed_completions) if run.failed_completions else "none"
    sentence = (
        f"{format_count(run.completions)} completed in {format_period(windows_s(run))} "
        f"({format_number(per_minute)} a minute, {format_number(run.goodput)} pages/s),"
        f" {failed} failed"
    )
    examples = [
        f"{one.name}: {text}"
        for one in run.measurements.all()
        if is_completion(run.workload, one.scope, one.name)
        for text in one.failure_examples.values()
    ]
    return f"{sentence}, such as {examples[0]}" if examples else sentence


def completion_lines(cells: Sequence[Cell]) -> list[str]:
    """One line a run, most completions first; none for other workloads."""
    lines = [
        (run.completions or 0, f"{run.server}: {sentence}.")
        for cell in cells
        for run in cell.measured
        if (sentence := completions_sentence(run))
    ]
    return [line for _, line in sorted(lines, key=lambda pair: -pair[0])]
