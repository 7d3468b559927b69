"""The charts of one run."""

import itertools
import math
from collections.abc import Iterable, Sequence

from benchsuite.comparing.titles import units_of, who_of
from benchsuite.core.results import Phase
from benchsuite.core.units import format_count, format_duration, format_rate
from benchsuite.models import Interval, Measurement, Run
from benchsuite.report import queries, sockets
from benchsuite.report.charts import marks, percentiles, readings, stages, styles
from benchsuite.report.charts import sockets as socket_charts
from benchsuite.report.charts.drawing import Chart, Shade, draw, share_time
from benchsuite.report.charts.series import (
    RESPONSE_TIME,
    SECOND,
    SECONDS,
    Axis,
    Column,
    Series,
    first,
    mean,
)
from benchsuite.report.stages import stages_of
from benchsuite.store.periods import planned_s

EDGE_S = 0.01  #: So little of a second may be missing of a whole one.


def charts(run: Run) -> list[Chart]:
    """The charts that have something to show."""
    measurements = list(run.measurements.all())
    total = next((one for one in measurements if one.scope == "all"), None)
    levels = stages_of(measurements)
    intervals = list(queries.intervals(run))
    read = sorted(run.readings.all(), key=lambda one: (one.second, one.part))
    answers = [
        stages.goodput(levels, units_of(run), who_of(run)),
        stages.response_times(levels, who_of(run)),
        goodput(run, intervals),
        response_times(intervals),
        distribution(total, units_of(run)),
    ]
    made = [
        *(answers if run.requests else ()),
        socket_charts.memory_of_connections(run),
        socket_charts.connections(intervals if sockets.keeps_connections(run) else ()),
        socket_charts.losses(intervals),
        *readings.charts(read),
    ]
    drawn = [draw(series) for series in made if series]
    ends = [*(one.second + 1 for one in intervals), *(one.second for one in read)]
    share_time(drawn, shades(intervals), max(ends, default=0.0))
    return drawn


def goodput(run: Run, intervals: Sequence[Interval]) -> Series:
    """Failures are drawn to the end; goodput as long as journeys begin."""
    until = whole_seconds(run, intervals)
    return Series(
        "goodput",
        "Goodput and failures",
        SECONDS,
        Axis(f"{units_of(run)} per second", "/s"),
        (
            SECOND,
            Column("phase", "phase", str, first),
            Column("users", "users", format_count),
            Column("goodput_per_s", "goodput", format_rate, mean, marks.steps(styles.GOOD, until)),
            Column("failures", "failed", format_count, sum, marks.bars(styles.BAD)),
        ),
        tuple((one.second, one.phase, one.users, one.successes, one.failures) for one in intervals),
        "Correct answers and failures by the second in which they finished.",
    )


def response_times(intervals: Iterable[Interval]) -> Series:
    return Series(
        "response-times",
        "Response time",
        SECONDS,
        RESPONSE_TIME,
        (
            SECOND,
            *(
                Column(f"{name}_s", name, format_duration, mark=marks.line(*look))
                for name, look in styles.PERCENTILES.items()
            ),
        ),
        tuple((one.second, one.p50_s, one.p95_s, one.p99_s) for one in intervals),
        "Percentiles of each second’s correct answers; one that a second has too few answers "
        "for is left out.",
    )


def distribution(total: Measurement | None, units: str) -> Series:
    """Response time against percentile and, where it differs, service time."""
    texts = {"response": total.response_histogram} if total and total.response_histogram else {}
    if total and total.service_histogram not in ("", *texts.values()):
        texts["service"] = total.service_histogram
    looks = {"response": marks.line(styles.GOOD), "service": marks.line("#ad8400", "dash")}
    columns = [
        Column(f"{name}_time_s", f"{name} time", format_duration, mark=looks[name])
        for name in texts
    ]
    return percentiles.distribution(columns, list(texts.values()), units)


def shades(intervals: Iterable[Interval]) -> list[Shade]:
    """(name, begin, end) of the seconds outside of a window; each stage has its own warm-up."""
    found = []
    for phase, group in itertools.groupby(intervals, key=lambda one: one.phase):
        seconds = [one.second for one in group]
        if phase != Phase.WINDOW.value:
            found.append((phase, float(seconds[0]), float(seconds[-1] + 1)))
    return found


def whole_seconds(run: Run, intervals: Iterable[Interval]) -> int:
    """How many seconds the load goes on for, but for a part of one at its end: after it answers
    only run out.
    """
    seconds = [one.second for one in intervals if one.phase != Phase.DRAIN.value]
    return min(max(seconds, default=-1) + 1, math.floor(planned_s(run) + EDGE_S))
