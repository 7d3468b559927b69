"""The numbers behind the charts."""

import pytest

from benchsuite.models import Measurement, Run
from benchsuite.report.charts import of_run
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
