"""An execution of a study as one HTML file that opens without a network."""

from pathlib import Path

from django.template.loader import render_to_string

from benchsuite.report.charts.labels import HEIGHT
from benchsuite.report.charts.standalone import CONFIG, figure
from benchsuite.report.studies.told import Told

STYLES = Path(__file__).parents[2] / "static" / "benchsuite" / "benchsuite.css"


def html(told: Told) -> str:
    """plotly.js stands in it once, with the first chart."""
    drawn = []
    for number, one in enumerate(told.charts):
        drawing = figure(one).update_layout(title=None, height=HEIGHT)
        chart = drawing.to_html(config=CONFIG, include_plotlyjs=number == 0, full_html=False)
        drawn.append((one.series.title, chart))
    context = {"told": told, "drawn": drawn, "styles": STYLES.read_text(), "offline": True}
    return render_to_string("benchsuite/study_file.html", context)
