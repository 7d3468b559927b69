"""The kinds of users of a run that has several, as a table for the terminal."""

from collections.abc import Sequence

from benchsuite.core.metrics import every
from benchsuite.core.metrics.metric import Metric, Place, Unit
from benchsuite.core.samples import POPULATION
from benchsuite.models import Measurement, Run
from benchsuite.report.terminal.grid import Grid, spare


def populations(run: Run) -> list[Measurement]:
    """The figures of each of them; none where all users do the same."""
    return [one for one in run.measurements.all() if one.scope == POPULATION]


def columns_of_parts() -> list[Metric]:
    """Of tables of parts of a run: counts before the others."""
    return sorted(every.in_place(Place.PART), key=lambda one: one.unit is not Unit.COUNT)


def populations_table(runs: Sequence[Run]) -> Grid | None:
    """A row for each kind of users of each run; None when no run has several."""
    rows = [(run, one) for run in runs for one in populations(run)]
    if not rows:
        return None
    columns = columns_of_parts()
    return Grid(
        headings=["server", "users", *(one.heading for one in columns)],
        rows=[
            [run.server, part.name, *(one.show(one.of_part(part)) for one in columns)]
            for run, part in rows
        ],
        words=("users",),
        spare=spare(columns),
    )
