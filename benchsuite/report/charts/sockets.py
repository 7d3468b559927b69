"""The charts that only runs with WebSockets have."""

from collections.abc import Iterable, Sequence

from benchsuite.core.units import format_bytes, format_count
from benchsuite.models import Interval, Run
from benchsuite.report.charts import marks, styles
from benchsuite.report.charts.series import MEMORY, SECOND, SECONDS, Axis, Column, Series

OPEN = Axis("open connections")
IDLE = Axis("idle connections")

LOSSES = (
    Column("failures", "failed", format_count, sum, marks.bars(styles.BAD)),
    Column("strays", "astray", format_count, sum, marks.bars("#b8629a")),
    Column("closed", "connections ended", format_count, sum, marks.bars("#8a8a8a")),
)
"""What goes wrong in a second; the names are those of an `Interval`."""


def connections(intervals: Iterable[Interval]) -> Series:
    return Series(
        "websockets",
        "Open connections",
        SECONDS,
        OPEN,
        (SECOND, Column("connections", "open", format_count, mark=marks.steps(styles.GOOD))),
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
            Column("memory_bytes", "memory", format_bytes, mark=marks.points(styles.GOOD)),
            Column("line_bytes", "line", format_bytes, mark=marks.line(styles.GOOD, "dot")),
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
