"""How many people came to the end, for workloads whose journeys have names of their own."""

from collections.abc import Sequence

from benchsuite.comparing.cells import Cell
from benchsuite.core.metrics import every
from benchsuite.core.results import is_completion
from benchsuite.core.units import format_count, format_number, format_period
from benchsuite.models import Run
from benchsuite.store.periods import windows_s


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
    told = [
        (run.completions or 0, f"{run.server}: {sentence}.")
        for cell in cells
        for run in cell.measured
        if (sentence := completions_sentence(run))
    ]
    return [line for _, line in sorted(told, key=lambda one: -one[0])]
