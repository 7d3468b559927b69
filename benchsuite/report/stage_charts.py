"""A run with several levels: goodput and the band of response times against users or rate."""

from collections.abc import Sequence

from benchsuite.report import styles
from benchsuite.report.figures import Chart, blank, finished, unit_of
from benchsuite.report.series import UNITS, Column, Series
from benchsuite.report.stages import BAND, Point
from benchsuite.specs import USER
from benchsuite.units import format_count, format_duration, format_number, format_rate

BANDS = (("min_s", "max_s", 0.12), ("p10_s", "p90_s", 0.25))
"""Lower and upper edge, and how strongly the area between them is drawn."""

LINES = {"p50_s": ("median", "solid"), "p95_s": ("p95", "dash")}


def goodput(points: Sequence[Point], units: str = UNITS, who: str = USER) -> Series:
    """Goodput and failures of each level; `units` are what is answered, `who` asks for it."""
    axis = _axis(points, who)
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
            (one.level, one.goodput, one.achieved_rate, one.failures, one.dropped) for one in points
        ),
        "One point a level, each measured by itself.",
        {"axis": axis, "units": units},
    )


def response_times(points: Sequence[Point], who: str = USER) -> Series:
    """Least, p10, median, p90, p95 and longest response time of each level."""
    axis = _axis(points, who)
    return Series(
        "stage-response-times",
        f"Response time against {axis}",
        (
            Column("level", axis, format_number),
            *(Column(name, name.removesuffix("_s"), format_duration) for name in BAND),
        ),
        tuple((one.level, *(one.response_time[name] for name in BAND)) for one in points),
        "The line is the median; the areas reach from p10 to p90, and from least to longest.",
        {"axis": axis},
    )


def draw_goodput(series: Series) -> Chart:
    figure = blank(series.facts["axis"], f"goodput ({series.facts['units']} per second)")
    figure.add_scatter(
        x=series.column(0),
        y=series.column(1),
        name="goodput",
        mode="lines+markers",
        line={"color": styles.GOOD, "width": 2},
        hovertemplate="%{y:.4~g}/s<extra></extra>",
    )
    figure.update_xaxes(rangemode="tozero")
    return finished(series, figure)


def draw_response_times(series: Series) -> Chart:
    unit, factor = unit_of(series)
    figure = blank(series.facts["axis"], f"response time ({unit})")
    columns = {
        column.name: [None if value is None else value * factor for value in series.column(index)]
        for index, column in enumerate(series.columns)
    }
    levels = series.column(0)
    for low, high, strength in BANDS:
        name = f"{low.removesuffix('_s')} to {high.removesuffix('_s')}"
        edge = {"width": 0, "color": styles.GOOD}
        figure.add_scatter(
            x=levels, y=columns[low], mode="lines", line=edge, showlegend=False, hoverinfo="skip"
        )
        figure.add_scatter(
            x=levels,
            y=columns[high],
            mode="lines",
            line=edge,
            fill="tonexty",
            fillcolor=_faint(styles.GOOD, strength),
            name=name,
            hovertemplate=f"{high.removesuffix('_s')} %{{y:.4~g}} {unit}<extra></extra>",
        )
    for column, (name, dash) in LINES.items():
        figure.add_scatter(
            x=levels,
            y=columns[column],
            name=name,
            mode="lines+markers",
            line={"color": styles.GOOD, "dash": dash, "width": 2},
            hovertemplate=f"{name} %{{y:.4~g}} {unit}<extra></extra>",
        )
    figure.update_xaxes(rangemode="tozero")
    return finished(series, figure)


def _axis(points: Sequence[Point], who: str) -> str:
    is_open = any(point.achieved_rate is not None for point in points)
    return "arrivals per second" if is_open else f"{who}s"


def _faint(colour: str, strength: float) -> str:
    """A colour #rrggbb as plotly's rgba()."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{strength})"
