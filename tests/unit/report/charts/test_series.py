"""The numbers behind the charts."""

import numpy as np
import pytest

from benchsuite.models import Interval, Measurement, Run
from benchsuite.report.charts import of_run
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


def stage(order, level, **given):
    times = {"min_s": 0.01, "p10_s": 0.02, "p50_s": 0.05, "p90_s": 0.2, "max_s": 0.4}
    fields = {
        "scope": "stage",
        "name": f"{level:g} users",
        "level": level,
        "order": order,
        "goodput": 100.0 * order,
        "failures": 0,
        "response_time": times,
    }
    return Measurement(**{**fields, **given})


def test_values(golden):
    golden.values()


def test_levels_have_every_digit_that_was_given():
    levels = stages_of([stage(1, 50.0), stage(2, 1024.0)])
    goodput = of_run.goodput_of_levels(levels, "requests", "user")
    for series in (goodput, of_run.response_times_of_levels(levels, "user")):
        assert [row[0] for row in series.short_rows] == ["50", "1024"]


@pytest.mark.parametrize(("seconds", "column"), [(120, "a second"), (121, "2 seconds")])
def test_a_heat_map_says_what_a_column_is(seconds, column):
    answers = histogram.encode(histogram.of(np.array([0.1, 0.2])))
    rows = [Interval(second=at, failures=0, histogram=answers) for at in range(seconds)]
    heat = of_run.heat_map(rows, [])
    assert heat is not None
    assert heat["sentence"].startswith(f"A column is {column}; ")
