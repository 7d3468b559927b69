"""A page as one HTML file that opens without a network."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.template.loader import render_to_string

from benchsuite.report.charts.drawing import Chart
from benchsuite.report.charts.labels import HEIGHT
from benchsuite.report.charts.standalone import CONFIG, figure

STYLES = Path(__file__).parents[2] / "static" / "benchsuite" / "benchsuite.css"


def one_file(name: str, title: str, charts: Sequence[Chart], context: Mapping[str, Any]) -> str:
    """By that template, an extension of `file.html`; plotly.js stands in it once, with the first
    chart. Templates that a page shares with its file know the file by `offline`.
    """
    drawn = []
    for number, one in enumerate(charts):
        drawing = figure(one).update_layout(title=None, height=HEIGHT)
        chart = drawing.to_html(config=CONFIG, include_plotlyjs=number == 0, full_html=False)
        drawn.append((one.series.title, chart))
    own = {"title": title, "drawn": drawn, "styles": STYLES.read_text(), "offline": True}
    return render_to_string(f"benchsuite/{name}.html", {**own, **context})
