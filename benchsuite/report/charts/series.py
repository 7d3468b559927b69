"""The numbers behind each chart: what its table shows, its CSV holds and its drawing draws."""

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchsuite.comparing.titles import units_of
from benchsuite.core.results import Phase
from benchsuite.core.units import (
    format_bytes,
    format_count,
    format_duration,
    format_number,
    format_rate,
)
from benchsuite.models import Interval, Measurement, Reading, Run
from benchsuite.report.charts import styles
from benchsuite.stats import histogram
from benchsuite.stats.percentiles import RISK
from benchsuite.store.periods import planned_s

LONGEST_TABLE = 240
"""Rows of a table on a page; a longer series is shown in steps there, and whole in its CSV."""

DATABASE = "database"
LIMIT = "limit"  #: What telemetry calls the most connections that the database gives.

UNITS = "requests"

EDGE_S = 0.01  #: So little of a second may be missing of a whole one.

Row = tuple[Any, ...]


def _first(values: Sequence[Any]) -> Any:
    return values[0]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name in a CSV (with the unit), its heading, how a value is written."""

    name: str
    title: str
    show: Callable[[Any], str] = format_number
    merge: Callable[[Sequence[Any]], Any] = max
    """What stands for several rows in a shortened table."""


@dataclass(frozen=True, slots=True)
class Series:
    """A table of numbers with a name; the first column is the horizontal axis."""

    slug: str  #: Names the anchor and the CSV.
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    """What only the drawing needs, such as where the window begins."""

    def __bool__(self) -> bool:
        return any(value is not None for row in self.rows for value in row[1:])

    @property
    def step(self) -> int:
        """How many rows stand in one row of the page's table."""
        return max(1, math.ceil(len(self.rows) / LONGEST_TABLE))

    @property
    def short_rows(self) -> list[list[str]]:
        """The rows as written on a page."""
        chunks = (self.rows[at : at + self.step] for at in range(0, len(self.rows), self.step))
        return [
            [
                column.show(_merged(column, [row[index] for row in chunk]))
                for index, column in enumerate(self.columns)
            ]
            for chunk in chunks
        ]

    def column(self, index: int) -> list[Any]:
        return [row[index] for row in self.rows]


def _merged(column: Column, values: Sequence[Any]) -> Any:
    known = [value for value in values if value is not None]
    return column.merge(known) if known else None


SECOND = Column("second", "second", format_count, _first)


def goodput(run: Run, intervals: Iterable[Interval]) -> Series:
    intervals = list(intervals)
    return Series(
        "goodput",
        "Goodput and failures",
        (
            SECOND,
            Column("phase", "phase", str, _first),
            Column("users", "users", format_count),
            Column("goodput_per_s", "goodput", format_rate, _mean),
            Column("failures", "failed", format_count, sum),
        ),
        tuple((one.second, one.phase, one.users, one.successes, one.failures) for one in intervals),
        "Correct answers and failures by the second in which they finished.",
        {"units": units_of(run), "until": whole_seconds(run, intervals)},
    )


def response_times(intervals: Iterable[Interval]) -> Series:
    return Series(
        "response-times",
        "Response time",
        (
            SECOND,
            Column("p50_s", "p50", format_duration),
            Column("p95_s", "p95", format_duration),
            Column("p99_s", "p99", format_duration),
        ),
        tuple((one.second, one.p50_s, one.p95_s, one.p99_s) for one in intervals),
        "Percentiles of each second’s correct answers; one that a second has too few answers "
        "for is left out.",
    )


def distribution(total: Measurement | None, units: str = UNITS) -> Series:
    """Response time against percentile and, where it differs, service time."""
    texts = _histograms(total)
    decoded = [histogram.decode(text) for text in texts.values()]
    percents = grid(histogram.size(decoded[0])) if decoded else []
    curves = [histogram.values_at(one, percents) for one in decoded]
    return Series(
        "distribution",
        "Distribution of response times",
        (
            Column("percentile", "percentile", percent_text, _first),
            *(Column(f"{name}_time_s", f"{name} time", format_duration) for name in texts),
        ),
        tuple((percent, *(curve[percent] for curve in curves)) for percent in percents),
        "All correct answers of the window, drawn as far as their number carries.",
        {"units": units},
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


def cpu(readings: Iterable[Reading]) -> Series:
    return _by_part(
        readings,
        "cpu",
        "CPU",
        "cpu_percent",
        lambda percent: format_number(None if percent is None else percent / 100),
        "CPUs busy in each second, by part; 1 is one CPU fully used.",
    )


def memory(readings: Iterable[Reading]) -> Series:
    return _by_part(
        readings,
        "memory",
        "Memory",
        "memory_bytes",
        format_bytes,
        "Proportional set size of each part’s whole process tree: shared pages are divided, not "
        "counted twice.",
    )


def processes(readings: Iterable[Reading]) -> Series:
    return _by_part(
        readings, "processes", "Processes", "processes", format_count, "Living processes, by part."
    )


def connections(readings: Iterable[Reading]) -> Series:
    """The database's connections by state; empty where no database was asked."""
    counted = [
        (one.second, dict(one.counts)) for one in readings if one.part == DATABASE and one.counts
    ]
    limits = [counts.pop(LIMIT) for _, counts in counted if LIMIT in counts]
    limit = max(limits, default=None)
    states = sorted({state for _, counts in counted for state in counts})
    return Series(
        "connections",
        "Database connections",
        (
            Column("second", "second", lambda second: f"{second:.1f}", _first),
            *(Column(state.replace(" ", "_"), state, format_count) for state in states),
            Column(LIMIT, LIMIT, format_count),
        ),
        tuple(
            (round(second, 2), *(counts.get(state, 0) for state in states), limit)
            for second, counts in counted
        ),
        "Connections of the target by state, against the most that the database gives.",
    )


def shades(intervals: Iterable[Interval]) -> list[tuple[str, float, float]]:
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


def _histograms(total: Measurement | None) -> dict[str, str]:
    if total is None or not total.response_histogram:
        return {}
    both = {"response": total.response_histogram}
    if total.service_histogram and total.service_histogram != total.response_histogram:
        both["service"] = total.service_histogram
    return both


def _by_part(
    readings: Iterable[Reading],
    slug: str,
    title: str,
    field_name: str,
    show: Callable[[Any], str],
    note: str,
) -> Series:
    ticks = _ticks(readings)
    names = {part for tick in ticks for part in tick}
    parts = [*(part for part in styles.PARTS if part in names), *sorted(names - set(styles.PARTS))]
    rows = tuple(
        (
            round(min(one.second for one in tick.values()), 2),
            *(getattr(tick[part], field_name) if part in tick else None for part in parts),
        )
        for tick in ticks
    )
    kept = [index for index in range(len(parts)) if any(row[index + 1] is not None for row in rows)]
    rows = tuple((row[0], *(row[index + 1] for index in kept)) for row in rows)
    return Series(
        slug,
        title,
        (
            Column("second", "second", lambda second: f"{second:.1f}", _first),
            *(Column(f"{parts[index]}_{field_name}", parts[index], show) for index in kept),
        ),
        tuple(row for row in rows if any(value is not None for value in row[1:])),
        note,
        {"parts": [parts[index] for index in kept]},
    )


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
