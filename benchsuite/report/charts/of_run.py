"""The charts of one run, and its response times second by second as a heat map."""

import math
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchsuite.comparing.titles import units_of, who_of
from benchsuite.core import readings, units
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Place, whole
from benchsuite.core.readings import DATABASE, LIMIT, TARGET, WAITS_FOR
from benchsuite.core.results import Phase
from benchsuite.models import Interval, Measurement, Reading, Run
from benchsuite.report.charts import series, styles
from benchsuite.report.charts.drawing import Chart, Shade, draw, share_time
from benchsuite.report.charts.series import Axis, Column, Scale, Series, first
from benchsuite.report.charts.styles import band, bars, dotted_line, line, points, stacked, steps
from benchsuite.report.parts import stages_of
from benchsuite.stats import histogram
from benchsuite.stats.summary import RISK
from benchsuite.store import planned_s, windows

EDGE_S = 0.01  #: So little of a second may be missing of a whole one.


def charts(run: Run) -> list[Chart]:
    levels = stages_of(run.measurements.all())
    intervals = list(run.intervals.all())
    read = sorted(run.readings.all(), key=lambda reading: (reading.second, reading.part))
    answers = [
        goodput_of_levels(levels, units_of(run), who_of(run)),
        response_times_of_levels(levels, who_of(run)),
        goodput(run, intervals),
        response_times(intervals),
        distribution(whole(run), units_of(run)),
    ]
    made = [
        *(answers if run.requests else ()),
        memory_of_connections(run),
        *(by_part(read, slug) for slug in BY_PART),
        database_connections(read),
    ]
    drawn = [draw(one) for one in made if one]
    ends = [*(one.second + 1 for one in intervals), *(one.second for one in read)]
    share_time(drawn, shades(run, intervals), max(ends, default=0.0))
    return drawn


def goodput(run: Run, intervals: Sequence[Interval]) -> Series:
    """Failures are drawn to the end, goodput as long as journeys begin, in whole seconds."""
    begun = [one.second for one in intervals if one.phase != Phase.DRAIN.value]
    until = min(max(begun, default=-1) + 1, math.floor(planned_s(run) + EDGE_S))
    up = Axis(f"{units_of(run)} per second", "/s")
    columns = (
        series.SECOND,
        Column("phase", "phase", str, first),
        Column("users", "users", units.format_count),
        Column("goodput_per_s", "goodput", units.format_rate, fmean, steps(styles.GOOD, until)),
        Column("failures", "failed", units.format_count, sum, bars(styles.BAD)),
    )
    rows = ((one.second, one.phase, one.users, one.successes, one.failures) for one in intervals)
    note = "Correct answers and failures by the second in which they finished."
    return Series("goodput", "Goodput and failures", series.SECONDS, up, columns, tuple(rows), note)


def response_times(intervals: Iterable[Interval]) -> Series:
    columns = [series.SECOND]
    for name, look in styles.PERCENTILES.items():
        columns.append(Column(f"{name}_s", name, units.format_duration, mark=line(*look)))
    rows = tuple((one.second, one.p50_s, one.p95_s, one.p99_s) for one in intervals)
    note = (
        "Percentiles of each second’s correct answers; one that a second has too few answers "
        "for is left out."
    )
    slug, title = "response-times", "Response time"
    return Series(slug, title, series.SECONDS, series.RESPONSE_TIME, tuple(columns), rows, note)


def distribution(total: Measurement | None, what: str) -> Series:
    """Response time against percentile and, where it differs, service time."""
    texts = {"response": total.response_histogram} if total and total.response_histogram else {}
    if total and total.service_histogram not in ("", *texts.values()):
        texts["service"] = total.service_histogram
    looks = {"response": line(styles.GOOD), "service": line("#ad8400", "dash")}
    columns = [
        Column(f"{name}_time_s", f"{name} time", units.format_duration, mark=looks[name])
        for name in texts
    ]
    return percentile_curves(columns, [histogram.decode(one) for one in texts.values()], what)


def percentile_curves(
    columns: Sequence[Column], counted: Sequence[histogram.Histogram], what: str
) -> Series:
    """A column for each histogram; `what` are what was answered."""
    grids = [grid(histogram.size(one)) for one in counted]
    percents = sorted({percent for one in grids for percent in one})
    curves = [
        histogram.values_at(one, [percent for percent in percents if own and percent <= own[-1]])
        for one, own in zip(counted, grids, strict=True)
    ]
    across = Axis(f"percentile of the {what}", scale=Scale.PERCENTILE)
    up = Axis("time", scale=Scale.DURATION)
    head = Column("percentile", "percentile", lambda percent: f"{percent:.6g} %", first)
    rows = tuple((percent, *(curve.get(percent) for curve in curves)) for percent in percents)
    note = "All correct answers of the window, drawn as far as their number carries."
    title = "Distribution of response times"
    return Series("distribution", title, across, up, (head, *columns), rows, note)


def grid(count: int) -> list[float]:
    """Percentiles at even steps of the axis 1 / (1 − p), up to the last that `count` carries."""
    if not count:
        return []
    farthest = 1 / (1 - RISK ** (1 / count))
    steps = [10 ** (step / 20) for step in range(math.floor(20 * math.log10(farthest)) + 1)]
    marks = [1 / (1 - percent / 100) for percent in (50, 75, 95, 99, 99.9)]
    places = [*steps, *(mark for mark in marks if mark <= farthest), farthest]
    return sorted({round(100 * (1 - 1 / place), 6) for place in places})


MOMENT = Column("second", "second", lambda second: f"{second:.1f}", first)

BY_PART = {
    "cpu": (
        *("cpu_percent", "CPU", Axis("CPUs busy", per=100)),
        lambda percent: units.format_number(percent and percent / 100),
        "CPUs busy in each second, by part; 1 is one CPU fully used.",
    ),
    "memory": (
        *("memory_bytes", "Memory", series.MEMORY, units.format_bytes),
        "Proportional set size of each part’s whole process tree: shared pages are divided, not "
        "counted twice.",
    ),
}
"""Slug → field of a reading, title, axis, how a value is written, note."""


def by_part(readings: Iterable[Reading], slug: str) -> Series:
    """A column for each part that has this field; readings of the same moment share a row."""
    field, title, axis, show, note = BY_PART[slug]
    known = [one for one in readings if getattr(one, field) is not None]
    rows: list[tuple[float, dict[str, Reading]]] = []  # with the moment of the first
    for reading in sorted(known, key=lambda one: one.second):
        if not rows or reading.part in rows[-1][1] or reading.second - rows[-1][0] >= 0.5:
            rows.append((reading.second, {}))
        rows[-1][1][reading.part] = reading
    names = {one.part for one in known}
    parts = [*(part for part in styles.PARTS if part in names), *sorted(names - set(styles.PARTS))]
    columns = [MOMENT]
    for part in parts:
        colour = styles.PARTS.get(part, styles.OTHER_PART)
        mark = stacked(colour, 1.5)
        if part in styles.OF_MEASURING:
            mark = line(colour, "dash", width=1.5, name=f"{part} (not stacked)", connectgaps=True)
        columns.append(Column(f"{part}_{field}", part, show, mark=mark))
    table = tuple(
        (round(begun, 2), *(getattr(row.get(part), field, None) for part in parts))
        for begun, row in rows
    )
    return Series(slug, title, series.SECONDS, axis, tuple(columns), table, note)


def database_connections(readings: Iterable[Reading]) -> Series:
    """The database's connections by state; empty where no database was asked."""
    counted = [
        (one.second, dict(one.counts)) for one in readings if one.part == DATABASE and one.counts
    ]
    limits = [counts.pop(LIMIT) for _, counts in counted if LIMIT in counts]
    limit = max(limits, default=None)
    names = {state for _, counts in counted for state in counts}
    states = sorted(state for state in names if not state.startswith(WAITS_FOR))
    columns = [MOMENT]
    for state, colour in zip(states, styles.COLOURS, strict=False):
        name, mark = state.replace(" ", "_"), stacked(colour)
        columns.append(Column(name, state, units.format_count, mark=mark))
    columns.append(Column(LIMIT, LIMIT, units.format_count, mark=line(styles.BAD, "dash")))
    rows = tuple(
        (round(second, 2), *(counts.get(state, 0) for state in states), limit)
        for second, counts in counted
    )
    slug, title, up = "connections", "Database connections", Axis("connections")
    note = "Connections of the target by state, against the most that the database gives."
    return Series(slug, title, series.SECONDS, up, tuple(columns), rows, note)


MARKS = {
    "p50_s": dotted_line(styles.GOOD, name="median"),
    "p95_s": dotted_line(styles.GOOD, "dash"),
    "p90_s": band(styles.GOOD, "p10_s", "p10 to p90", 0.25),
    "max_s": band(styles.GOOD, "min_s", "min to max", 0.12),
}


def goodput_of_levels(levels: Sequence[Measurement], what: str, who: str) -> Series:
    """Goodput and failures of each level; `what` are what is answered, `who` asks for it."""
    axis = _axis(levels, who)
    columns = (
        Column("level", axis.title, units.in_words),
        Column("goodput_per_s", "goodput", units.format_rate, mark=dotted_line(styles.GOOD)),
        Column("achieved_per_s", "sent", units.format_rate),
        Column("failures", "failed", units.format_count),
        Column("dropped", "dropped", units.format_count),
    )
    rows = tuple(
        (one.level, one.goodput, one.achieved_rate, one.failures, one.dropped) for one in levels
    )
    title, up = f"Goodput against {axis.title}", Axis(f"goodput ({what} per second)", "/s")
    note = "One point a level, each measured by itself."
    return Series("stage-goodput", title, axis, up, columns, rows, note)


def response_times_of_levels(levels: Sequence[Measurement], who: str) -> Series:
    """Least, p10, median, p90, p95 and longest response time of each level."""
    axis = _axis(levels, who)
    times = [metric for metric in every.in_place(Place.STAGE) if metric.of_times]
    columns = (Column(one.name, one.heading, one.show, mark=MARKS.get(one.name)) for one in times)
    head = Column("level", axis.title, units.in_words)
    rows = ((one.level, *(time.of_part(one) for time in times)) for one in levels)
    slug, title = "stage-response-times", f"Response time against {axis.title}"
    note = "The line is the median; the areas reach from p10 to p90, and from least to longest."
    return Series(slug, title, axis, series.RESPONSE_TIME, (head, *columns), tuple(rows), note)


def _axis(levels: Sequence[Measurement], who: str) -> Axis:
    is_open = any(one.achieved_rate is not None for one in levels)
    return Axis("arrivals per second" if is_open else f"{who}s", scale=Scale.LEVEL)


def memory_of_connections(run: Run) -> Series:
    """The target's memory at each number of idle connections, and the line through it."""
    idle = (run.websockets or {}).get("idle") or {"steps": ()}
    each, measured = run.connection_bytes, [(many, size) for many, size in idle["steps"]]
    middle = [sum(values) / len(measured) for values in zip(*measured, strict=True)]
    columns = (
        Column("connections", "connections", units.format_count),
        Column("memory_bytes", "memory", units.format_bytes, mark=points(styles.GOOD)),
        Column("line_bytes", "line", units.format_bytes, mark=line(styles.GOOD, "dot")),
    )
    rows = tuple(
        (many, size, None if each is None else middle[1] + each * (many - middle[0]))
        for many, size in measured
    )
    slug, title = "connection-memory", "Memory against idle connections"
    across = Axis("idle connections", scale=Scale.LEVEL)
    note = (
        "The target’s memory while so many connections were open; the slope of the line is what "
        "each takes."
    )
    return Series(slug, title, across, series.MEMORY, columns, rows, note)


def shades(run: Run, intervals: Sequence[Interval]) -> list[Shade]:
    """(name, begin, end) of what is no window, as planned; each stage has its own warm-up."""
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


MOST_COLUMNS = 120  #: A longer run has several seconds in each.
MOST_ROWS = 32
LEFT, WIDTH, ROW, STRIP, GAP = 124, 876, 9, 16, 10  #: In units of `_heat.html`, 1000 wide.
SHADES = 8
TENS = [10**power for power in range(6)]

COUNTED = (
    ("other programs", readings.OTHERS, 1.5),
    ("CPU stolen", readings.STOLEN, 1.5),
    ("waits for a CPU", readings.RUN_DELAY, readings.HALF_S),
    ("waits for memory", readings.MEMORY_WAIT, readings.HALF_S),
)
"""Counts of the target, in percent: title, name, how long before its reading."""


def strips(
    intervals: Sequence[Interval], readings: Iterable[Reading]
) -> dict[str, dict[int, float]]:
    """What disturbed the answers: title → how much by second, 1 at most."""
    counts = [(one.second, one.counts) for one in readings if one.part == TARGET and one.counts]
    most = max(one.failures for one in intervals)
    pairs = {"failed": [(one.second, one.failures / most) for one in intervals if one.failures]}
    for title, name, before_s in COUNTED:
        percents = [(math.floor(at - before_s), had[name]) for at, had in counts if had.get(name)]
        pairs[title] = [(second, min(1.0, percent / 100)) for second, percent in percents]
    shown: dict[str, dict[int, float]] = {}
    for title, of_title in pairs.items():
        for second, value in of_title:
            if 0 <= second <= intervals[-1].second:
                values = shown.setdefault(title, {})
                values[second] = max(values.get(second, 0.0), value)
    return shown


def heat_map(intervals: Sequence[Interval], readings: Iterable[Reading]) -> dict[str, Any] | None:
    """Paths by shade, and words beside them; None where no second has its histogram."""
    texts = [one.histogram for one in intervals]
    if not any(texts):
        return None
    seconds = len(intervals)
    step = math.ceil(seconds / MOST_COLUMNS)
    begins = range(0, seconds, step)
    grid, bounds = _grid([histogram.merged(filter(None, texts[at : at + step])) for at in begins])
    disturbing = strips(intervals, readings)
    wide, bottom, most = WIDTH / seconds, float(ROW * len(bounds)), grid.max()
    top = bottom + GAP
    height = top + STRIP * len(disturbing) + 2 * GAP
    apart = next(ten * one for ten in TENS for one in (1, 2, 5) if seconds / (ten * one) <= 10)
    column = "a second" if step == 1 else f"{step} seconds"
    below = " Nothing that was watched disturbed it."
    if disturbing:
        below = f" Below: {', '.join(disturbing)}."
    return {
        "answers": _paths(  # few are seen beside many
            (
                *(math.sqrt(grid[at, row] / most), LEFT + at * wide * step),
                *(bottom - ROW * (row + 1), wide * step, ROW),
            )
            for at, row in zip(*np.nonzero(grid), strict=True)
        ),
        "disturbances": _paths(
            (value, LEFT + at * wide, top + STRIP * row + 1, wide, STRIP - 2.0)
            for row, strip in enumerate(disturbing.values())
            for at, value in strip.items()
        ),
        "labels": [
            *(
                (bottom - ROW * row, units.format_duration(bounds[row]))
                for row in range(0, len(bounds), math.ceil(len(bounds) / 6))
            ),
            *((top + STRIP * (row + 0.75), title) for row, title in enumerate(disturbing)),
        ],
        "moments": [(round(LEFT + at * wide, 1), at) for at in range(0, seconds + 1, apart)],
        "outside": [  # of the window
            (round(LEFT + one.second * wide, 1), round(wide, 1))
            for one in intervals
            if one.phase != Phase.WINDOW.value
        ],
        "bottom": bottom,
        "height": height,
        "sentence": f"A column is {column}; the darker, the more answers took so long.{below}",
    }


def _grid(columns: Sequence[histogram.Histogram]) -> tuple[NDArray[np.int64], list[float]]:
    """Answers by column and row, and the lower bound in seconds of each row; logarithmic."""
    longest = max(map(len, columns))
    logs = np.log2(np.maximum(histogram.ends_us(np.arange(longest)), 1))
    used = np.flatnonzero(sum(np.pad(one, (0, longest - len(one))) for one in columns))
    low, high = math.floor(logs[used[0]]), math.ceil(logs[used[-1]] + 1e-9)
    each = max(1, min(8, MOST_ROWS // max(1, high - low)))
    rows = (high - low) * each
    places = np.clip(np.floor((logs - low) * each), 0, rows - 1).astype(np.int64)
    grid = [np.bincount(places[: len(one)], weights=one, minlength=rows) for one in columns]
    return np.array(grid).astype(np.int64), [2 ** (low + row / each) / 1e6 for row in range(rows)]


def _paths(cells: Iterable[tuple[float, float, float, float, float]]) -> list[tuple[float, str]]:
    """One path for each of a few shades: a drawing of thousands of boxes stays small."""
    paths: dict[int, list[str]] = {}
    for shade, x, y, width, height in cells:
        box = f"M{x:.1f} {y:.0f}h{width:.1f}v{height:.0f}h-{width:.1f}z"
        paths.setdefault(max(1, math.ceil(SHADES * shade)), []).append(box)
    return [(level / SHADES, "".join(boxes)) for level, boxes in sorted(paths.items())]
