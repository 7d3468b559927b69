"""A run with several levels: goodput and the band of response times against users or rate."""

from collections.abc import Sequence

from benchsuite.core.specs import USER
from benchsuite.core.units import format_count, format_number, format_rate
from benchsuite.models import Measurement
from benchsuite.report.charts import styles
from benchsuite.report.charts.drawing import Chart, blank, scaled, scatter, stroke, unit_of
from benchsuite.report.charts.series import UNITS, Column, Series
from benchsuite.report.stages import band

BANDS = (("min_s", "max_s", 0.12), ("p10_s", "p90_s", 0.25))
"""Lower and upper edge, and how strongly the area between them is drawn."""

LINES = {"p50_s": ("median", "solid"), "p95_s": ("p95", "dash")}


def goodput(levels: Sequence[Measurement], units: str = UNITS, who: str = USER) -> Series:
    """Goodput and failures of each level; `units` are what is answered, `who` asks for it."""
    axis = _axis(levels, who)
    return Series(
        "stage-goodput",
        f"Goodput against {axis}",
        (
            Column("level", axis, format_number),
            Column("goodput_per_s", "goodput", format_rate),
            Column("achieved_per_s", "sent", format_rate),
            Column("failures", "failed", format_count),
            Column("dropped", "dropped", format_count),
        ),
        tuple(
            (one.level, one.goodput, one.achieved_rate, one.failures, one.dropped) for one in levels
        ),
        "One point a level, each measured by itself.",
        {"axis": axis, "units": units},
    )


def response_times(levels: Sequence[Measurement], who: str = USER) -> Series:
    """Least, p10, median, p90, p95 and longest response time of each level."""
    axis = _axis(levels, who)
    return Series(
        "stage-response-times",
        f"Response time against {axis}",
        (
            Column("level", axis, format_number),
            *(Column(one.name, one.heading, one.show) for one in band()),
        ),
        tuple((one.level, *(time.of_part(one) for time in band())) for one in levels),
        "The line is the median; the areas reach from p10 to p90, and from least to longest.",
        {"axis": axis},
    )


def draw_goodput(series: Series) -> Chart:
    chart = blank(series, series.facts["axis"], f"goodput ({series.facts['units']} per second)")
    chart.layout["xaxis"]["rangemode"] = "tozero"
    look = {**stroke(styles.GOOD), "mode": "lines+markers"}
    chart.add(scatter(series.column(0), series.column(1), "goodput", "%{y:.4~g}/s", look))
    return chart


def draw_response_times(series: Series) -> Chart:
    unit, factor = unit_of(series)
    chart = blank(series, series.facts["axis"], f"response time ({unit})")
    chart.layout["xaxis"]["rangemode"] = "tozero"
    columns = {
        column.name: scaled(series.column(index), factor)
        for index, column in enumerate(series.columns[1:], start=1)
    }
    levels = series.column(0)
    for low, high, strength in BANDS:
        edge = stroke(styles.GOOD, width=0)
        below = {**edge, "showlegend": False, "hoverinfo": "skip"}
        area = {**edge, "fill": "tonexty", "fillcolor": _faint(styles.GOOD, strength)}
        name = f"{low.removesuffix('_s')} to {high.removesuffix('_s')}"
        hover = f"{high.removesuffix('_s')} %{{y:.4~g}} {unit}"
        chart.add(scatter(levels, columns[low], "", "", below))
        chart.add(scatter(levels, columns[high], name, hover, area))
    for column, (name, dash) in LINES.items():
        look = {**stroke(styles.GOOD, dash), "mode": "lines+markers"}
        chart.add(scatter(levels, columns[column], name, f"{name} %{{y:.4~g}} {unit}", look))
    return chart


def _axis(levels: Sequence[Measurement], who: str) -> str:
    is_open = any(one.achieved_rate is not None for one in levels)
    return "arrivals per second" if is_open else f"{who}s"


def _faint(colour: str, strength: float) -> str:
    """A colour #rrggbb as plotly's rgba()."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{strength})"
