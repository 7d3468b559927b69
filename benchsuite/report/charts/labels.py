"""Names at the ends of lines, moved apart where the lines end close together."""

from collections.abc import Sequence
from typing import Any, NamedTuple

HEIGHT = 320
TOP, BOTTOM = 44, 48
LABEL_WIDTH = 150
LABEL_LETTERS = 22
LABEL_HEIGHT = 15


class End(NamedTuple):
    """The end of a line, and what is written beside it."""

    number: int  #: Alone where a page is too narrow for words.
    name: str
    colour: str
    value: float


def write(drawing: dict[str, Any], ends: Sequence[End]) -> None:
    """Names take the place of the legend; the drawing grows with their number."""
    drawn = [value for trace in drawing["data"] for value in trace["y"] if value is not None]
    tallest = max(drawn, default=0.0) * 1.05 or 1.0
    height = max(HEIGHT, TOP + BOTTOM + LABEL_HEIGHT * (len(ends) + 1))
    pixels = height - TOP - BOTTOM
    per_pixel = tallest / pixels
    layout = drawing["layout"]
    layout |= {"height": height, "showlegend": False, "hovermode": "closest", "hoverdistance": 20}
    layout["margin"]["r"] = LABEL_WIDTH
    layout["yaxis"]["range"] = [0, tallest]
    ends = sorted(ends, key=lambda end: end.value)
    wanted = [end.value / per_pixel for end in ends]
    for end, pixel in zip(ends, _apart(wanted, pixels), strict=True):
        layout["annotations"].append(
            {
                "text": f"{end.number} {_short(end.name)}",
                "name": str(end.number),
                "x": 1,
                "xref": "paper",
                "xanchor": "left",
                "xshift": 4,
                "y": end.value,
                "yshift": round(pixel - end.value / per_pixel),
                "showarrow": False,
                "font": {"size": 11},
                "bordercolor": end.colour,
                "borderwidth": 1,
                "borderpad": 0,
            }
        )


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
