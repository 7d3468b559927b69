"""The levels of a run with several, as a table for the terminal and as points of charts."""

from collections.abc import Iterable, Sequence

from benchsuite.core.metrics import every
from benchsuite.core.metrics.metric import Metric, Place
from benchsuite.models import Measurement, Run
from benchsuite.report.terminal.grid import Grid, spare


def stages_of(measurements: Iterable[Measurement]) -> list[Measurement]:
    """The levels among these measurements, in their order; none where there was only one."""
    levels = [one for one in measurements if one.scope == "stage"]
    return sorted(levels, key=lambda one: one.order)


def band() -> list[Metric]:
    """The response times that are told of a level, from the shortest to the longest."""
    return [one for one in every.in_place(Place.STAGE) if one.of_times]


def stages_table(runs: Sequence[Run]) -> Grid | None:
    """A row for each level of each run that has several; None when no run has."""
    asked = [run for run in runs if run.requests]
    rows = [(run, stage) for run in asked for stage in stages_of(run.measurements.all())]
    if not rows:
        return None
    told = [one for one in every.in_place(Place.STAGE) if any(one.only(run) for run, _ in rows)]
    return Grid(
        headings=["server", "load", *(one.heading for one in told)],
        rows=[
            [run.server, stage.name, *(one.show(one.of_part(stage)) for one in told)]
            for run, stage in rows
        ],
        words=("load",),
        spare=spare(told),
    )
