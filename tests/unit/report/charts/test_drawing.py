"""What a series becomes as plotly.js reads it."""

from benchsuite.report.charts.drawing import draw
from benchsuite.report.charts.series import SECOND, SECONDS, Axis, Column, Scale, Series
from benchsuite.report.charts.styles import line

UP = Axis("memory (MiB)", " MiB", 2**20)


def drawing(*columns, across=SECONDS):
    named = [
        Column(f"figure {number}", f"figure {number}", mark=mark)
        for number, (mark, _) in enumerate(columns, start=1)
    ]
    seconds = range(len(columns[0][1]))
    rows = zip(seconds, *(values for _, values in columns), strict=True)
    return draw(Series("any", "Any", across, UP, (SECOND, *named), tuple(rows))).drawing


def axis_of(*levels):
    columns = (Column("users", "users"), Column("rate", "rate", mark=line("#000000")))
    axis = Axis("users", scale=Scale.LEVEL)
    series = Series("any", "Any", axis, UP, columns, tuple((one, 1) for one in levels))
    return draw(series).layout["xaxis"]


def across(*levels):
    """The kind of axis, and where it has its ticks."""
    axis = axis_of(*levels)
    return axis.get("type"), axis.get("tickvals")


def test_values(golden):
    golden.values()
