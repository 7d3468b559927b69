"""From series to figures of plotly.js, on a page and as one HTML file."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from textwrap import wrap
from typing import Any

from benchsuite.core.results import Phase
from benchsuite.report.charts.series import Axis, Scale, Series
from benchsuite.report.charts.styles import Mark

SECONDS_FROM = 2.0  #: A time axis that reaches this far is in seconds, else in milliseconds.
DIGITS = 5
HEIGHT, TOP, BOTTOM = 320, 44, 48
MOST_TICKS = 12
WORDS = 16  #: Letters of a line of words below an axis.

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
    up = series.up
    if up.scale == Scale.DURATION:  # in the unit that fits the longest
        longest = max((value for row in series.rows for value in row[1:] if value), default=0.0)
        unit, per = ("s", 1.0) if longest >= SECONDS_FROM else ("ms", 1e-3)
        up = Axis(f"{up.title} ({unit})", f" {unit}", per)
    chart = blank(series, up)
    for index, column in enumerate(series.columns):
        mark = column.mark
        if mark is None or not (values := _drawn(mark, series.column(index), up)):
            continue
        hover = f"{escaped(column.title)}: {HOVER[series.across.scale]}<extra></extra>"
        hover = hover.replace("UNIT", up.unit).replace("ACROSS", series.across.title)
        name, look, traces = escaped(mark.name or column.title), mark.look, chart.drawing["data"]
        trace = {"type": "scatter", "y": values, "name": name, "hovertemplate": hover, **look}
        if len(series.rows) == 1 and trace.get("mode") == "lines":
            trace["mode"] = "markers"  # one point makes no line
        silent = {**look, "type": "scatter", "showlegend": False, "hoverinfo": "skip"}
        if mark.above:  # the lower edge of a band
            below = [one.name for one in series.columns].index(mark.above)
            traces.append({**silent, "fill": "none", "y": _drawn(mark, series.column(below), up)})
        traces.append(trace)
        if look.get("line", {}).get("shape") == "hv":  # the rest of the last step
            last = series.rows[len(values) - 1][0]
            traces.append({**silent, "x": [last, last + 1], "y": values[-1:] * 2})
        if trace["type"] == "bar":
            chart.layout["barmode"] = "stack" if series.across.scale is Scale.MOMENT else "group"
    return chart


def blank(series: Series, up: Axis) -> Chart:
    """A chart with its axes and nothing drawn; the x of all lines stands once, as `shared`."""
    scale, places = series.across.scale, series.column(0)
    over_time = scale == Scale.MOMENT
    across: dict[str, Any] = {"title": {"text": series.across.title, "standoff": 8}}
    shared = {"x": [rounded(place) for place in places]}
    if scale == Scale.QUANTITY:
        across["rangemode"] = "tozero"
    if scale == Scale.LEVEL:
        across |= _level_ticks(places)
    if scale == Scale.PERCENTILE:
        ticks = [one for one in PERCENT_TICKS if one <= (places[-1] if places else 50)]
        across |= {"type": "log", "tickmode": "array", "tickangle": 0}
        across["tickvals"] = [_place(percent) for percent in ticks]
        across["ticktext"] = [PERCENT_TICKS[percent] for percent in ticks]
        shared = {"x": [rounded(_place(percent)) for percent in places], "customdata": places}
    upwards = {"title": {"text": up.title, "standoff": 8}, "rangemode": "tozero"}
    layout = {
        "height": HEIGHT,
        "margin": {"l": 64, "r": 12, "t": TOP, "b": BOTTOM},
        "hovermode": "x unified" if over_time else "closest",
        "hoverdistance": -1 if over_time else 20,  # parts are read at moments of their own
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 1.06, "yanchor": "bottom"},
        "xaxis": {**across, "zeroline": False},
        "yaxis": {**upwards, "zeroline": False},
        "shapes": [],
        "annotations": [],
        "meta": {"over_time": over_time},
    }
    return Chart(series, {"data": [], "layout": layout, "shared": shared})


def _level_ticks(levels: Sequence[Any]) -> dict[str, Any]:
    """Logarithmic where that lays the closest two levels twice as far apart; words in a row."""
    if any(isinstance(level, str) for level in levels):
        words = ["<br>".join(wrap(str(level), WORDS)) for level in levels]
        whole = {"tickmode": "array", "tickvals": [*levels], "ticktext": words, "automargin": True}
        return {"type": "category", **whole}
    places = sorted(set(levels))
    ticks = {"tickmode": "array", "tickvals": places} if len(places) <= MOST_TICKS else {}
    if len(places) > 2 and places[0] > 0:
        even = min(after - before for before, after in pairwise(places)) / places[-1]
        logs = [math.log(place) for place in places]
        doubled = min(after - before for before, after in pairwise(logs)) / (logs[-1] - logs[0])
        if doubled > 2 * even:
            return {"type": "log", **ticks}
    return {"rangemode": "tozero", **ticks}


def _place(percent: float) -> float:
    """Where it lies on the axis of percentiles, which is logarithmic in 1 − p."""
    return 1 / (1 - percent / 100)


def _drawn(mark: Mark, values: Sequence[Any], up: Axis) -> list[Any]:
    """The values as far as they are drawn and known; of bars none where all would be empty."""
    known = [at for at, value in enumerate(values[: mark.rows]) if value is not None]
    if not known or (mark.look.get("type") == "bar" and not any(values)):
        return []
    return [None if value is None else rounded(value / up.per) for value in values[: known[-1] + 1]]


def rounded(value: Any) -> Any:
    """As many digits as a drawing shows; a page is sent with all its numbers."""
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def share_time(charts: Iterable[Chart], shades: Iterable[Shade], end_s: float) -> None:
    """One time axis for all charts that have one; what is no window is grey, and named once."""
    named, boxes, notes = list[Shade](), [], []
    look = {"fillcolor": "#888", "opacity": 0.16, "line": {"width": 0}, "layer": "below"}
    whole = {"type": "rect", "y0": 0, "y1": 1, "yref": "paper", **look}
    for name, begin, end in shades:
        boxes.append({"x0": begin, "x1": end, **whole})
        if any(shade[0] == name and shade[1] < end and begin < shade[2] for shade in named):
            continue
        named.append((name, begin, end))
        x, side = (end, "right") if name == Phase.DRAIN.value else (begin, "left")
        notes.append({"text": name, "x": x, "xanchor": side, **ABOVE})
    for chart in charts:
        if chart.layout["meta"]["over_time"]:
            chart.layout["xaxis"]["range"] = [0, end_s]
            chart.layout["shapes"] += boxes
            chart.layout["annotations"] += notes


def escaped(text: str) -> str:
    """Plotly reads <, % and { in names and hover texts."""
    return text.replace("<", "‹").replace("%{", "% {")


def checked(chart: Chart) -> Chart:
    """The chart; raises ValueError for what plotly's own description of its properties lacks."""
    from plotly.graph_objects import Figure  # a measured server that has the pages needs none

    shared = chart.drawing.get("shared", {})
    Figure(data=[{**shared, **trace} for trace in chart.drawing["data"]], layout=chart.layout)
    return chart
