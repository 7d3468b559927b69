"""How many people came to the end, for workloads whose journeys have names of their own."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchsuite.comparing.cells import Cell
from benchsuite.core.results import is_completion
from benchsuite.core.units import format_count, format_number, format_period
from benchsuite.models import Measurement, Run
from benchsuite.store.periods import windows_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Completions:
    """Of journeys that began in the window, also when they ended after it."""

    completed: int
    failed: int
    per_minute: float  #: Completed within the window, for each minute of it.
    pages_per_s: float  #: Requests answered right, for each second of the window.
    first_failure: str  #: Which survey, which page and why; empty when none failed.


def completions(run: Run, measurements: Iterable[Measurement]) -> Completions | None:
    """None when the run's journeys have no names of their own, or nothing was measured.

    `measurements` may be all of the run's, or its journeys alone.
    """
    own = [one for one in measurements if is_completion(run.workload, one.scope, one.name)]
    if not own or run.goodput is None:
        return None
    failed = sum(one.failures for one in own)
    completed = sum(one.requests for one in own) - failed
    examples = [f"{one.name}: {text}" for one in own for text in one.failure_examples.values()]
    return Completions(
        completed=completed,
        failed=failed,
        per_minute=sum(one.goodput for one in own) * 60,
        pages_per_s=run.goodput,
        first_failure=next(iter(examples), ""),
    )


def completions_sentence(found: Completions, seconds: float) -> str:
    """48 completed in 6 s (480 a minute, 120 pages/s), none failed."""
    failed = "none failed" if not found.failed else f"{format_count(found.failed)} failed"
    sentence = (
        f"{format_count(found.completed)} completed in {format_period(seconds)} "
        f"({format_number(found.per_minute)} a minute, {format_number(found.pages_per_s)} pages/s),"
        f" {failed}"
    )
    return f"{sentence}, such as {found.first_failure}" if found.first_failure else sentence


def completion_lines(cells: Sequence[Cell]) -> list[str]:
    """One line a run, most completions first; none for other workloads."""
    told = [
        (found, f"{run.server}: {completions_sentence(found, windows_s(run))}.")
        for cell in cells
        for run in cell.measured
        if (found := completions(run, run.measurements.all()))
    ]
    return [line for _, line in sorted(told, key=lambda one: -one[0].completed)]
