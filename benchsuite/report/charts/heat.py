"""Response times second by second as a heat map, and under it what disturbed them."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchsuite.core.readings import (
    HALF_S,
    MEMORY_WAIT,
    OTHERS,
    PROBER_MS,
    RUN_DELAY,
    STOLEN,
    TARGET,
)
from benchsuite.core.results import Phase
from benchsuite.core.units import (
    THIN_SPACE,
    format_count,
    format_duration,
    format_number,
    format_percent,
)
from benchsuite.models import Interval, Reading
from benchsuite.stats import histogram

MOST_COLUMNS = 120  #: A longer run has several seconds in each.
MOST_ROWS = 32
LEFT, WIDTH, ROW, STRIP, GAP = 124, 876, 9, 16, 10  #: In units of the drawing.
SHADES = 8

NOT_STORED = "This run was stored without the response times of each second."


@dataclass(frozen=True, slots=True)
class Label:
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class Column:
    """What stands over some seconds, and is told of them."""

    x: float
    width: float
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatMap:
    """Paths by how dark they are, and the words beside them, in a box of `width` × `height`."""

    answers: Sequence[tuple[float, str]]
    disturbances: Sequence[tuple[float, str]]
    labels: Sequence[Label]
    moments: Sequence[tuple[float, str]]
    columns: Sequence[Column]
    outside: Sequence[tuple[float, float]]  #: Begin and width of what is no window.
    bottom: float  #: Of the map; the strips begin below it.
    height: float
    sentence: str
    left: int = LEFT
    width: int = LEFT + WIDTH


@dataclass(frozen=True, slots=True)
class Strip:
    """One thing that disturbs, by second; a strip of nothing is not shown."""

    title: str
    values: Mapping[int, float]
    show: Callable[[float], str]
    most: float | None  #: The darkest; None for the highest of the run.

    def shade(self, value: float) -> float:
        return min(1.0, value / (self.most or max(self.values.values())))


COUNTED = (
    ("other programs", OTHERS, 1.5, format_percent, 100.0),
    ("CPU stolen", STOLEN, 1.5, format_percent, 100.0),
    ("waits for a CPU", RUN_DELAY, HALF_S, format_percent, 100.0),
    ("waits for memory", MEMORY_WAIT, HALF_S, format_percent, 100.0),
    ("prober, longest", PROBER_MS, HALF_S, lambda ms: format_duration(ms / 1e3), None),
)
"""Counts of the target: title, name, how long before its reading, how it is written, the most."""


def strips(intervals: Sequence[Interval], readings: Iterable[Reading]) -> list[Strip]:
    """Those in which anything happened."""
    readings = list(readings)
    made = [Strip("failed", {one.second: one.failures for one in intervals}, format_count, None)]
    for title, name, before_s, show, most in COUNTED:
        values: dict[int, float] = {}
        for one in readings:
            if one.part == TARGET and one.counts and name in one.counts:
                second = math.floor(one.second - before_s)
                values[second] = max(values.get(second, 0.0), one.counts[name])
        made.append(Strip(title, values, show, most))
    last = intervals[-1].second if intervals else -1
    inside = [
        Strip(one.title, {at: v for at, v in one.values.items() if 0 <= at <= last}, *rest)
        for one in made
        for rest in [(one.show, one.most)]
    ]
    return [one for one in inside if any(one.values.values())]


def heat_map(intervals: Sequence[Interval], readings: Iterable[Reading]) -> HeatMap | None:
    """None where no second has its histogram."""
    counted = [histogram.decode(one.histogram) if one.histogram else None for one in intervals]
    if not any(one is not None for one in counted):
        return None
    step = math.ceil(len(intervals) / MOST_COLUMNS)
    grid, bounds = _grid([_merged(counted[at : at + step]) for at in range(0, len(counted), step)])
    wide = WIDTH / len(intervals)
    disturbing = strips(intervals, readings)
    bottom = float(ROW * len(bounds))
    top = bottom + GAP
    begins = range(0, len(intervals), step)
    return HeatMap(
        answers=_paths(_cells(grid, wide * step, bottom)),
        disturbances=_paths(
            (strip.shade(value), LEFT + at * wide, top + STRIP * row + 1, wide, STRIP - 2.0)
            for row, strip in enumerate(disturbing)
            for at, value in strip.values.items()
            if value
        ),
        labels=[
            *_ticks(bounds, bottom),
            *(
                Label(top + STRIP * (row + 0.75), strip.title)
                for row, strip in enumerate(disturbing)
            ),
        ],
        moments=_moments(len(intervals), wide),
        columns=[
            Column(
                round(LEFT + at * wide, 1),
                round(wide * step, 1),
                _title(intervals[at : at + step], _merged(counted[at : at + step]), disturbing),
            )
            for at in begins
        ],
        outside=[
            (round(LEFT + one.second * wide, 1), round(wide, 1))
            for one in intervals
            if one.phase != Phase.WINDOW.value
        ],
        bottom=bottom,
        height=top + STRIP * len(disturbing) + 2 * GAP,
        sentence=_sentence(step, disturbing),
    )


def _merged(some: Sequence[histogram.Histogram | None]) -> histogram.Histogram:
    known = [one for one in some if one is not None]
    total = np.zeros(max(map(len, known), default=0), dtype=np.int64)
    for one in known:
        total[: len(one)] += one
    return total


def _grid(columns: Sequence[histogram.Histogram]) -> tuple[NDArray[np.int64], list[float]]:
    """Answers by column and row, the fastest first, and the lower bound of each row in seconds; the
    rows are equally wide on a logarithmic axis.
    """
    longest = max(map(len, columns))
    logs = np.log2(np.maximum(histogram.ends_us(np.arange(longest)), 1))
    used = np.flatnonzero(sum(np.pad(one, (0, longest - len(one))) for one in columns))
    low, high = math.floor(logs[used[0]]), math.ceil(logs[used[-1]] + 1e-9)
    each = max(1, min(8, MOST_ROWS // max(1, high - low)))
    rows = (high - low) * each
    places = np.clip(np.floor((logs - low) * each), 0, rows - 1).astype(np.int64)
    grid = np.array(
        [np.bincount(places[: len(one)], weights=one, minlength=rows) for one in columns]
    )
    return grid.astype(np.int64), [2 ** (low + row / each) / 1e6 for row in range(rows)]


def _cells(
    grid: NDArray[np.int64], wide: float, bottom: float
) -> Iterator[tuple[float, float, float, float, float]]:
    """Shade, place and size of each that has answers; few are seen beside many."""
    most = grid.max()
    for at, row in zip(*np.nonzero(grid), strict=True):
        shade = math.sqrt(grid[at, row] / most)
        yield shade, LEFT + at * wide, bottom - ROW * (row + 1), wide, ROW


def _paths(
    cells: Iterable[tuple[float, float, float, float, float]],
) -> list[tuple[float, str]]:
    """One path for each of a few shades: a drawing of thousands of boxes stays small."""
    paths: dict[int, list[str]] = {}
    for shade, x, y, width, height in cells:
        box = f"M{x:.1f} {y:.0f}h{width:.1f}v{height:.0f}h-{width:.1f}z"
        paths.setdefault(max(1, math.ceil(SHADES * shade)), []).append(box)
    return [(level / SHADES, "".join(boxes)) for level, boxes in sorted(paths.items())]


def _ticks(bounds: Sequence[float], bottom: float) -> Iterator[Label]:
    """Every few rows the time at which one begins."""
    every = max(1, math.ceil(len(bounds) / 6))
    for row in range(0, len(bounds), every):
        yield Label(bottom - ROW * row, format_duration(bounds[row]))


def _moments(seconds: int, wide: float) -> list[tuple[float, str]]:
    steps = (one * 10**power for power in range(6) for one in (1, 2, 5))
    step = next(one for one in steps if seconds / one <= 10)
    return [(round(LEFT + at * wide, 1), str(at)) for at in range(0, seconds + 1, step)]


def _title(
    intervals: Sequence[Interval], counted: histogram.Histogram, disturbing: Sequence[Strip]
) -> str:
    first, last = intervals[0].second, intervals[-1].second
    when = f"Second {first}" if first == last else f"Seconds {first} to {last}"
    words = [f"{format_count(histogram.size(counted))} answers"]
    if times := histogram.values_at(counted, (50, 100)):
        words.append(f"half within {format_duration(times[50])}")
        words.append(f"the longest {format_duration(times[100])}")
    for strip in disturbing:
        values = [strip.values.get(second, 0.0) for second in range(first, last + 1)]
        if any(values):
            words.append(f"{strip.title} {strip.show(max(values))}")
    return f"{when}: {', '.join(words)}"


def _sentence(step: int, disturbing: Sequence[Strip]) -> str:
    column = "second" if step == 1 else f"{format_number(step)}{THIN_SPACE}seconds"
    names = ", ".join(one.title for one in disturbing)
    below = f" Below: {names}." if names else " Nothing that was watched disturbed it."
    return f"A column is a {column}; the darker, the more answers took so long.{below}"
