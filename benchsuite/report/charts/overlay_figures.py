"""The charts of a compare page: a line or a point for each run, in its cell's colour."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchsuite.report.charts import drawing
from benchsuite.report.charts.drawing import SECONDS, Chart, Trace, blank, escaped, scatter
from benchsuite.report.charts.series import Series
from benchsuite.report.charts.styles import Style

FAINT = 0.45
HEADROOM = 1.12  #: Over the highest point, for its number.
LABEL_WIDTH = 150
LABEL_LETTERS = 22
LABEL_HEIGHT = 15
MOST_MARKERS = 7  #: On one line; they tell lines apart and are no measured points of it.


@dataclass(frozen=True, slots=True)
class Line:
    """How one run is drawn on a compare page."""

    title: str
    style: Style
    cell: int  #: Number of its cell on that page, from 1.
    group: str  #: The cell's title, and that its run is invalid.
    first: bool  #: Whether it is the first of its cell, which carries the label.
    invalid: bool = False  #: Whether the run is invalid: drawn faint and hollow.


def goodput_of_runs(series: Series, lines: Sequence[Line]) -> Chart:
    chart = blank(series, SECONDS, f"goodput ({series.facts['units']} per second)")
    return _lines(chart, lines, series.column(0), 1.0, "%{y:.4~g}/s")


def distributions(series: Series, lines: Sequence[Line]) -> Chart:
    unit, factor = drawing.unit_of(series)
    chart = drawing.percentile_chart(series, unit)
    hover = f"%{{customdata:.6~g}} % within %{{y:.4~g}} {unit}"
    chart = _lines(chart, lines, drawing.places(series), factor, hover)
    chart.drawing["shared"]["customdata"] = series.column(0)
    return chart


def over_seconds(series: Series, lines: Sequence[Line]) -> Chart:
    chart = blank(series, SECONDS, series.title.lower())
    return _lines(chart, lines, series.column(0), 1.0, "%{y}")


def memory_of_connections(series: Series, lines: Sequence[Line]) -> Chart:
    chart = blank(series, "idle connections", "memory (MiB)")
    chart.layout["xaxis"]["rangemode"] = "tozero"
    hover = "%{x} connections: %{y:.4~g} MiB"
    return _lines(chart, lines, series.column(0), 1 / 2**20, hover)


def goodput_and_memory(series: Series, lines: Sequence[Line]) -> Chart:
    """A point for each run; cheap and fast is the corner at the top left, beside which it says so,
    where no point can lie.
    """
    chart = blank(series, "memory (MiB)", f"goodput ({series.facts['units']} per second)")
    chart.layout["xaxis"]["rangemode"] = "tozero"
    chart.layout["showlegend"] = False
    highest: dict[int, float] = {}
    for row, line in zip(series.rows, lines, strict=True):
        highest[line.cell] = max(highest.get(line.cell, 0.0), row[2])
    for row, line in zip(series.rows, lines, strict=True):
        hover = f"{escaped(line.title)}<br>%{{y:.4~g}}/s with %{{x:.4~g}} MiB"
        look = _identity(line, len(chart.drawing["data"]))
        look |= {"mode": "markers+text", "marker": {**_marker(line), "size": 12}}
        number = str(line.cell) if row[2] == highest[line.cell] else ""
        look |= {"text": [number], "textposition": "top center"}
        memory = [None if row[1] is None else row[1] / 2**20]
        chart.add(scatter(memory, [row[2]], line.group, hover, look))
    chart.layout["yaxis"]["range"] = [0, HEADROOM * (max(highest.values(), default=0.0) or 1.0)]
    where = {"x": 0, "xref": "paper", "xanchor": "left"}
    text = "this corner: cheap and fast"
    chart.layout["annotations"].append({"text": text, **where, **drawing.ABOVE})
    return chart


def _lines(
    chart: Chart, lines: Sequence[Line], across: Sequence[Any], factor: float, hover: str
) -> Chart:
    """A line for each run as far as its numbers reach, with the number of its cell at its end."""
    ends = []
    chart.drawing["shared"] = {"x": [drawing.rounded(value) for value in across]}
    for index, line in enumerate(lines, start=1):
        values = drawing.scaled(chart.series.column(index), factor)
        until = chart.series.facts.get("until", {}).get(index, len(values))
        known = [at for at, value in enumerate(values[:until]) if value is not None]
        length = known[-1] + 1 if known else 0
        look = _identity(line, index) | {
            "opacity": FAINT if line.invalid else 1,
            "line": {
                "color": line.style.colour,
                "dash": line.style.dash,
                "width": 2 if line.first else 1,
            },
        }
        if line.first:
            look |= {"mode": "lines+markers", "marker": _marker(line)}
        text = f"{escaped(line.title)}: {hover}"
        chart.add(scatter(None, values[:length], line.group, text, look))
        if line.first and known:
            ends.append((line, values[length - 1] or 0.0))
    _label(chart, ends)
    return chart


def _identity(line: Line, index: int) -> Trace:
    """By `uid` the page's script finds all that was drawn of a cell."""
    return {"uid": f"cell-{line.cell}-{index}"}


def _marker(line: Line) -> Trace:
    symbol = f"{line.style.marker}-open" if line.invalid else line.style.marker
    return {
        "color": line.style.colour,
        "symbol": symbol,
        "size": 8,
        "maxdisplayed": MOST_MARKERS,
    }


def _label(chart: Chart, ends: Sequence[tuple[Line, float]]) -> None:
    """Writes cells beside the ends of their lines, moved apart where these lie close together.

    A page too narrow for words shows `name` instead, the number alone.
    """
    tallest = max((value for row in _drawn(chart) for value in row), default=0.0) * 1.05 or 1.0
    height = max(drawing.HEIGHT, drawing.TOP + drawing.BOTTOM + LABEL_HEIGHT * (len(ends) + 1))
    pixels = height - drawing.TOP - drawing.BOTTOM
    per_pixel = tallest / pixels
    chart.layout["height"] = height
    chart.layout.update({"showlegend": False, "hovermode": "closest", "hoverdistance": 20})
    chart.layout["margin"]["r"] = LABEL_WIDTH
    chart.layout["yaxis"]["range"] = [0, tallest]
    ends = sorted(ends, key=lambda end: end[1])
    wanted = [value / per_pixel for _, value in ends]
    for (line, value), pixel in zip(ends, _apart(wanted, pixels), strict=True):
        chart.layout["annotations"].append(
            {
                "text": f"{line.cell} {escaped(_short(line.group))}",
                "name": str(line.cell),
                "x": 1,
                "xref": "paper",
                "xanchor": "left",
                "xshift": 4,
                "y": drawing.rounded(value),
                "yshift": round(pixel - value / per_pixel),
                "showarrow": False,
                "font": {"size": 11},
                "bordercolor": line.style.colour,
                "borderwidth": 1,
                "borderpad": 0,
            }
        )


def _drawn(chart: Chart) -> list[list[float]]:
    return [[value for value in trace["y"] if value is not None] for trace in chart.drawing["data"]]


def _apart(pixels: Sequence[float], most: float) -> list[float]:
    """Ascending heights, each at least a label's height above the one before, none above most."""
    moved: list[float] = []
    for pixel in pixels:
        moved.append(max(pixel, moved[-1] + LABEL_HEIGHT) if moved else max(pixel, 0.0))
    for at in reversed(range(len(moved))):
        moved[at] = min(moved[at], most)
        most = moved[at] - LABEL_HEIGHT
    return moved


def _short(title: str) -> str:
    return title if len(title) <= LABEL_LETTERS else f"{title[: LABEL_LETTERS - 1]}…"
