"""The charts that only runs with WebSockets have."""

from collections.abc import Iterable, Sequence

from benchsuite.core.units import format_bytes, format_count
from benchsuite.models import Interval, Run
from benchsuite.report.charts import styles
from benchsuite.report.charts.drawing import SECONDS, Chart, bars, blank, scatter, stroke
from benchsuite.report.charts.overlay_figures import Line
from benchsuite.report.charts.series import SECOND, Column, Series

WEBSOCKETS = "websockets"
MEMORY = "connection-memory"

LOSSES = (
    ("failures", "failed", styles.BAD),
    ("strays", "astray", "#b8629a"),
    ("closed", "connections ended", "#8a8a8a"),
)
"""Column, title and colour of what goes wrong in a second."""


def connections(intervals: Iterable[Interval]) -> Series:
    return Series(
        WEBSOCKETS,
        "Open connections",
        (SECOND, Column("connections", "open", format_count)),
        tuple((one.second, one.connections) for one in intervals),
        "WebSockets or streams that were open at the end of each second.",
    )


def losses(intervals: Iterable[Interval]) -> Series:
    """None of it where there were no WebSockets, or where nothing went wrong."""
    intervals = list(intervals)
    names = [name for name, _, _ in LOSSES]
    rows = [(one.second, *(getattr(one, name) for name in names)) for one in intervals]
    wrong = any(one.strays is not None for one in intervals) and any(
        value for row in rows for value in row[1:]
    )
    return Series(
        "losses",
        "Losses",
        (SECOND, *(Column(name, title, format_count, sum) for name, title, _ in LOSSES)),
        tuple(rows) if wrong else (),
        "In each second: messages or events that failed, among them the lost ones; those that came "
        "twice, out of order, damaged or to another connection; connections that the server ended.",
    )


def memory_of_connections(run: Run) -> Series:
    """The target's memory at each number of idle connections, and the line through it."""
    idle = (run.websockets or {}).get("idle") or {"steps": ()}
    steps = [(many, size) for many, size in idle["steps"]]
    each = run.connection_bytes
    middle = [sum(values) / len(steps) for values in zip(*steps, strict=True)]
    return Series(
        MEMORY,
        "Memory against idle connections",
        (
            Column("connections", "connections", format_count),
            Column("memory_bytes", "memory", format_bytes),
            Column("line_bytes", "line", format_bytes),
        ),
        tuple(
            (many, size, None if each is None else middle[1] + each * (many - middle[0]))
            for many, size in steps
        ),
        "The target’s memory while so many connections were open; the slope of the line is what "
        "each takes.",
    )


def draw_connections(series: Series) -> Chart:
    chart = blank(series, SECONDS, "open connections")
    look = stroke(styles.GOOD)
    look["line"]["shape"] = "hv"
    chart.add(scatter(series.column(0), series.column(1), "open", "%{y} open", look))
    return chart


def draw_losses(series: Series) -> Chart:
    chart = blank(series, SECONDS, "in each second")
    chart.layout["barmode"] = "stack"
    for index, (_, title, colour) in enumerate(LOSSES, start=1):
        if any(series.column(index)):
            chart.add(bars(series.column(0), series.column(index), title, colour))
    return chart


def draw_memory_of_connections(series: Series) -> Chart:
    chart = blank(series, "idle connections", "memory (MiB)")
    chart.layout["xaxis"]["rangemode"] = "tozero"
    for index, (mode, name) in enumerate((("markers", "memory"), ("lines", "line")), start=1):
        known = [(row[0], row[index] / 2**20) for row in series.rows if row[index] is not None]
        look = stroke(styles.GOOD, "dot")
        look |= {"mode": mode, "marker": {"color": styles.GOOD, "size": 9}}
        many, sizes = [many for many, _ in known], [size for _, size in known]
        chart.add(scatter(many, sizes, name, "%{x} connections: %{y:.4~g} MiB", look))
    return chart


def connections_of_runs(drawn: Sequence[tuple[Run, Line]]) -> Series:
    return _of_runs(
        drawn,
        WEBSOCKETS,
        "Open connections",
        "connections",
        "WebSockets or streams that were open at the end of each second.",
    )


def losses_of_runs(drawn: Sequence[tuple[Run, Line]]) -> Series:
    """Everything that went wrong in a second; nothing where nothing did."""
    return _of_runs(
        drawn,
        "losses",
        "Losses over time",
        "losses",
        "Messages or events that failed or went astray, and connections that the server ended, "
        "by second.",
    )


def memory_of_runs(drawn: Sequence[tuple[Run, Line]]) -> Series:
    """Each run's memory at each number of connections that one of them had."""
    steps = [
        dict(((run.websockets or {}).get("idle") or {"steps": ()})["steps"]) for run, _ in drawn
    ]
    levels = sorted({many for one in steps for many in one})
    return Series(
        MEMORY,
        "Memory against idle connections",
        (
            Column("connections", "connections", format_count),
            *(Column(f"{line.title} memory_bytes", line.title, format_bytes) for _, line in drawn),
        ),
        tuple((many, *(one.get(many) for one in steps)) for many in levels),
        "Each target’s memory while so many connections were open; a steeper line is more each.",
    )


def _of_runs(
    drawn: Sequence[tuple[Run, Line]], slug: str, title: str, unit: str, note: str
) -> Series:
    value = _open if slug == WEBSOCKETS else _wrong
    by_run = [{one.second: value(one) for one in run.intervals.all()} for run, _ in drawn]
    seconds = range(max((max(one, default=-1) for one in by_run), default=-1) + 1)
    rows = tuple((second, *(one.get(second) for one in by_run)) for second in seconds)
    if not any(value for row in rows for value in row[1:]):
        rows = ()
    return Series(
        slug,
        title,
        (SECOND, *(Column(f"{line.title} {unit}", line.title, format_count) for _, line in drawn)),
        rows,
        note,
    )


def _open(interval: Interval) -> int | None:
    return interval.connections


def _wrong(interval: Interval) -> int | None:
    if interval.strays is None or interval.closed is None:
        return None
    return interval.failures + interval.strays + interval.closed
