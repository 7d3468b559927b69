"""Drawings as plotly.js reads them. Colours of text, grid and paper are the page's script's."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from benchsuite.core.results import Phase
from benchsuite.report.charts.series import Series

HEIGHT = 320
TOP, BOTTOM, LEFT = 44, 48, 64
SECONDS_FROM = 2.0  #: A time axis that reaches this far is in seconds, else in milliseconds.
DIGITS = 5
SECONDS = "seconds since the first request"

PERCENT_TICKS = {50: "50 %", 90: "90 %", 99: "99 %", 99.9: "99.9 %", 99.99: "99.99 %"}

ABOVE = {"y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False}
"""A note over the plot, where nothing is drawn."""

Trace = dict[str, Any]
Shade = tuple[str, float, float]


@dataclass(frozen=True, slots=True)
class Chart:
    """A series with its drawing as JSON, ready for `Plotly.newPlot`."""

    series: Series
    drawing: dict[str, Any]

    def add(self, *traces: Trace) -> None:
        self.drawing["data"].extend(traces)

    @property
    def layout(self) -> dict[str, Any]:
        layout: dict[str, Any] = self.drawing["layout"]
        return layout


def blank(series: Series, across: str, up: str) -> Chart:
    """A chart with its axis titles and nothing drawn."""
    layout = {
        "height": HEIGHT,
        "margin": {"l": LEFT, "r": 12, "t": TOP, "b": BOTTOM},
        "hovermode": "x unified" if across == SECONDS else "closest",
        "hoverdistance": -1 if across == SECONDS else 20,  # parts are read at moments of their own
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 1.06, "yanchor": "bottom"},
        "xaxis": {"title": {"text": across, "standoff": 8}, "zeroline": False},
        "yaxis": {
            "title": {"text": up, "standoff": 8},
            "rangemode": "tozero",
            "zeroline": False,
        },
        "shapes": [],
        "annotations": [],
        "meta": {"over_time": across == SECONDS},
    }
    return Chart(series, {"data": [], "layout": layout})


def scatter(
    across: Sequence[Any] | None,
    up: Sequence[Any],
    name: str,
    hover: str,
    look: Trace | None = None,
) -> Trace:
    """A line, unless its look says something else; without a hover text it has none. Where all
    lines have the same x, it stands once, as what the drawing says is shared.
    """
    trace = {
        "type": "scatter",
        "mode": "lines",
        **({} if across is None else {"x": [rounded(value) for value in across]}),
        "y": [rounded(value) for value in up],
        "name": escaped(name),
        **(look or {}),
    }
    return trace | {"hovertemplate": f"{hover}<extra></extra>"} if hover else trace


def bars(across: Sequence[Any], up: Sequence[Any], name: str, colour: str) -> Trace:
    """A bar for each second that has something to show."""
    return {
        "type": "bar",
        "x": list(across),
        "y": list(up),
        "offset": 0,
        "width": 1,
        "name": name,
        "marker": {"color": colour},
        "hovertemplate": f"%{{y}} {name}<extra></extra>",
    }


def stroke(colour: str, dash: str = "solid", width: float = 2) -> Trace:
    return {"line": {"color": colour, "dash": dash, "width": width}}


def percentile_chart(series: Series, unit: str) -> Chart:
    """An axis that is logarithmic in 1 − p: as far from 90 % to 99 % as from 99 % to 99.9 %."""
    chart = blank(series, f"percentile of the {series.facts['units']}", f"time ({unit})")
    reached = series.rows[-1][0] if series.rows else 50
    ticks = {percent: text for percent, text in PERCENT_TICKS.items() if percent <= reached}
    chart.layout["xaxis"] |= {
        "type": "log",
        "tickmode": "array",
        "tickangle": 0,
        "tickvals": [_place(percent) for percent in ticks],
        "ticktext": list(ticks.values()),
    }
    return chart


def places(series: Series) -> list[float]:
    """Where the percentiles of a series lie on that axis."""
    return [_place(percent) for percent in series.column(0)]


def _place(percent: float) -> float:
    return 1 / (1 - percent / 100)


def unit_of(series: Series) -> tuple[str, float]:
    """The unit of a time axis, and how many of it a second has."""
    longest = max(
        (value for row in series.rows for value in row[1:] if value is not None), default=0.0
    )
    return ("s", 1.0) if longest >= SECONDS_FROM else ("ms", 1e3)


def scaled(values: Iterable[float | None], factor: float) -> list[float | None]:
    return [None if value is None else value * factor for value in values]


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
