"""From series to figures of plotly.js, on a page and as one HTML file."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from benchsuite.core.results import Phase
from benchsuite.report.charts.series import (
    BOTTOM,
    HEIGHT,
    TOP,
    Axis,
    Column,
    End,
    Mark,
    Scale,
    Series,
    Trace,
    write,
)

SECONDS_FROM = 2.0  #: A time axis that reaches this far is in seconds, else in milliseconds.
DIGITS = 5

PERCENT_TICKS = {50: "50 %", 90: "90 %", 99: "99 %", 99.9: "99.9 %", 99.99: "99.99 %"}

HOVER = {
    Scale.MOMENT: "%{y:.4~r}UNIT",
    Scale.QUANTITY: "%{y:.4~r}UNIT at %{x:.4~r} ACROSS",
    Scale.LEVEL: "%{y:.4~r}UNIT at %{x} ACROSS",
    Scale.PERCENTILE: "%{customdata:.6~g} % within %{y:.4~r}UNIT",
}
"""What is told of a point, by what the horizontal axis measures."""

ABOVE = {"y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False}
"""A note over the plot, where nothing is drawn."""

Shade = tuple[str, float, float]


@dataclass(frozen=True, slots=True)
class Chart:
    """A series with its drawing as JSON, ready for `Plotly.newPlot`."""

    series: Series
    drawing: dict[str, Any]

    @property
    def layout(self) -> dict[str, Any]:
        layout: dict[str, Any] = self.drawing["layout"]
        return layout


def draw(series: Series) -> Chart:
    """Every column that has a mark and something to show."""
    up = _fitted(series)
    chart = blank(series, up)
    ends = []
    for index, column in enumerate(series.columns):
        mark = column.mark
        if mark is None or not (values := _drawn(mark, series.column(index), up)):
            continue
        traces = _traces(series, column, mark, values, up)
        chart.drawing["data"] += traces
        if traces[0]["type"] == "bar":
            chart.layout["barmode"] = "stack" if series.across.scale is Scale.MOMENT else "group"
        if mark.number:
            name, colour = traces[0]["name"], mark.look["line"]["color"]
            ends.append(End(mark.number, name, colour, values[-1]))
    if ends:
        write(chart.drawing, ends)
    return chart


def _traces(series: Series, column: Column, mark: Mark, values: list[Any], up: Axis) -> list[Trace]:
    """What draws a column: itself and, without a word of their own, the lower edge of a band and
    the rest of the last step.
    """
    hover = f"{escaped(column.title)}: {HOVER[series.across.scale]}<extra></extra>"
    trace = {
        "type": "scatter",
        "y": values,
        "name": escaped(mark.name or column.title),
        "hovertemplate": hover.replace("UNIT", up.unit).replace("ACROSS", series.across.title),
        **mark.look,
    }
    if len(series.rows) == 1 and trace.get("mode") == "lines":
        trace["mode"] = "markers"  # one point makes no line
    silent = {**mark.look, "type": "scatter", "showlegend": False, "hoverinfo": "skip"}
    if mark.above:
        edge = _drawn(mark, series.named(mark.above), up)
        return [{**silent, "fill": "none", "y": edge}, trace]
    if trace.get("line", {}).get("shape") == "hv":
        last = series.rows[len(values) - 1][0]
        return [trace, {**silent, "x": [last, last + 1], "y": values[-1:] * 2}]
    return [trace]


def blank(series: Series, up: Axis) -> Chart:
    """A chart with its axes and nothing drawn; the x of all lines stands once, as `shared`."""
    over_time = series.across.scale == Scale.MOMENT
    across: dict[str, Any] = {"title": {"text": series.across.title, "standoff": 8}}
    shared = {"x": [rounded(place) for place in series.column(0)]}
    if series.across.scale == Scale.QUANTITY:
        across["rangemode"] = "tozero"
    if series.across.scale == Scale.LEVEL:
        across |= _level_ticks(series.column(0))
    if series.across.scale == Scale.PERCENTILE:
        percents = series.column(0)
        across |= _percent_ticks(percents)
        shared = {"x": [rounded(_place(one)) for one in percents], "customdata": percents}
    layout = {
        "height": HEIGHT,
        "margin": {"l": 64, "r": 12, "t": TOP, "b": BOTTOM},
        "hovermode": "x unified" if over_time else "closest",
        "hoverdistance": -1 if over_time else 20,  # parts are read at moments of their own
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 1.06, "yanchor": "bottom"},
        "xaxis": {**across, "zeroline": False},
        "yaxis": {
            "title": {"text": up.title, "standoff": 8},
            "rangemode": "tozero",
            "zeroline": False,
        },
        "shapes": [],
        "annotations": [],
        "meta": {"over_time": over_time},
    }
    return Chart(series, {"data": [], "layout": layout, "shared": shared})


def _fitted(series: Series) -> Axis:
    """The vertical axis; one of time in the unit that fits the longest."""
    axis = series.up
    if axis.scale != Scale.DURATION:
        return axis
    longest = max((value for row in series.rows for value in row[1:] if value), default=0.0)
    unit, per = ("s", 1.0) if longest >= SECONDS_FROM else ("ms", 1e-3)
    return Axis(f"{axis.title} ({unit})", f" {unit}", per)


MOST_TICKS = 12


def _level_ticks(levels: Sequence[Any]) -> dict[str, Any]:
    """A logarithmic axis where it lays the closest two levels twice as far apart as one from zero;
    words stand side by side.
    """
    if any(isinstance(level, str) for level in levels):
        return {"type": "category"}
    places = sorted(set(levels))
    ticks = {"tickmode": "array", "tickvals": places} if len(places) <= MOST_TICKS else {}
    if len(places) > 2 and places[0] > 0:
        even = min(after - before for before, after in pairwise(places)) / places[-1]
        logs = [math.log(place) for place in places]
        doubled = min(after - before for before, after in pairwise(logs)) / (logs[-1] - logs[0])
        if doubled > 2 * even:
            return {"type": "log", **ticks}
    return {"rangemode": "tozero", **ticks}


def _percent_ticks(percents: Sequence[float]) -> dict[str, Any]:
    reached = percents[-1] if percents else 50
    ticks = {percent: text for percent, text in PERCENT_TICKS.items() if percent <= reached}
    return {
        "type": "log",
        "tickmode": "array",
        "tickangle": 0,
        "tickvals": [_place(percent) for percent in ticks],
        "ticktext": list(ticks.values()),
    }


def _place(percent: float) -> float:
    """Where it lies on the axis of percentiles, which is logarithmic in 1 − p."""
    return 1 / (1 - percent / 100)


def _drawn(mark: Mark, values: Sequence[Any], up: Axis) -> list[Any]:
    """The values as far as they are drawn and known; of bars none where all would be empty."""
    known = [at for at, value in enumerate(values[: mark.rows]) if value is not None]
    if not known or (mark.look.get("type") == "bar" and not any(values)):
        return []
    drawn = values[: known[-1] + 1]
    return [None if value is None else rounded(value / up.per) for value in drawn]


def rounded(value: Any) -> Any:
    """As many digits as a drawing shows; a page is sent with all its numbers."""
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def share_time(charts: Iterable[Chart], shades: Iterable[Shade], end_s: float) -> None:
    """One time axis for all charts that have one; what is not the window is grey in each."""
    kept = list(shades)
    for chart in charts:
        if chart.layout["meta"]["over_time"]:
            chart.layout["xaxis"]["range"] = [0, end_s]
            _shade(chart, kept)


def _shade(chart: Chart, shades: Iterable[Shade]) -> None:
    """Where several runs are drawn their shades may overlap: then one of them carries the name."""
    named: list[Shade] = []
    for name, begin, end in shades:
        box = {"type": "rect", "x0": begin, "x1": end, "y0": 0, "y1": 1, "yref": "paper"}
        look = {"fillcolor": "#888", "opacity": 0.16, "line": {"width": 0}, "layer": "below"}
        chart.layout["shapes"].append(box | look)
        if any(one[0] == name and one[1] < end and begin < one[2] for one in named):
            continue
        named.append((name, begin, end))
        after = name == Phase.DRAIN.value
        x, side = (end, "right") if after else (begin, "left")
        chart.layout["annotations"].append({"text": name, "x": x, "xanchor": side, **ABOVE})


def escaped(text: str) -> str:
    """Plotly reads <, % and { in names and hover texts."""
    return text.replace("<", "‹").replace("%{", "% {")


HEADROOM = 1.12  #: Over the highest point, for its text.


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """One point; without one of its places it is not drawn."""

    title: str
    x: float | None
    y: float | None
    marker: Mapping[str, Any]
    text: str = ""  #: Above it.
    group: str = ""  #: Its name in the legend, where it stands once for all of them.
    low: float | None = None
    high: float | None = None  #: Ends of the interval of `y`.


def scatter(series: Series, spots: Sequence[Spot], *, legend: bool = False) -> Chart:
    """Cheap and fast is the corner at the top left, beside which it says so, where no point can
    lie.
    """
    chart = blank(series, series.up)
    del chart.drawing["shared"]
    drawn = [spot for spot in spots if spot.x is not None and spot.y is not None]
    named: set[str] = set()
    for spot in drawn:
        chart.drawing["data"].append(_trace(spot, series, first=spot.group not in named))
        named.add(spot.group)
    chart.layout["showlegend"] = legend
    highest = max((spot.high or spot.y or 0.0 for spot in drawn), default=0.0)
    chart.layout["yaxis"]["range"] = [0, HEADROOM * (highest / series.up.per or 1.0)]
    where = {"x": 0, "xref": "paper", "xanchor": "left", **ABOVE}
    chart.layout["annotations"].append({"text": "this corner: cheap and fast", **where})
    return chart


def _trace(spot: Spot, series: Series, *, first: bool) -> dict[str, Any]:
    across, up = series.across, series.up
    assert spot.x is not None
    assert spot.y is not None
    hover = f"{escaped(spot.title)}<br>%{{y:.4~r}}{up.unit} with %{{x:.4~r}}{across.unit}"
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers+text",
        "x": [rounded(spot.x / across.per)],
        "y": [rounded(spot.y / up.per)],
        "name": escaped(spot.group),
        "legendgroup": escaped(spot.group),
        "showlegend": first,
        "text": [escaped(spot.text)],
        "textposition": "top center",
        "marker": {**spot.marker, "size": 12},
        "hovertemplate": f"{hover}<extra></extra>",
    }
    if spot.low is not None and spot.high is not None:
        ends = {"array": [spot.high - spot.y], "arrayminus": [spot.y - spot.low]}
        ends = {name: [rounded(value / up.per) for value in some] for name, some in ends.items()}
        trace["error_y"] = {"type": "data", "symmetric": False, "thickness": 1.5, **ends}
    return trace


def checked(chart: Chart) -> Chart:
    """The chart, held against plotly's own description of every property.

    Raises ValueError for what plotly does not know.
    """
    from plotly.graph_objects import Figure  # a measured server that has the pages needs none

    shared = chart.drawing.get("shared", {})
    Figure(data=[{**shared, **trace} for trace in chart.drawing["data"]], layout=chart.layout)
    return chart
