"""The charts of a compare page: a line or a point for each run, in its cell's colour; and a forest
plot, each configuration's ratio to the baseline with its interval.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from benchsuite.comparing.answer import Climbed, level
from benchsuite.comparing.cells import Cell
from benchsuite.comparing.contrasts import Contrast
from benchsuite.comparing.differences import Comparison
from benchsuite.comparing.titles import units_of
from benchsuite.core.metrics.every import Metric, figure
from benchsuite.core.results import Verdict
from benchsuite.core.specs import OPEN
from benchsuite.core.units import format_count, format_duration
from benchsuite.models import Interval, Run
from benchsuite.report.charts import of_run
from benchsuite.report.charts.drawing import Chart, draw, share_time
from benchsuite.report.charts.series import (
    RESPONSE_TIME,
    SECOND,
    SECONDS,
    Axis,
    Column,
    Mark,
    Row,
    Scale,
    Series,
    dotted_line,
)
from benchsuite.report.charts.styles import Style
from benchsuite.report.charts.styles import styles as styles_of

FAINT = 0.45
MOST_DRAWN = 8  #: Cells of one chart, the first in their order; more can't be told apart.
MOST_MARKERS = 7  #: On one line; they tell lines apart and are no measured points of it.


class Drawn(NamedTuple):
    """A measured run with its seconds, and how it is drawn on a compare page."""

    run: Run
    title: str
    mark: Mark
    intervals: Sequence[Interval]

    def column(self, unit: str, show: Callable[[Any], str], rows: int | None = None) -> Column:
        mark = replace(self.mark, rows=rows)
        return Column(f"{self.title} {unit}", self.title, show, mark=mark)


def styles(comparison: Comparison) -> list[Style]:
    return styles_of([cell.first.server for cell in comparison.cells])


def charts(comparison: Comparison) -> list[Chart]:
    drawn = runs_of(comparison)
    if not drawn:
        return []
    units = ", ".join(dict.fromkeys(units_of(one.run) for one in drawn))
    made = []
    if any(one.run.requests for one in drawn):
        goodputs = [of_run.goodput(one.run, one.intervals) for one in drawn]
        note = "Correct answers by the second in which they finished, as far as journeys began."
        series = _overlaid(drawn, goodputs, "goodput_per_s", "Goodput over time", note)
        made.append(replace(series, up=Axis(f"goodput ({units} per second)", "/s")))
        columns = [one.column("response_time_s", format_duration) for one in drawn]
        totals = [next(iter(one.run.measurements.all()), None) for one in drawn]
        texts = [total.response_histogram if total else "" for total in totals]
        made.append(of_run.percentile_curves(columns, texts, units))
    memory = [of_run.memory_of_connections(one.run) for one in drawn]
    note = "Each target’s memory while so many connections were open; a steeper line is more each."
    made.append(_overlaid(drawn, memory, "memory_bytes", memory[0].title, note))
    opened = [of_run.open_connections(one.intervals) for one in drawn]
    made.append(_overlaid(drawn, opened, "connections", opened[0].title, opened[0].note))
    lost = [{second.second: of_run.lost(second) for second in one.intervals} for one in drawn]
    if any(many for values in lost for many in values.values()):
        columns = [SECOND, *(one.column("losses", format_count) for one in drawn)]
        note = (
            "Messages or events that failed or went astray, and connections that the server ended, "
            "by second."
        )
        title, up, rows = "Losses over time", Axis("losses in each second"), _joined(lost)
        made.append(Series("losses", title, SECONDS, up, tuple(columns), rows, note))
    charts = [draw(series) for series in made if series]
    shades = [shade for one in drawn for shade in of_run.shades(one.run, one.intervals)]
    end_s = max(len(one.intervals) for one in drawn)
    share_time(charts, dict.fromkeys(shades), end_s)
    return charts


def level_charts(lines: Sequence[Climbed]) -> list[Chart]:
    """Goodput and p95 of each configuration over users or arrivals, with where it levels off."""
    return [_over_levels(lines, figure("goodput")), _over_levels(lines, figure("p95_s"))]


def _over_levels(lines: Sequence[Climbed], metric: Metric) -> Chart:
    styles = styles_of([line.cells[0].first.server for line in lines])
    values = [{level(cell.first): cell.value(metric) for cell in line.cells} for line in lines]
    rows = _joined(values)
    is_open = lines[0].cells[0].first.model == OPEN
    across = Axis("arrivals per second" if is_open else "users", scale=Scale.LEVEL)
    columns = [Column(across.title, across.title)]
    for line, style in zip(lines, styles, strict=True):
        knees = [row[0] == level(line.knee.first) for row in rows]
        marker = {
            "symbol": ["circle-open" if is_knee else "circle" for is_knee in knees],
            "size": [16 if is_knee else 7 for is_knee in knees],
            "line": {"width": 2},
        }
        look = dotted_line(style.colour, style.dash).look
        mark = Mark({**look, "connectgaps": True, "marker": marker})
        columns.append(Column(line.title, line.title, metric.show, mark=mark))
    return draw(
        Series(
            f"{metric.heading}-by-load",
            f"{metric.heading[:1].upper()}{metric.heading[1:]} by load",
            across,
            RESPONSE_TIME if metric.of_times else Axis("goodput (per second)", "/s"),
            tuple(columns),
            rows,
            "Means over runs. The ring is where a configuration levels off.",
        )
    )


def runs_of(comparison: Comparison) -> list[Drawn]:
    """Measured runs in their cells' styles, hollow if invalid; `charts.js` finds cells by `uid`."""
    runs: list[Drawn] = []
    cells = zip(comparison.titles, comparison.cells, styles(comparison), strict=True)
    for number, (title, cell, style) in enumerate(islice(cells, MOST_DRAWN), start=1):
        for start, run in enumerate(cell.measured, start=1):
            own = f"{title} run {start}" if len(cell.measured) > 1 else title
            is_invalid, is_first = run.verdict == Verdict.INVALID.value, start == 1
            width = 2 if is_first else 1
            look: dict[str, Any] = {
                "uid": f"cell-{number}-{len(runs) + 1}",
                "mode": "lines",
                "opacity": FAINT if is_invalid else 1,
                "line": {"color": style.colour, "dash": style.dash, "width": width},
            }
            if is_first:
                symbol = f"{style.marker}-open" if is_invalid else style.marker
                marker: dict[str, Any] = {"color": style.colour, "symbol": symbol, "size": 8}
                marker["maxdisplayed"] = MOST_MARKERS
                look |= {"mode": "lines+markers", "marker": marker}
            group = f"{title} (invalid)" if is_invalid else title
            mark = Mark(look, group, number=number if is_first else 0)
            runs.append(Drawn(run, own, mark, list(run.intervals.all())))
    return runs


def _overlaid(
    drawn: Sequence[Drawn], made: Sequence[Series], name: str, title: str, note: str
) -> Series:
    """The column of this name of a series of each run, over all places that one has a value for."""
    columns = [
        one.column(name, column.show, column.mark.rows if column.mark else None)
        for one, series in zip(drawn, made, strict=True)
        for column in series.columns
        if column.name == name
    ]
    rows = _joined([dict(zip(one.column(0), one.named(name), strict=True)) for one in made])
    return replace(
        made[0], title=title, note=note, columns=(made[0].columns[0], *columns), rows=rows
    )


def _joined(values: Sequence[Mapping[Any, Any]]) -> tuple[Row, ...]:
    places = sorted({place for one in values for place in one})
    return tuple((place, *(one.get(place) for one in values)) for place in places)


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
    """Lines for the cells, in percent of the width; None where the baseline has no figure."""
    base = baseline.value(figure)
    if not base or baseline.unit != cells[0].unit:
        return None
    found = {id(contrast.candidate): contrast.found for contrast in compared}
    dots = [
        [
            (value / base, run.verdict == Verdict.INVALID.value)
            for run in cell.measured
            if (value := figure.value(run)) and value > 0
        ]
        for cell in cells
    ]
    ends = [end for ratio in found.values() for end in (ratio.low, ratio.high) if end]
    every = [*ends, *(ratio for some in dots for ratio, _ in some)]
    lowest, highest = min([1 / LEAST_SPAN, *every]), max([LEAST_SPAN, *every])

    def at(ratio: float) -> float:
        share = math.log(ratio / lowest) / math.log(highest / lowest)  # a logarithmic axis
        return round(100 * (EDGE + (1 - 2 * EDGE) * share), 2)

    lines = []
    for cell, some in zip(cells, dots, strict=True):
        line: dict[str, Any] = {"dots": [(at(ratio), invalid) for ratio, invalid in some]}
        pair = found.get(id(cell))
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
