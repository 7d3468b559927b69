"""What a series becomes as plotly.js reads it."""

from itertools import pairwise
from typing import Any

import pytest

from benchsuite.report.charts.drawing import draw
from benchsuite.report.charts.series import (
    RESPONSE_TIME,
    SECOND,
    SECONDS,
    Axis,
    Column,
    Mark,
    Scale,
    Series,
    band,
    bars,
    line,
    steps,
)

UP = Axis("memory (MiB)", " MiB", 2**20)


def drawing(*columns: tuple[Mark | None, list[Any]], across: Axis = SECONDS) -> dict[str, Any]:
    named = [
        Column(f"figure {number}", f"figure {number}", mark=mark)
        for number, (mark, _) in enumerate(columns, start=1)
    ]
    seconds = range(len(columns[0][1]))
    rows = zip(seconds, *(values for _, values in columns), strict=True)
    return draw(Series("any", "Any", across, UP, (SECOND, *named), tuple(rows))).drawing


def test_a_column_without_a_mark_or_a_value_is_not_drawn() -> None:
    black = line("#000000")
    assert drawing((None, [1, 2]), (black, [None, None]))["data"] == []
    assert drawing((bars("#000000"), [0, 0]))["data"] == [], "a bar of nothing shows nothing"
    assert drawing((black, [0, 0]))["data"][0]["y"] == [0, 0]


def test_values_are_drawn_in_the_unit_of_their_axis() -> None:
    (trace,) = drawing((line("#000000"), [2**20, None, 2**21, None]))["data"]
    assert trace["y"] == [1, None, 2]
    assert trace["hovertemplate"] == "figure 1: %{y:.4~r} MiB<extra></extra>"
    (trace,) = drawing((line("#000000"), [2**20, 0]), across=Axis("users"))["data"]
    assert trace["hovertemplate"] == "figure 1: %{y:.4~r} MiB at %{x:.4~r} users<extra></extra>"


def test_one_point_is_a_dot() -> None:
    assert drawing((line("#000000"), [5]))["data"][0]["mode"] == "markers"
    assert drawing((line("#000000"), [5, 6]))["data"][0]["mode"] == "lines"


def test_the_last_step_reaches_its_end_and_only_so_many_rows_are_drawn() -> None:
    line, rest = drawing((steps("#000000", rows=2), [2**20, 2**21, 2**22]))["data"]
    assert line["y"] == [1, 2]
    assert (rest["x"], rest["y"]) == ([1, 2], [2, 2])


def test_a_band_lies_above_its_lower_edge() -> None:
    area_mark = band("#102030", "figure 1", "least to most", 0.5)
    edge, area = drawing((None, [2**20, 2**20]), (area_mark, [2**21, 2**22]))["data"]
    assert (edge["y"], area["y"]) == ([1, 1], [2, 4])
    assert area["fillcolor"] == "rgba(16,32,48,0.5)"
    assert area["name"] == "least to most"


def test_times_are_in_the_unit_that_fits() -> None:
    columns = (SECOND, Column("p50_s", "p50", mark=line("#000000")))
    for longest, unit, drawn in ((0.5, "ms", 500), (2.5, "s", 2.5)):
        series = Series("any", "Any", SECONDS, RESPONSE_TIME, columns, ((0, longest),))
        chart = draw(series)
        assert chart.layout["yaxis"]["title"]["text"] == f"response time ({unit})"
        assert chart.drawing["data"][0]["y"] == [drawn]


def test_names_at_the_ends_of_lines_are_moved_apart() -> None:
    look = line("#000000").look
    ends = [(Mark(look, "a cell", number=number), [1, 2**20]) for number in (1, 2, 3)]
    layout = drawing(*ends)["layout"]
    shifts = [note["yshift"] for note in layout["annotations"]]
    assert [note["name"] for note in layout["annotations"]] == ["1", "2", "3"]
    assert layout["showlegend"] is False
    assert [after - before for before, after in pairwise(shifts)] == [15, 15]


@pytest.mark.parametrize(
    ("levels", "kind"),
    [
        ([1, 2, 4, 8, 16, 32, 64], "log"),
        ([1, 10, 100], "log"),
        ([250, 500, 750, 1000, 1250], None),
        ([0, 100, 200], None),
        ([5, 50], None),
        (["sync", "async"], "category"),
    ],
)
def test_levels_that_double_lie_as_far_apart(levels: list[Any], kind: str | None) -> None:
    columns = (Column("users", "users"), Column("rate", "rate", mark=line("#000000")))
    across = Axis("users", scale=Scale.LEVEL)
    series = Series("any", "Any", across, UP, columns, tuple((one, 1) for one in levels))
    axis = draw(series).layout["xaxis"]
    assert axis.get("type") == kind
    assert kind == "category" or axis["tickvals"] == levels
