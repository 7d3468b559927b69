"""The parts of a run, levels and kinds of users: stored, shown as tables, told in JSON."""

from dataclasses import replace
from typing import Any

import pytest

from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Place
from benchsuite.core.results import Arrivals, Distribution
from benchsuite.core.samples import POPULATION
from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.report.exports.runs import run_as_json
from benchsuite.report.parts import populations_table, stages_of, stages_table
from tests.factories import stored
from tests.unit.findings.clean import summary

LOAD = LoadProfile(model="open", arrival_rate=200.0, stages=(200.0, 50.0, 200.0))
TIMES = Distribution(count=2, min_s=0.001, max_s=0.5, mean_s=0.1, percentiles={50: 0.002})
GIVEN = {"requests": 90, "failures": 1, "throughput": 9.0, "goodput": 8.9}
PART = summary(**GIVEN, response_time=TIMES, service_time=TIMES, concurrency=None)
PAGES = replace(PART, name="8 users of url", scope=POPULATION, order=1)
ECHOES = replace(PAGES, name="2 users of ws_echo", requests=30, goodput=3.0, failures=0, order=2)


def stage(level, order):
    arrivals = Arrivals(offered_rate=level, achieved_rate=level / 2, late=4, dropped=3)
    told: dict[str, Any] = {"throughput": level, "goodput": level * 0.9, "wait_time": TIMES}
    name = LOAD.level_words(level)
    return replace(
        PART, name=name, scope="stage", arrivals=arrivals, level=level, order=order, **told
    )


def of(total, *parts, **given):
    return stored(RunSpec(server=ServerSpec(server="uvicorn"), **given), total, *parts)


@pytest.fixture
def climb(db):
    total = replace(stage(200, 0), scope="all", name="all requests", level=None)
    return of(total, *map(stage, LOAD.stages, (1, 2, 3)), load=LOAD)


@pytest.fixture
def mixed(db):
    return of(PART, PAGES, ECHOES, workload=WorkloadSpec(workload="mixed"))


def rows_of(table):
    texts = [[str(cell).replace("\u2009", " ") for cell in row] for row in table.rows]
    return [dict(zip(table.headings, row, strict=True)) for row in texts]


def test_the_levels_are_in_their_order(climb):
    levels = stages_of(climb.measurements.all())
    assert [one.level for one in levels] == [200, 50, 200]
    times = {"min_s": 0.001, "p10_s": None, "p50_s": 0.002, "p90_s": None, "p95_s": None}
    metrics = [metric for metric in every.in_place(Place.STAGE) if metric.of_times]
    assert {metric.name: metric.of_part(levels[1]) for metric in metrics} == {
        **times,
        "max_s": 0.5,
    }
    assert (levels[1].goodput, levels[1].achieved_rate, levels[1].dropped) == (45, 25, 3)
    rows = rows_of(stages_table([climb]))
    assert [row["load"] for row in rows] == ["200 /s", "50 /s", "200 /s"]
    assert "25.0 /s" in rows[1].values()
    assert stages_table([]) is None


def test_json_tells_the_levels_and_the_arrivals(climb):
    told = run_as_json(climb)
    assert (told["model"], told["users"], told["arrival_rate"]) == ("open", None, 200.0)
    assert (told["offered_rate"], told["achieved_rate"]) == (200, 100)
    assert (told["late"], told["dropped"]) == (4, 3)
    assert (told["wait_time"]["p50_s"], told["wait_time"]["p99_s"]) == (0.002, None)
    assert [one["level"] for one in told["stages"]] == [200, 50, 200]
    assert told["stages"][0]["response_time"]["min_s"] == 0.001


def test_each_kind_of_users_has_a_row(mixed):
    rows = rows_of(populations_table([mixed]))
    assert [row["users"] for row in rows] == [PAGES.name, ECHOES.name]
    assert [row["failed"] for row in rows] == ["1", "0"]
    assert (rows[0]["goodput"], rows[0]["p50"]) == ("8.90 /s", "2.00 ms")
    told = run_as_json(mixed)["populations"]
    assert {one["name"]: one["goodput"] for one in told} == {PAGES.name: 8.9, ECHOES.name: 3.0}
    mixed.measurements.filter(scope=POPULATION).delete()
    assert populations_table([mixed]) is None
    assert run_as_json(mixed)["populations"] == []


def test_values(golden):
    golden.values()
