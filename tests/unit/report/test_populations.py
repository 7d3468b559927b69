"""Kinds of users: stored, shown as a table, told in JSON."""

from dataclasses import replace

import pytest

from benchsuite import store
from benchsuite.core.results import Distribution, RunResult, Status, Summary
from benchsuite.core.samples import POPULATION
from benchsuite.core.specs import RunSpec, ServerSpec, WorkloadSpec
from benchsuite.management.output import SafeConsole
from benchsuite.models import Run
from benchsuite.report.exports.runs import run_as_json
from benchsuite.report.levels import populations_table
from benchsuite.report.writers import grid
from tests.factories import BEGUN, begin

TIMES = Distribution(count=2, min_s=0.001, max_s=0.5, mean_s=0.1, percentiles={50: 0.002})
PAGES = Summary(
    name="8 users of url",
    scope=POPULATION,
    requests=90,
    failures=1,
    throughput=9.0,
    goodput=8.9,
    order=1,
    response_time=TIMES,
    service_time=TIMES,
)
ECHOES = replace(PAGES, name="2 users of ws_echo", requests=30, goodput=3.0, failures=0, order=2)


@pytest.fixture
def run(db: None) -> Run:
    spec = RunSpec(server=ServerSpec(server="uvicorn"), workload=WorkloadSpec(workload="mixed"))
    row = begin(spec, batch=store.UUID(int=1), started_at=BEGUN)
    store.finish(
        row,
        RunResult(
            spec=spec,
            status=Status.FINISHED,
            started_at=BEGUN,
            total=replace(PAGES, name="all requests", scope="all", order=0),
            summaries=(PAGES, ECHOES),
            environment={"hostname": "here"},
        ),
    )
    return Run.objects.get()


def test_the_table_has_a_row_for_each(run: Run) -> None:
    table = populations_table([run])
    assert table is not None
    console = SafeConsole(width=120)
    with console.capture() as captured:
        console.table(grid(table))
    rows = captured.get().splitlines()[-3:-1]
    words = [row.replace("\u2009", " ").split() for row in rows]
    names = [" ".join(row[1:5]) for row in words]
    assert names == ["8 users of url", "2 users of ws_echo"]
    assert [row[6] for row in words] == ["1", "0"]
    assert words[0][7:11] == ["8.90", "/s", "2.00", "ms"]


def test_the_json_has_them(run: Run) -> None:
    told = run_as_json(run)["populations"]
    assert {one["name"]: one["goodput"] for one in told} == {
        "8 users of url": 8.9,
        "2 users of ws_echo": 3.0,
    }


def test_a_run_whose_users_do_the_same_has_none(run: Run) -> None:
    run.measurements.filter(scope=POPULATION).delete()
    assert populations_table([run]) is None
    assert run_as_json(run)["populations"] == []
