"""The charts of one run."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from benchsuite.comparing.titles import units_of, who_of
from benchsuite.core.readings import DATABASE, LIMIT, WAITS_FOR
from benchsuite.core.results import Phase
from benchsuite.core.units import (
    format_bytes,
    format_count,
    format_duration,
    format_number,
    format_rate,
)
from benchsuite.models import Interval, Measurement, Reading, Run
from benchsuite.report import sockets
from benchsuite.report.charts import styles
from benchsuite.report.charts.drawing import Chart, Shade, draw, share_time
from benchsuite.report.charts.series import (
    MEMORY,
    RESPONSE_TIME,
    SECOND,
    SECONDS,
    Axis,
    Column,
    Mark,
    Scale,
    Series,
    aside,
    band,
    bars,
    dotted_line,
    first,
    line,
    mean,
    points,
    stacked,
    steps,
)
from benchsuite.report.levels import stages_of, times_of_levels
from benchsuite.stats import histogram
from benchsuite.stats.summary import RISK
from benchsuite.store.abandoned import planned_s, windows


def percentile_curves(columns: Sequence[Column], histograms: Sequence[str], units: str) -> Series:
    """A column for each encoded histogram; `units` are what was answered."""
    counted = [histogram.decode(text) if text else histogram.empty() for text in histograms]
    grids = [grid(histogram.size(one)) for one in counted]
    percents = sorted({percent for one in grids for percent in one})
    curves = [
        histogram.values_at(one, [percent for percent in percents if own and percent <= own[-1]])
        for one, own in zip(counted, grids, strict=True)
    ]
    return Series(
        "distribution",
        "Distribution of response times",
        Axis(f"percentile of the {units}", scale=Scale.PERCENTILE),
        Axis("time", scale=Scale.DURATION),
        (Column("percentile", "percentile", percent_text, first), *columns),
        tuple((percent, *(curve.get(percent) for curve in curves)) for percent in percents),
        "All correct answers of the window, drawn as far as their number carries.",
    )


def grid(count: int) -> list[float]:
    """Percentiles at even steps of the axis 1 / (1 − p), up to the last that `count` carries."""
    if not count:
        return []
    farthest = 1 / (1 - RISK ** (1 / count))
    steps = [10 ** (step / 20) for step in range(math.floor(20 * math.log10(farthest)) + 1)]
    marks = [1 / (1 - percent / 100) for percent in (50, 75, 95, 99, 99.9)]
    places = [*steps, *(mark for mark in marks if mark <= farthest), farthest]
    return sorted({round(100 * (1 - 1 / place), 6) for place in places})


def percent_text(percent: float) -> str:
    """A percentile with the digits that tell it from its neighbours: 50 %, 99.9 %, 99.968 %."""
    beyond = max(1 - percent / 100, 1e-9)
    digits = max(1, math.ceil(-math.log10(beyond)) - 1)
    return f"{f'{percent:.{digits}f}'.rstrip('0').rstrip('.')} %"


MOMENT = Column("second", "second", lambda second: f"{second:.1f}", first)


def of_readings(readings: Sequence[Reading]) -> list[Series]:
    return [cpu(readings), memory(readings), processes(readings), database_connections(readings)]


def cpu(readings: Iterable[Reading]) -> Series:
    return _by_part(
        readings,
        "cpu",
        "CPU",
        Axis("CPUs busy", per=100),
        "cpu_percent",
        lambda percent: format_number(None if percent is None else percent / 100),
        "CPUs busy in each second, by part; 1 is one CPU fully used.",
    )


def memory(readings: Iterable[Reading]) -> Series:
    return _by_part(
        readings,
        "memory",
        "Memory",
        MEMORY,
        "memory_bytes",
        format_bytes,
        "Proportional set size of each part’s whole process tree: shared pages are divided, not "
        "counted twice.",
    )


def processes(readings: Iterable[Reading]) -> Series:
    axis, note = Axis("processes"), "Living processes, by part."
    return _by_part(readings, "processes", "Processes", axis, "processes", format_count, note)


def database_connections(readings: Iterable[Reading]) -> Series:
    """The database's connections by state; empty where no database was asked."""
    counted = [
        (one.second, dict(one.counts)) for one in readings if one.part == DATABASE and one.counts
    ]
    limits = [counts.pop(LIMIT) for _, counts in counted if LIMIT in counts]
    limit = max(limits, default=None)
    names = {state for _, counts in counted for state in counts}
    states = sorted(one for one in names if not one.startswith(WAITS_FOR))
    return Series(
        "connections",
        "Database connections",
        SECONDS,
        Axis("connections"),
        (
            MOMENT,
            *(
                Column(state.replace(" ", "_"), state, format_count, mark=stacked(colour))
                for state, colour in zip(states, styles.COLOURS, strict=False)
            ),
            Column(LIMIT, LIMIT, format_count, mark=line(styles.BAD, "dash")),
        ),
        tuple(
            (round(second, 2), *(counts.get(state, 0) for state in states), limit)
            for second, counts in counted
        ),
        "Connections of the target by state, against the most that the database gives.",
    )


def _by_part(
    readings: Iterable[Reading],
    slug: str,
    title: str,
    axis: Axis,
    field: str,
    show: Callable[[Any], str],
    note: str,
) -> Series:
    """A column for each part that has this field."""
    known = [one for one in readings if getattr(one, field) is not None]
    ticks = _ticks(known)
    names = {one.part for one in known}
    parts = [*(part for part in styles.PARTS if part in names), *sorted(names - set(styles.PARTS))]
    return Series(
        slug,
        title,
        SECONDS,
        axis,
        (MOMENT, *(Column(f"{part}_{field}", part, show, mark=_mark(part)) for part in parts)),
        tuple(
            (
                round(min(one.second for one in tick.values()), 2),
                *(getattr(tick.get(part), field, None) for part in parts),
            )
            for tick in ticks
        ),
        note,
    )


def _mark(part: str) -> Mark:
    """Parts stand on each other; what measures stands beside them, as a line."""
    colour = styles.PARTS.get(part, styles.OTHER_PART)
    if part in styles.OF_MEASURING:
        return aside(colour, f"{part} (not stacked)")
    return stacked(colour, 1.5)


def _ticks(readings: Iterable[Reading]) -> list[dict[str, Reading]]:
    """Readings of the same moment together: the parts are read one after the other."""
    ticks: list[dict[str, Reading]] = []
    for reading in sorted(readings, key=lambda item: item.second):
        if ticks and reading.part not in ticks[-1]:
            begun = min(one.second for one in ticks[-1].values())
            if reading.second - begun < 0.5:
                ticks[-1][reading.part] = reading
                continue
        ticks.append({reading.part: reading})
    return ticks


MARKS = {
    "p50_s": dotted_line(styles.GOOD, name="median"),
    "p95_s": dotted_line(styles.GOOD, "dash"),
    "p90_s": band(styles.GOOD, "p10_s", "p10 to p90", 0.25),
    "max_s": band(styles.GOOD, "min_s", "min to max", 0.12),
}


def goodput_of_levels(levels: Sequence[Measurement], units: str, who: str) -> Series:
    """Goodput and failures of each level; `units` are what is answered, `who` asks for it."""
    axis = _axis(levels, who)
    mark = dotted_line(styles.GOOD)
    return Series(
        "stage-goodput",
        f"Goodput against {axis.title}",
        axis,
        Axis(f"goodput ({units} per second)", "/s"),
        (
            Column("level", axis.title, format_number),
            Column("goodput_per_s", "goodput", format_rate, mark=mark),
            Column("achieved_per_s", "sent", format_rate),
            Column("failures", "failed", format_count),
            Column("dropped", "dropped", format_count),
        ),
        tuple(
            (one.level, one.goodput, one.achieved_rate, one.failures, one.dropped) for one in levels
        ),
        "One point a level, each measured by itself.",
    )


def response_times_of_levels(levels: Sequence[Measurement], who: str) -> Series:
    """Least, p10, median, p90, p95 and longest response time of each level."""
    axis = _axis(levels, who)
    return Series(
        "stage-response-times",
        f"Response time against {axis.title}",
        axis,
        RESPONSE_TIME,
        (
            Column("level", axis.title, format_number),
            *(
                Column(one.name, one.heading, one.show, mark=MARKS.get(one.name))
                for one in times_of_levels()
            ),
        ),
        tuple((one.level, *(time.of_part(one) for time in times_of_levels())) for one in levels),
        "The line is the median; the areas reach from p10 to p90, and from least to longest.",
    )


def _axis(levels: Sequence[Measurement], who: str) -> Axis:
    is_open = any(one.achieved_rate is not None for one in levels)
    return Axis("arrivals per second" if is_open else f"{who}s", scale=Scale.LEVEL)


OPEN = Axis("open connections")
IDLE = Axis("idle connections", scale=Scale.LEVEL)

LOSSES = (
    Column("failures", "failed", format_count, sum, bars(styles.BAD)),
    Column("strays", "astray", format_count, sum, bars("#b8629a")),
    Column("closed", "connections ended", format_count, sum, bars("#8a8a8a")),
)
"""What goes wrong in a second; the names are those of an `Interval`."""


def open_connections(intervals: Iterable[Interval]) -> Series:
    return Series(
        "websockets",
        "Open connections",
        SECONDS,
        OPEN,
        (SECOND, Column("connections", "open", format_count, mark=steps(styles.GOOD))),
        tuple((one.second, one.connections) for one in intervals),
        "WebSockets or streams that were open at the end of each second.",
    )


def losses(intervals: Sequence[Interval]) -> Series:
    """None of it where there were no WebSockets, or where nothing went wrong."""
    wrong = any(lost(one) for one in intervals)
    return Series(
        "losses",
        "Losses",
        SECONDS,
        Axis("in each second"),
        (SECOND, *LOSSES),
        tuple(
            (one.second, *(getattr(one, column.name) for column in LOSSES))
            for one in (intervals if wrong else ())
        ),
        "In each second: messages or events that failed, among them the lost ones; those that came "
        "twice, out of order, damaged or to another connection; connections that the server ended.",
    )


def lost(interval: Interval) -> int | None:
    """All that went wrong in a second; None where there were no WebSockets."""
    if interval.strays is None or interval.closed is None:
        return None
    return interval.failures + interval.strays + interval.closed


def memory_of_connections(run: Run) -> Series:
    """The target's memory at each number of idle connections, and the line through it."""
    steps = idle_steps(run)
    each = run.connection_bytes
    middle = [sum(values) / len(steps) for values in zip(*steps, strict=True)]
    return Series(
        "connection-memory",
        "Memory against idle connections",
        IDLE,
        MEMORY,
        (
            Column("connections", "connections", format_count),
            Column("memory_bytes", "memory", format_bytes, mark=points(styles.GOOD)),
            Column("line_bytes", "line", format_bytes, mark=line(styles.GOOD, "dot")),
        ),
        tuple(
            (many, size, None if each is None else middle[1] + each * (many - middle[0]))
            for many, size in steps
        ),
        "The target’s memory while so many connections were open; the slope of the line is what "
        "each takes.",
    )


def idle_steps(run: Run) -> list[tuple[int, float]]:
    """Numbers of idle connections, and the target's memory with so many; none of other runs."""
    idle = (run.websockets or {}).get("idle") or {"steps": ()}
    return [(many, size) for many, size in idle["steps"]]


EDGE_S = 0.01  #: So little of a second may be missing of a whole one.


def charts(run: Run) -> list[Chart]:
    """The charts that have something to show."""
    measurements = list(run.measurements.all())
    total = next((one for one in measurements if one.scope == "all"), None)
    levels = stages_of(measurements)
    intervals = list(run.intervals.all())
    read = sorted(run.readings.all(), key=lambda item: (item.second, item.part))
    answers = [
        goodput_of_levels(levels, units_of(run), who_of(run)),
        response_times_of_levels(levels, who_of(run)),
        goodput(run, intervals),
        response_times(intervals),
        distribution(total, units_of(run)),
    ]
    made = [
        *(answers if run.requests else ()),
        memory_of_connections(run),
        open_connections(intervals if sockets.keeps_connections(run) else ()),
        losses(intervals),
        *of_readings(read),
    ]
    drawn = [draw(series) for series in made if series]
    ends = [*(one.second + 1 for one in intervals), *(one.second for one in read)]
    share_time(drawn, shades(run, intervals), max(ends, default=0.0))
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
            Column("goodput_per_s", "goodput", format_rate, mean, steps(styles.GOOD, until)),
            Column("failures", "failed", format_count, sum, bars(styles.BAD)),
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
                Column(f"{name}_s", name, format_duration, mark=line(*look))
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
    looks = {"response": line(styles.GOOD), "service": line("#ad8400", "dash")}
    columns = [
        Column(f"{name}_time_s", f"{name} time", format_duration, mark=looks[name])
        for name in texts
    ]
    return percentile_curves(columns, list(texts.values()), units)


def shades(run: Run, intervals: Sequence[Interval]) -> list[Shade]:
    """(name, begin, end) of the time outside of a window, as it was planned: a second that is
    partly warm-up is shaded as far as it was. Each stage has its own warm-up.
    """
    end_s = float(intervals[-1].second + 1) if intervals else 0.0
    inside = windows(run)
    bounds = [0.0, *(moment for window in inside for moment in window), end_s]
    outside = list(zip(bounds[::2], bounds[1::2], strict=True))
    names = [*([Phase.WARM_UP.value] * len(inside)), Phase.DRAIN.value]
    return [
        (name, begin, min(end, end_s))
        for name, (begin, end) in zip(names, outside, strict=True)
        if begin < min(end, end_s)
    ]


def whole_seconds(run: Run, intervals: Iterable[Interval]) -> int:
    """How many seconds the load goes on for, but for a part of one at its end: after it answers
    only run out.
    """
    seconds = [one.second for one in intervals if one.phase != Phase.DRAIN.value]
    return min(max(seconds, default=-1) + 1, math.floor(planned_s(run) + EDGE_S))
