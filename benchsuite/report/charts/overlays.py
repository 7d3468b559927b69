"""The charts of a compare page: response times, lines over several loads, and a forest plot."""

import math
from collections.abc import Sequence
from typing import Any

from benchsuite.comparing.answer import Climbed, level
from benchsuite.comparing.cells import Cell
from benchsuite.comparing.contrasts import Contrast
from benchsuite.comparing.differences import Comparison
from benchsuite.comparing.titles import units_of, who_of
from benchsuite.core.metrics.every import Metric, figure, whole
from benchsuite.core.results import Verdict
from benchsuite.core.specs import OPEN
from benchsuite.core.units import format_duration
from benchsuite.report.charts.drawing import Chart, draw
from benchsuite.report.charts.of_run import percentile_curves
from benchsuite.report.charts.series import RESPONSE_TIME, Axis, Column, Scale, Series
from benchsuite.report.charts.styles import dotted_line, styles
from benchsuite.stats import histogram

MOST_DRAWN = 8  #: Cells of one chart, the first in their order; more can't be told apart.
MOST_MARKERS = 7  #: On one line; they tell lines apart and are no measured points of it.


def charts(comparison: Comparison) -> list[Chart]:
    """Response time against percentile, a line for each configuration; none without answers."""
    columns, counted = [], []
    looks = styles([cell.first.server for cell in comparison.cells])
    for cell, style in list(zip(comparison.cells, looks, strict=True))[:MOST_DRAWN]:
        totals = [total for run in cell.shown if (total := whole(run))]
        texts = [total.response_histogram for total in totals if total.response_histogram]
        if texts:
            marker = {"symbol": style.marker, "size": 8, "maxdisplayed": MOST_MARKERS}
            mark = dotted_line(style.colour, marker=marker)
            name = f"{cell.title} response_time_s"
            columns.append(Column(name, cell.title, format_duration, mark=mark))
            counted.append(histogram.merged(texts))
    units = ", ".join(dict.fromkeys(units_of(run) for run in comparison.runs))
    return [draw(percentile_curves(columns, counted, units))] if counted else []


def level_charts(lines: Sequence[Climbed]) -> list[Chart]:
    """Goodput and p95 of each configuration over users or arrivals, with where it levels off."""
    return [_over_levels(lines, figure("goodput")), _over_levels(lines, figure("p95_s"))]


def _over_levels(lines: Sequence[Climbed], metric: Metric) -> Chart:
    looks = styles([line.cells[0].first.server for line in lines])
    values = [{level(cell.first): cell.value(metric) for cell in line.cells} for line in lines]
    places = sorted({place for of_line in values for place in of_line})
    rows = tuple((place, *(of_line.get(place) for of_line in values)) for place in places)
    first = lines[0].cells[0].first
    title = "arrivals per second" if first.model == OPEN else f"{who_of(first)}s"
    across = Axis(title, scale=Scale.LEVEL)
    columns = [Column(across.title, across.title)]
    for line, style in zip(lines, looks, strict=True):
        knees = [row[0] == level(line.knee.first) for row in rows]
        marker = {
            "symbol": ["circle-open" if is_knee else "circle" for is_knee in knees],
            "size": [16 if is_knee else 7 for is_knee in knees],
            "line": {"width": 2},
        }
        mark = dotted_line(style.colour, connectgaps=True, marker=marker)
        columns.append(Column(line.title, line.title, metric.show, mark=mark))
    heading, up = metric.heading, Axis("goodput (per second)", "/s")
    up = RESPONSE_TIME if metric.of_times else up
    title = f"{heading[:1].upper()}{heading[1:]} by load"
    note = "Means over runs. The ring is where a configuration levels off."
    return draw(Series(f"{heading}-by-load", title, across, up, tuple(columns), rows, note))


TICKS = (
    *(0.01, 0.02, 0.05, 0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 0.9, 1),
    *(1.1, 1.25, 1.5, 2, 3, 5, 10, 20, 50, 100),
)
LEAST_SPAN = 1.1  #: The axis reaches from 1 divided by this to this, at least.
EDGE = 0.04  #: Of the width, left and right of what is drawn.
APART = 0.12  #: Of the width, between two ticks with numbers.


def forest(
    cells: Sequence[Cell], baseline: Cell, compared: Sequence[Contrast], figure: Metric
) -> dict[str, Any] | None:
    """Lines for the cells, in percent of the width; None where the baseline's is not above 0."""
    base = baseline.value(figure)
    if not base or base < 0 or baseline.first.unit != cells[0].first.unit:  # a slope may be below 0
        return None
    effects = {id(contrast.candidate): contrast.effect for contrast in compared}
    dots = []
    for cell in cells:
        values = [(figure.value(run) or 0.0, run.verdict) for run in cell.measured]
        shown = ((value / base, verdict) for value, verdict in values if value > 0)
        dots.append([(ratio, verdict == Verdict.INVALID.value) for ratio, verdict in shown])
    ends = [end for ratio in effects.values() for end in (ratio.low, ratio.high) if end]
    every = [*ends, *(ratio for some in dots for ratio, _ in some)]
    lowest, highest = min([1 / LEAST_SPAN, *every]), max([LEAST_SPAN, *every])

    def at(ratio: float) -> float:
        share = math.log(ratio / lowest) / math.log(highest / lowest)  # a logarithmic axis
        return round(100 * (EDGE + (1 - 2 * EDGE) * share), 2)

    lines = []
    for cell, some in zip(cells, dots, strict=True):
        line: dict[str, Any] = {"dots": [(at(ratio), invalid) for ratio, invalid in some]}
        pair = effects.get(id(cell))
        if pair is not None and pair.value:
            line |= {"low": pair.low and at(pair.low), "high": pair.high and at(pair.high)}
            line["centre"] = at(pair.value)
        elif cell is baseline:
            line["centre"] = at(1)
        lines.append(line)
    ticks = {at(1): "1"}  # always, and others as far as there is room
    for tick in sorted(TICKS, key=lambda tick: abs(math.log(tick)), reverse=True):
        apart = [abs(at(tick) - other) for other in ticks]
        if lowest <= tick <= highest and min(apart) >= 100 * APART:
            ticks[at(tick)] = f"{tick:g}"
    least, most = at(1 / (1 + figure.margin)), at(1 + figure.margin)
    margin = (least, round(most - least, 2))  # where a difference is too small to matter
    return {"ticks": sorted(ticks.items()), "one": at(1), "margin": margin, "lines": lines}
