"""What a series becomes as plotly.js reads it."""

from typing import Any

from benchsuite.report.charts.drawing import draw
from benchsuite.report.charts.series import (
    RESPONSE_TIME,
    SECOND,
    SECONDS,
    Axis,
    Column,
    Scale,
    Series,
)
from benchsuite.report.charts.styles import Mark, line, steps

UP = Axis("memory (MiB)", " MiB", 2**20)


def drawing(*columns: tuple[Mark | None, list[Any]], across: Axis = SECONDS) -> dict[str, Any]:
    named = [
        Column(f"figure {number}", f"figure {number}", mark=mark)
        for number, (mark, _) in enumerate(columns, start=1)
    ]
    seconds = range(len(columns[0][1]))
    rows = zip(seconds, *(values for _, values in columns), strict=True)
    return draw(Series("any", "Any", across, UP, (SECOND, *named), tuple(rows))).drawing


def test_the_last_step_reaches_its_end_and_only_so_many_rows_are_drawn():
    line, rest = drawing((steps("#000000", rows=2), [2**20, 2**21, 2**22]))["data"]
    assert line["y"] == [1, 2]
    assert (rest["x"], rest["y"]) == ([1, 2], [2, 2])


def test_times_are_in_the_unit_that_fits():
    columns = (SECOND, Column("p50_s", "p50", mark=line("#000000")))
    for longest, unit, drawn in ((0.5, "ms", 500), (2.5, "s", 2.5)):
        series = Series("any", "Any", SECONDS, RESPONSE_TIME, columns, ((0, longest),))
        chart = draw(series)
        assert chart.layout["yaxis"]["title"]["text"] == f"response time ({unit})"
        assert chart.drawing["data"][0]["y"] == [drawn]


def axis_of(*levels):
    columns = (Column("users", "users"), Column("rate", "rate", mark=line("#000000")))
    axis = Axis("users", scale=Scale.LEVEL)
    series = Series("any", "Any", axis, UP, columns, tuple((one, 1) for one in levels))
    return draw(series).layout["xaxis"]


def across(*levels):
    """The kind of axis, and where it has its ticks."""
    axis = axis_of(*levels)
    return axis.get("type"), axis.get("tickvals")


def test_texts_lie_as_far_apart_and_are_broken_where_they_are_long():
    levels = ["sync", "gunicorn with uvicorn, 1 000 connections"]
    assert across(*levels) == ("category", levels)
    assert [words.replace("<br>", " ") for words in axis_of(*levels)["ticktext"]] == levels


def test_values(golden):
    golden.values()
