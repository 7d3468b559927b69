"""A chart as one HTML file that opens without a network: for a report, or to send to somebody."""

from typing import TYPE_CHECKING

from benchsuite.report.charts.drawing import Chart

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

BUTTONS = ("toImage", "zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d")
CONFIG = {"displaylogo": False, "modeBarButtons": [BUTTONS]}
"""Nothing in it offers to upload anything."""


def figure(chart: Chart) -> "Figure":
    """The chart as plotly's own object; raises ValueError for what plotly does not know."""
    from plotly.graph_objects import Figure  # a measured server that has the pages needs none

    shared = chart.drawing.get("shared", {})
    layout = {**chart.layout, "title": {"text": chart.series.title}, "height": None}
    return Figure(data=[{**shared, **trace} for trace in chart.drawing["data"]], layout=layout)


def as_html(chart: Chart) -> str:
    page: str = figure(chart).to_html(config=CONFIG, include_plotlyjs=True, full_html=True)
    return page
