"""The levels of a run with several, as a table for the terminal and as points for a chart."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchsuite.core.units import format_count, format_duration, format_rate
from benchsuite.models import Measurement, Run
from benchsuite.report.terminal.grid import Grid

BAND = ("min_s", "p10_s", "p50_s", "p90_s", "p95_s", "max_s")


@dataclass(frozen=True, slots=True)
class Point:
    """One level: what a chart against users or rate needs."""

    name: str
    level: float  #: Users, or arrivals per second.
    goodput: float
    achieved_rate: float | None  #: Open model only.
    failures: int
    dropped: int | None  #: Open model only.
    response_time: dict[str, float | None]
    """Seconds at each of `BAND`; None where there were too few samples, or none."""


def points(run: Run) -> list[Point]:
    """The levels in their order; none when the run had only one."""
    return points_of(run.measurements.all())


def points_of(measurements: Iterable[Measurement]) -> list[Point]:
    """The levels among these measurements, in their order."""
    levels = [one for one in measurements if one.scope == "stage"]
    return [_point(one) for one in sorted(levels, key=lambda one: one.order)]


def stages_table(runs: Sequence[Run]) -> Grid | None:
    """A row for each level of each run that has several; None when no run has."""
    rows = [(run, point) for run in runs if run.requests for point in points(run)]
    if not rows:
        return None
    is_open = any(point.achieved_rate is not None for _, point in rows)
    headings = ["server", "load", "goodput", "min", "p10", "p50", "p90", "p95", "max", "failed"]
    return Grid(
        headings=headings + ["sent", "dropped"] * is_open,
        rows=[
            [
                run.server,
                point.name,
                format_rate(point.goodput),
                *(format_duration(point.response_time[name]) for name in BAND),
                format_count(point.failures),
                *([format_rate(point.achieved_rate), format_count(point.dropped)] * is_open),
            ]
            for run, point in rows
        ],
        words=("load",),
        spare=("p10", "p90", "min", "max", "sent", "p50"),
    )


def _point(stage: Measurement) -> Point:
    return Point(
        name=stage.name,
        level=stage.level or 0.0,
        goodput=stage.goodput,
        achieved_rate=stage.achieved_rate,
        failures=stage.failures,
        dropped=stage.dropped,
        response_time={name: stage.response_time.get(name) for name in BAND},
    )
