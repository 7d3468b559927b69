"""Points with names: one quantity against what it costs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchsuite.report.charts.drawing import ABOVE, Chart, blank, escaped, rounded
from benchsuite.report.charts.series import Series

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
    identity: Mapping[str, Any] = field(default_factory=dict)  #: For the page's script.


def scatter(series: Series, spots: Sequence[Spot], *, legend: bool = False) -> Chart:
    """Cheap and fast is the corner at the top left, beside which it says so, where no point can
    lie.
    """
    chart = blank(series, series.up)
    del chart.drawing["shared"]
    drawn = [one for one in spots if one.x is not None and one.y is not None]
    named: set[str] = set()
    for one in drawn:
        chart.drawing["data"].append(_trace(one, series, first=one.group not in named))
        named.add(one.group)
    chart.layout["showlegend"] = legend
    highest = max((one.high or one.y or 0.0 for one in drawn), default=0.0)
    chart.layout["yaxis"]["range"] = [0, HEADROOM * (highest / series.up.per or 1.0)]
    where = {"x": 0, "xref": "paper", "xanchor": "left", **ABOVE}
    chart.layout["annotations"].append({"text": "this corner: cheap and fast", **where})
    return chart


def _trace(one: Spot, series: Series, *, first: bool) -> dict[str, Any]:
    across, up = series.across, series.up
    assert one.x is not None
    assert one.y is not None
    hover = f"{escaped(one.title)}<br>%{{y:.4~r}}{up.unit} with %{{x:.4~r}}{across.unit}"
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers+text",
        "x": [rounded(one.x / across.per)],
        "y": [rounded(one.y / up.per)],
        "name": escaped(one.group),
        "legendgroup": escaped(one.group),
        "showlegend": first,
        "text": [escaped(one.text)],
        "textposition": "top center",
        "marker": {**one.marker, "size": 12},
        "hovertemplate": f"{hover}<extra></extra>",
        **one.identity,
    }
    if one.low is not None and one.high is not None:
        ends = {"array": [one.high - one.y], "arrayminus": [one.y - one.low]}
        ends = {name: [rounded(value / up.per) for value in some] for name, some in ends.items()}
        trace["error_y"] = {"type": "data", "symmetric": False, "thickness": 1.5, **ends}
    return trace
