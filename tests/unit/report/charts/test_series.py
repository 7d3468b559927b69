"""The numbers behind the charts."""

from typing import Any

import pytest

from benchsuite.core.specs import LoadProfile
from benchsuite.models import Interval, Measurement, Reading, Run
from benchsuite.report.charts import of_run
from benchsuite.report.charts.drawing import draw
from benchsuite.report.parts import stages_of
from benchsuite.stats import histogram
from benchsuite.stats.summary import samples_needed

RUN = Run(warmup_s=0, duration_s=600, spec={}, unit="request")


@pytest.mark.parametrize("count", [20, 72, 368, 3688, 100_000])
def test_percentile_grid_ends_where_the_samples_do(count):
    grid = of_run.grid(count)
    assert grid == sorted(set(grid))
    assert grid[0] == 0
    assert samples_needed(grid[-1] - 0.001) <= count < samples_needed(grid[-1] + 0.001)


def test_percentile_grid_holds_the_percentiles_of_the_tables():
    assert {50.0, 75.0, 95.0, 99.0} <= set(of_run.grid(1000))
    assert 99.9 not in of_run.grid(1000)
    assert of_run.grid(0) == []


def test_distribution_shows_service_time_only_where_it_differs():
    import numpy as np

    quick = histogram.encode(histogram.of(np.linspace(0.01, 0.02, 400)))
    slow = histogram.encode(histogram.of(np.linspace(0.02, 0.09, 400)))
    same = of_run.distribution(Measurement(response_histogram=quick, service_histogram=quick), "")
    both = of_run.distribution(Measurement(response_histogram=slow, service_histogram=quick), "")
    assert [column.title for column in same.columns] == ["percentile", "response time"]
    assert [column.title for column in both.columns[1:]] == ["response time", "service time"]
    assert not of_run.distribution(None, "requests")


def test_parts_read_a_moment_apart_share_a_row():
    readings = [
        Reading(second=0.499, part="load", cpu_percent=60.0),
        Reading(second=0.501, part="target", cpu_percent=150.0),
        Reading(second=1.5, part="target", cpu_percent=None),
        Reading(second=1.503, part="load", cpu_percent=61.0),
    ]
    found = of_run.by_part(readings, "cpu")
    assert [column.title for column in found.columns] == ["second", "target", "load"]
    assert found.rows == ((0.5, 150.0, 60.0), (1.5, None, 61.0))


def test_nothing_known_is_nothing_to_show():
    assert not of_run.by_part([Reading(second=0.5, part="target")], "cpu")
    assert not of_run.goodput(RUN, [])


def test_what_is_no_window_is_shaded_as_it_was_planned():
    """Each level settles by itself, and warm-ups need not end with a second."""
    intervals = [Interval(second=second, phase="window") for second in range(6)]
    levels = LoadProfile(stages=(5.0, 10.0), users=10, warmup_s=0.5, duration_s=1.5)
    run = Run(warmup_s=0.5, duration_s=1.5, spec={"load": levels.to_json()})
    warm_ups = [("warm-up", 0.0, 0.5), ("warm-up", 2.0, 2.5)]
    assert of_run.shades(run, intervals) == [*warm_ups, ("drain", 4.0, 6.0)]
    assert of_run.shades(run, intervals[:3]) == warm_ups, "it ended before"
    run.spec = {}
    assert of_run.shades(run, intervals) == [("warm-up", 0.0, 0.5), ("drain", 2.0, 6.0)]


def test_connections_by_state_against_the_most_there_can_be():
    counts = [{"active": 3, "limit": 20}, None, {"active": 1, "idle": 5, "limit": 20}]
    read = [
        Reading(second=float(second), part="database", counts=one)
        for second, one in enumerate(counts)
    ]
    read.append(Reading(second=0.1, part="redis", counts={"clients": 4}))
    found = of_run.database_connections(read)
    assert [column.title for column in found.columns] == ["second", "active", "idle", "limit"]
    assert found.rows == ((0.0, 3, 0, 20), (2.0, 1, 5, 20))
    assert [trace["name"] for trace in draw(found).drawing["data"]] == ["active", "idle", "limit"]
    assert not of_run.database_connections([])


def stage(order, level, **given):
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


def test_no_levels_no_charts():
    assert not of_run.goodput_of_levels([], "requests", "user")
    assert not of_run.response_times_of_levels([], "user")


def test_the_band_reaches_from_least_to_longest_in_milliseconds():
    series = of_run.response_times_of_levels(stages_of([stage(1, 50)]), "user")
    drawing = draw(series).drawing
    drawn = {one.get("name"): one for one in drawing["data"]}
    assert {"min to max", "p10 to p90", "median"} <= set(drawn)
    assert drawn["median"]["y"] == [50.0]
    assert "p95" not in drawn, "what is missing is not drawn"
    assert drawing["layout"]["yaxis"]["title"]["text"] == "response time (ms)"


def test_values(golden):
    golden.values()
