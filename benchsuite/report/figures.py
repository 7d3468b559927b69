"""Series → plotly figures. Colours of text, grid and paper are the page's; its script sets them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchsuite.report import styles
from benchsuite.report.series import Series
from benchsuite.results import Phase

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

HEIGHT = 320
FAINT = 0.45
SECONDS_FROM = 2.0
"""A time axis that reaches this far is in seconds, else in milliseconds."""

PERCENT_TICKS = {50: "50 %", 90: "90 %", 99: "99 %", 99.9: "99.9 %", 99.99: "99.99 %"}


@dataclass(frozen=True, slots=True)
class Chart:
    """A series with its drawing as JSON, ready for `Plotly.newPlot`."""

    series: Series
    drawing: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """How one column of a series is drawn on a compare page."""

    title: str
    style: styles.Style
    group: str
    first: bool
    """Whether it is the first of its group, which alone stands in the legend."""
    invalid: bool = False
    """Whether its run is invalid: drawn faint and hollow, and called so."""


def goodput(series: Series) -> Chart:
    figure = blank("seconds since the first request", f"{series.facts['units']} per second")
    seconds = series.column(0)
    if any(series.column(4)):
        figure.add_bar(
            x=seconds,
            y=series.column(4),
            offset=0,
            width=1,
            name="failed",
            marker={"color": styles.BAD},
            hovertemplate="%{y} failed<extra></extra>",
        )
    figure.add_scatter(
        x=seconds,
        y=series.column(3),
        name="goodput",
        mode="lines",
        line={"color": styles.GOOD, "width": 2, "shape": "hv"},
        hovertemplate="%{y}/s right<extra></extra>",
    )
    shade(figure, series)
    return finished(series, figure)


def response_times(series: Series) -> Chart:
    unit, factor = unit_of(series)
    figure = blank("seconds since the first request", f"response time ({unit})")
    for index, column in enumerate(series.columns[1:], start=1):
        if all(value is None for value in series.column(index)):
            continue
        colour, dash = styles.PERCENTILES[column.title]
        figure.add_scatter(
            x=series.column(0),
            y=_scaled(series.column(index), factor),
            name=column.title,
            mode="lines",
            line={"color": colour, "dash": dash, "width": 2},
            hovertemplate=f"{column.title} %{{y:.4~g}} {unit}<extra></extra>",
        )
    shade(figure, series)
    return finished(series, figure)


def distribution(series: Series) -> Chart:
    unit, factor = unit_of(series)
    figure = _percentile_figure(series, unit)
    for index, (column, colour, dash) in enumerate(
        zip(series.columns[1:], (styles.GOOD, "#d98a00"), ("solid", "dash"), strict=False), start=1
    ):
        _percentile_line(figure, series, index, factor, unit, column.title, colour, dash)
    return finished(series, figure)


def parts(series: Series, axis: str, *, scale: float = 1.0, unit: str = "") -> Chart:
    """Stacked areas of one figure by part of the system."""
    figure = blank("seconds since the first request", axis)
    for index, part in enumerate(series.facts["parts"], start=1):
        colour = styles.PARTS.get(part, styles.OTHER_PART)
        known = [(row[0], row[index] / scale) for row in series.rows if row[index] is not None]
        figure.add_scatter(
            x=[second for second, _ in known],
            y=[value for _, value in known],
            name=part,
            mode="lines" if len(known) > 1 else "markers",  # one point makes no line
            stackgroup="parts",
            line={"color": colour, "width": 1.5},
            hovertemplate=f"{part} %{{y:.4~g}}{unit}<extra></extra>",
        )
    return finished(series, figure)


def cpu(series: Series) -> Chart:
    return parts(series, "CPUs busy", scale=100)


def memory(series: Series) -> Chart:
    return parts(series, "memory (MiB)", scale=2**20, unit=" MiB")


def processes(series: Series) -> Chart:
    return parts(series, "processes")


def connections(series: Series) -> Chart:
    """Stacked by state, under the line of the most that there can be."""
    figure = blank("seconds since the first request", "connections")
    seconds = series.column(0)
    for index, column in enumerate(series.columns[1:-1]):
        figure.add_scatter(
            x=seconds,
            y=series.column(index + 1),
            name=column.title,
            mode="lines",
            stackgroup="states",
            line={"color": styles.COLOURS[index % len(styles.COLOURS)], "width": 1.5},
            hovertemplate=f"{escaped(column.title)} %{{y}}<extra></extra>",
        )
    figure.add_scatter(
        x=seconds,
        y=series.column(len(series.columns) - 1),
        name="limit",
        mode="lines",
        line={"color": styles.BAD, "dash": "dash", "width": 2},
        hovertemplate="%{y} at most<extra></extra>",
    )
    return finished(series, figure)


def goodput_of_runs(series: Series, lines: Sequence[Line]) -> Chart:
    figure = blank(
        "seconds since the first request", f"goodput ({series.facts['units']} per second)"
    )
    for index, line in enumerate(lines, start=1):
        figure.add_scatter(
            x=series.column(0),
            y=series.column(index),
            mode="lines",
            hovertemplate=f"{escaped(line.title)} %{{y}}/s<extra></extra>",
            **as_line(line),
        )
    figure.update_layout(hovermode="closest" if len(lines) > 8 else "x unified")
    return finished(series, figure)


def distributions(series: Series, lines: Sequence[Line]) -> Chart:
    unit, factor = unit_of(series)
    figure = _percentile_figure(series, unit)
    for index, line in enumerate(lines, start=1):
        figure.add_scatter(
            x=_places(series),
            y=_scaled(series.column(index), factor),
            customdata=series.column(0),
            mode="lines",
            hovertemplate=f"{escaped(line.title)} %{{y:.4~g}} {unit}<extra></extra>",
            **as_line(line),
        )
    figure.update_layout(hovermode="closest")
    return finished(series, figure)


def goodput_and_memory(series: Series, lines: Sequence[Line]) -> Chart:
    """A point for each run; cheap and fast is the corner at the top left."""
    figure = blank("memory (MiB)", f"goodput ({series.facts['units']} per second)")
    for row, line in zip(series.rows, lines, strict=True):
        figure.add_scatter(
            x=[None if row[1] is None else row[1] / 2**20],
            y=[row[2]],
            mode="markers",
            name=line.group,
            legendgroup=line.group,
            showlegend=line.first,
            marker={
                "color": line.style.colour,
                "symbol": f"{line.style.marker}-open" if line.invalid else line.style.marker,
                "size": 12,
            },
            hovertemplate=f"{escaped(line.title)}<br>%{{y:.4~g}}/s with %{{x:.4~g}} MiB"
            "<extra></extra>",
        )
    figure.add_annotation(
        text="↖ cheap and fast",
        xref="paper",
        yref="paper",
        x=0.01,
        y=0.99,
        xanchor="left",
        yanchor="top",
        showarrow=False,
    )
    figure.update_layout(hovermode="closest")
    figure.update_xaxes(rangemode="tozero")
    return finished(series, figure)


def blank(across: str, up: str) -> "Figure":
    """A figure with its axis titles and nothing drawn."""
    from plotly.graph_objects import Figure

    figure = Figure()
    figure.update_layout(
        template="none",
        height=HEIGHT,
        margin={"l": 64, "r": 12, "t": 52, "b": 48},
        hovermode="x unified",
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1.08, "yanchor": "bottom"},
        bargap=0,
    )
    figure.update_xaxes(title={"text": across, "standoff": 8}, zeroline=False)
    figure.update_yaxes(
        title={"text": up, "standoff": 8}, rangemode="tozero", zeroline=False, automargin=True
    )
    return figure


def _percentile_figure(series: Series, unit: str) -> "Figure":
    """An axis that is logarithmic in 1 − p: as far from 90 % to 99 % as from 99 % to 99.9 %."""
    figure = blank(f"percentile of the {series.facts['units']}", f"time ({unit})")
    reached = series.rows[-1][0] if series.rows else 50
    ticks = {percent: text for percent, text in PERCENT_TICKS.items() if percent <= reached}
    figure.update_xaxes(
        type="log",
        tickmode="array",
        tickangle=0,
        tickvals=[_place(percent) for percent in ticks],
        ticktext=list(ticks.values()),
    )
    return figure


def _percentile_line(
    figure: "Figure",
    series: Series,
    index: int,
    factor: float,
    unit: str,
    title: str,
    colour: str,
    dash: str,
) -> None:
    figure.add_scatter(
        x=_places(series),
        y=_scaled(series.column(index), factor),
        customdata=series.column(0),
        name=title,
        mode="lines",
        line={"color": colour, "dash": dash, "width": 2},
        hovertemplate=f"%{{customdata:.6~g}} % within %{{y:.4~g}} {unit}<extra>{title}</extra>",
    )


def _place(percent: float) -> float:
    return 1 / (1 - percent / 100)


def _places(series: Series) -> list[float]:
    return [_place(percent) for percent in series.column(0)]


def unit_of(series: Series) -> tuple[str, float]:
    """The unit of a time axis, and how many of it a second has."""
    longest = max(
        (value for row in series.rows for value in row[1:] if value is not None), default=0.0
    )
    return ("s", 1.0) if longest >= SECONDS_FROM else ("ms", 1e3)


def _scaled(values: Sequence[float | None], factor: float) -> list[float | None]:
    return [None if value is None else value * factor for value in values]


def as_line(line: Line) -> dict[str, Any]:
    """How plotly draws it."""
    return {
        "name": line.group,
        "legendgroup": line.group,
        "showlegend": line.first,
        "opacity": FAINT if line.invalid else 1,
        "line": {"color": line.style.colour, "dash": line.style.dash, "width": 2},
    }


def shade(figure: "Figure", series: Series) -> None:
    """Greys what is not the window."""
    for name, begin, end in series.facts["shades"]:
        figure.add_vrect(
            x0=begin, x1=end, fillcolor="#888", opacity=0.16, line_width=0, layer="below"
        )
        after = name == Phase.DRAIN.value
        figure.add_annotation(
            text=name,
            x=end if after else begin,
            xanchor="right" if after else "left",
            y=1,
            yref="paper",
            yanchor="bottom",
            showarrow=False,
        )


def escaped(text: str) -> str:
    """Plotly reads <, % and { in hover texts."""
    return text.replace("<", "‹").replace("%{", "% {")


def finished(series: Series, figure: "Figure") -> Chart:
    """The series with what was drawn of it."""
    return Chart(series, json.loads(figure.to_json()))
