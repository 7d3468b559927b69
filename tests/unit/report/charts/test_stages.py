"""Levels as points, and as two charts against users or rate."""

from typing import Any

from benchsuite.models import Measurement
from benchsuite.report.charts import of_run as stage_charts
from benchsuite.report.charts.drawing import draw
from benchsuite.report.levels import stages_of


def stage(order: int, level: float, **given: Any) -> Measurement:
    times = {"min_s": 0.01, "p10_s": 0.02, "p50_s": 0.05, "p90_s": 0.2, "max_s": 0.4}
    fields: dict[str, Any] = {
        "scope": "stage",
        "name": f"{level:g} users",
        "level": level,
        "order": order,
        "goodput": 100.0 * order,
        "failures": 0,
        "response_time": times,
    }
    return Measurement(**{**fields, **given})


def test_levels_are_in_the_order_they_were_run_in() -> None:
    others = Measurement(scope="all", name="all requests", response_time={}, goodput=1.0)
    found = stages_of([stage(2, 50), others, stage(1, 100)])
    assert [one.level for one in found] == [100, 50]


def test_no_levels_no_charts() -> None:
    assert not stage_charts.goodput_of_levels([], "requests", "user")
    assert not stage_charts.response_times_of_levels([], "user")


def test_goodput_is_drawn_against_users() -> None:
    series = stage_charts.goodput_of_levels(
        stages_of([stage(1, 50), stage(2, 100)]), "requests", "user"
    )
    drawing = draw(series).drawing
    assert drawing["layout"]["xaxis"]["title"]["text"] == "users"
    assert series.column(0) == [50, 100]
    assert series.column(1) == [100.0, 200.0]


def test_an_open_models_levels_are_rates() -> None:
    series = stage_charts.goodput_of_levels(
        stages_of([stage(1, 50, achieved_rate=49.0, dropped=3)]), "requests", "user"
    )
    assert series.across.title == "arrivals per second"
    assert series.rows == ((50, 100.0, 49.0, 0, 3),)


def test_the_band_reaches_from_least_to_longest_in_milliseconds() -> None:
    series = stage_charts.response_times_of_levels(stages_of([stage(1, 50)]), "user")
    drawing = draw(series).drawing
    drawn = {one.get("name"): one for one in drawing["data"]}
    assert {"min to max", "p10 to p90", "median"} <= set(drawn)
    assert drawn["median"]["y"] == [50.0]
    assert "p95" not in drawn, "what is missing is not drawn"
    assert drawing["layout"]["yaxis"]["title"]["text"] == "response time (ms)"
