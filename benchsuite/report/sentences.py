"""Sentences about runs, for pages and the terminal alike."""

from collections.abc import Iterable, Sequence

from benchsuite.comparing.cells import Cell
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Metric
from benchsuite.core.results import UNREADABLE, Status, is_completion
from benchsuite.core.samples import EVENT
from benchsuite.core.specs import CLOSED
from benchsuite.core.units import (
    format_count,
    format_number,
    format_period,
)
from benchsuite.models import Run
from benchsuite.stats.summary import samples_needed
from benchsuite.store.abandoned import windows_s


def model_sentence(runs: Iterable[Run]) -> str:
    """What the closed model can't show; empty where no users wait for answers."""
    units = {run.unit for run in runs if run.model == CLOSED and run.requests}
    if not units:
        return ""
    lines = ["Under overload real waits would be longer; --rate shows them."] * bool(
        units - {EVENT}
    )
    if EVENT in units:
        lines.append("A stall that delays many events of a stream is one long time between two.")
    return " ".join(lines)


def missing_reason(run: Run, metric: Metric) -> str:
    """Why a figure is "—"."""
    if run.status == Status.RUNNING.value:
        return "still running"
    if run.goodput is None:
        return f"not measured: the run {became(run)}"
    if metric.percent:
        needed = samples_needed(metric.percent)
        answered = (run.requests or 0) - (run.failures or 0)
        return f"needs {format_count(needed)} right answers, and the run has {answered}"
    return "not recorded"


def became(run: Run) -> str:
    """What happened to a run without figures."""
    words = {
        Status.FAILED.value: "failed",
        Status.INTERRUPTED.value: "was interrupted",
        UNREADABLE: "can’t be read",
    }
    return words.get(run.status, "kept no figures")


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
