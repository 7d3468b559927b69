"""Response times by percentile, on an axis that is logarithmic in 1 − p."""

import math
from collections.abc import Sequence

from benchsuite.report.charts.series import Axis, Column, Scale, Series, first
from benchsuite.stats import histogram
from benchsuite.stats.summary import RISK


def distribution(columns: Sequence[Column], histograms: Sequence[str], units: str) -> Series:
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
