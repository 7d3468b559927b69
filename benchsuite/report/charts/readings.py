"""What telemetry read during a run: CPU, memory, processes, connections of the database."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from benchsuite.core.readings import DATABASE, LIMIT, WAITS_FOR
from benchsuite.core.units import format_bytes, format_count, format_number
from benchsuite.models import Reading
from benchsuite.report.charts import marks, styles
from benchsuite.report.charts.marks import Mark
from benchsuite.report.charts.series import MEMORY, SECONDS, Axis, Column, Series, first

MOMENT = Column("second", "second", lambda second: f"{second:.1f}", first)


def charts(readings: Sequence[Reading]) -> list[Series]:
    return [cpu(readings), memory(readings), processes(readings), connections(readings)]


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


def connections(readings: Iterable[Reading]) -> Series:
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
                Column(state.replace(" ", "_"), state, format_count, mark=marks.stacked(colour))
                for state, colour in zip(states, styles.COLOURS, strict=False)
            ),
            Column(LIMIT, LIMIT, format_count, mark=marks.line(styles.BAD, "dash")),
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
        return marks.aside(colour, f"{part} (not stacked)")
    return marks.stacked(colour, 1.5)


def _ticks(readings: Iterable[Reading]) -> list[dict[str, Reading]]:
    """Readings of the same moment together: the parts are read one after the other."""
    ticks: list[dict[str, Reading]] = []
    for reading in sorted(readings, key=lambda one: one.second):
        if ticks and reading.part not in ticks[-1]:
            begun = min(one.second for one in ticks[-1].values())
            if reading.second - begun < 0.5:
                ticks[-1][reading.part] = reading
                continue
        ticks.append({reading.part: reading})
    return ticks
