"""The parts of a run, levels and kinds of users: stored, shown as tables, told in JSON."""

from dataclasses import replace

import pytest

from benchsuite.core.results import Arrivals, Distribution
from benchsuite.core.samples import POPULATION
from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec
from tests.factories import stored
from tests.unit.findings.clean import summary

pytestmark = pytest.mark.django_db

LOAD = LoadProfile(model="open", arrival_rate=200.0, stages=(200.0, 50.0, 200.0))
TIMES = Distribution(count=2, min_s=0.001, max_s=0.5, mean_s=0.1, percentiles={50: 0.002})
GIVEN = {"requests": 90, "failures": 1, "throughput": 9.0, "goodput": 8.9}
PART = summary(**GIVEN, response_time=TIMES, service_time=TIMES, concurrency=None)
PAGES = replace(PART, name="8 users of url", scope=POPULATION, order=1)
ECHOES = replace(PAGES, name="2 users of ws_echo", requests=30, goodput=3.0, failures=0, order=2)


def stage(level, order):
    arrivals = Arrivals(offered_rate=level, achieved_rate=level / 2, late=4, dropped=3)
    told = {"throughput": level, "goodput": level * 0.9, "wait_time": TIMES}
    name = LOAD.level_words(level)
    return replace(
        PART, name=name, scope="stage", arrivals=arrivals, level=level, order=order, **told
    )


def of(total, *parts, **given):
    return stored(RunSpec(server=ServerSpec(server="uvicorn"), **given), total, *parts)


def rows_of(table):
    texts = [[str(cell).replace("\u2009", " ") for cell in row] for row in table.rows]
    return [dict(zip(table.headings, row, strict=True)) for row in texts]


def test_values(golden):
    golden.values()
