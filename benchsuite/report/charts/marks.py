"""How a column is drawn: in plotly's words, but for its numbers, its name and its hover text."""

from dataclasses import dataclass
from typing import Any

Trace = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Mark:
    """The look of a column, and how much of it is drawn."""

    look: Trace
    name: str = ""  #: In the legend; else the column's title.
    above: str = ""  #: Name of the column down to which the area below is filled.
    rows: int | None = None  #: How many of the first rows are drawn; None for all.
    number: int = 0  #: Stands with the name at the end of the line; 0 for lines with a legend.


def line(colour: str, dash: str = "solid") -> Mark:
    return Mark({"mode": "lines", **_stroke(colour, dash)})


def dotted_line(colour: str, dash: str = "solid", name: str = "") -> Mark:
    """A line with a dot at each value: where values are few, and apart."""
    return Mark({"mode": "lines+markers", **_stroke(colour, dash)}, name)


def aside(colour: str, name: str) -> Mark:
    """A line beside what is stacked."""
    return Mark({"mode": "lines", "connectgaps": True, **_stroke(colour, "dash", 1.5)}, name)


def steps(colour: str, rows: int | None = None) -> Mark:
    """A line that keeps its height from each row to the next one."""
    look = _stroke(colour)
    look["line"]["shape"] = "hv"
    return Mark({"mode": "lines", **look}, rows=rows)


def stacked(colour: str, width: float = 2) -> Mark:
    """An area that stands on those of the columns before it."""
    return Mark({"mode": "lines", "stackgroup": "all", **_stroke(colour, width=width)})


def points(colour: str, symbol: str = "circle") -> Mark:
    return Mark({"mode": "markers", "marker": {"color": colour, "symbol": symbol, "size": 9}})


def bars(colour: str) -> Mark:
    """A bar over each second that has something to show."""
    return Mark({"type": "bar", "offset": 0, "width": 1, "marker": {"color": colour}})


def band(colour: str, above: str, name: str, strength: float) -> Mark:
    """The area between a column and the one `above` which it lies; the colour is #rrggbb."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    fill = {"fill": "tonexty", "fillcolor": f"rgba({red},{green},{blue},{strength})"}
    return Mark({"mode": "lines", **_stroke(colour, width=0), **fill}, name, above)


def _stroke(colour: str, dash: str = "solid", width: float = 2) -> Trace:
    return {"line": {"color": colour, "dash": dash, "width": width}}
