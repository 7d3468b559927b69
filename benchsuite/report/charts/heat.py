"""Response times second by second as a heat map, and under it what disturbed them."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchsuite.core.readings import HALF_S, MEMORY_WAIT, OTHERS, RUN_DELAY, STOLEN, TARGET
from benchsuite.core.results import Phase
from benchsuite.core.units import THIN_SPACE, format_duration, format_number
from benchsuite.models import Interval, Reading
from benchsuite.stats import histogram

MOST_COLUMNS = 120  #: A longer run has several seconds in each.
MOST_ROWS = 32
LEFT, WIDTH, ROW, STRIP, GAP = 124, 876, 9, 16, 10  #: In units of `_heat.html`, 1000 wide.
SHADES = 8
TENS = [10**power for power in range(6)]


COUNTED = (
    ("other programs", OTHERS, 1.5),
    ("CPU stolen", STOLEN, 1.5),
    ("waits for a CPU", RUN_DELAY, HALF_S),
    ("waits for memory", MEMORY_WAIT, HALF_S),
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
    answered = [histogram.merged(filter(None, texts[at : at + step])) for at in begins]
    grid, bounds = _grid(answered)
    disturbing = strips(intervals, readings)
    wide, bottom, most = WIDTH / seconds, float(ROW * len(bounds)), grid.max()
    top = bottom + GAP
    height = top + STRIP * len(disturbing) + 2 * GAP
    apart = next(ten * one for ten in TENS for one in (1, 2, 5) if seconds / (ten * one) <= 10)
    column = "second" if step == 1 else f"{format_number(step)}{THIN_SPACE}seconds"
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
                (bottom - ROW * row, format_duration(bounds[row]))
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
        "sentence": f"A column is a {column}; the darker, the more answers took so long.{below}",
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
    bounds = [2 ** (low + row / each) / 1e6 for row in range(rows)]
    return np.array(grid).astype(np.int64), bounds


def _paths(cells: Iterable[tuple[float, float, float, float, float]]) -> list[tuple[float, str]]:
    """One path for each of a few shades: a drawing of thousands of boxes stays small."""
    paths: dict[int, list[str]] = {}
    for shade, x, y, width, height in cells:
        box = f"M{x:.1f} {y:.0f}h{width:.1f}v{height:.0f}h-{width:.1f}z"
        paths.setdefault(max(1, math.ceil(SHADES * shade)), []).append(box)
    return [(level / SHADES, "".join(boxes)) for level, boxes in sorted(paths.items())]
