"""The kinds of users of a run that has several, as a table for the terminal."""

from collections.abc import Sequence

from benchsuite.core.samples import POPULATION
from benchsuite.core.units import format_count, format_duration, format_rate
from benchsuite.models import Measurement, Run
from benchsuite.report.terminal.grid import Grid

TIMES = ("p50_s", "p95_s", "p99_s")


def populations(run: Run) -> list[Measurement]:
    """The figures of each of them; none where all users do the same."""
    return [one for one in run.measurements.all() if one.scope == POPULATION]


def populations_table(runs: Sequence[Run]) -> Grid | None:
    """A row for each kind of users of each run; None when no run has several."""
    rows = [(run, one) for run in runs for one in populations(run)]
    if not rows:
        return None
    return Grid(
        headings=["server", "users", "goodput", "p50", "p95", "p99", "failed"],
        rows=[
            [
                run.server,
                one.name,
                format_rate(one.goodput),
                *(format_duration((one.response_time or {}).get(time)) for time in TIMES),
                format_count(one.failures),
            ]
            for run, one in rows
        ],
        words=("users",),
    )
