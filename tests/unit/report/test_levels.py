"""The levels of a run: stored in order, shown as a table, told as points for a chart."""

from dataclasses import replace

import pytest

from benchsuite import store
from benchsuite.core.results import Arrivals, Distribution, RunResult, Status, Summary
from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec
from benchsuite.management.output import SafeConsole
from benchsuite.models import Run
from benchsuite.report.exports.runs import run_as_json
from benchsuite.report.levels import stages_of, stages_table, times_of_levels
from benchsuite.report.terminal.progress import _phase
from benchsuite.report.writers import grid
from tests.factories import BEGUN, begin

LOAD = LoadProfile(model="open", arrival_rate=200.0, stages=(200.0, 50.0, 200.0))
TIMES = Distribution(count=2, min_s=0.001, max_s=0.5, mean_s=0.1, percentiles={50: 0.002})


def stage(level: float, order: int) -> Summary:
    return Summary(
        name=LOAD.level_words(level),
        scope="stage",
        requests=10,
        failures=1,
        throughput=level,
        goodput=level * 0.9,
        response_time=TIMES,
        service_time=TIMES,
        wait_time=TIMES,
        arrivals=Arrivals(offered_rate=level, achieved_rate=level / 2, late=4, dropped=3),
        level=level,
        order=order,
    )


@pytest.fixture
def run(db: None) -> Run:
    spec = RunSpec(server=ServerSpec(server="uvicorn"), load=LOAD)
    row = begin(spec, batch=store.UUID(int=1), started_at=BEGUN)
    stages = tuple(stage(level, order) for order, level in enumerate(LOAD.stages, start=1))
    total = replace(stage(200, 0), scope="all", name="all requests", level=None)
    store.finish(
        row,
        RunResult(
            spec=spec,
            status=Status.FINISHED,
            started_at=BEGUN,
            total=total,
            summaries=stages,
            environment={"hostname": "here"},
        ),
    )
    return Run.objects.get()


def test_the_levels_are_in_their_order(run: Run) -> None:
    found = stages_of(run.measurements.all())
    assert [one.level for one in found] == [200, 50, 200]
    assert {time.name: time.of_part(found[1]) for time in times_of_levels()} == {
        "min_s": 0.001,
        "p10_s": None,
        "p50_s": 0.002,
        "p90_s": None,
        "p95_s": None,
        "max_s": 0.5,
    }
    assert (found[1].goodput, found[1].achieved_rate, found[1].dropped) == (45, 25, 3)


def test_the_table_has_a_row_a_level(run: Run) -> None:
    table = stages_table([run])
    assert table is not None
    console = SafeConsole(width=160)
    with console.capture() as shown:
        console.table(grid(table))
    lines = [line for line in shown.get().splitlines() if "uvicorn" in line]
    assert len(lines) == 3
    assert "50 /s" in lines[1]
    assert "25.0\u2009/s" in lines[1]


def test_json_tells_the_levels_and_the_arrivals(run: Run) -> None:
    told = run_as_json(run)
    assert (told["model"], told["users"], told["arrival_rate"]) == ("open", None, 200.0)
    assert (told["offered_rate"], told["achieved_rate"]) == (200, 100)
    assert (told["late"], told["dropped"]) == (4, 3)
    assert told["wait_time"]["p50_s"] == 0.002
    assert told["wait_time"]["p99_s"] is None
    assert [one["level"] for one in told["stages"]] == [200, 50, 200]
    assert told["stages"][0]["response_time"]["min_s"] == 0.001


def test_a_run_of_one_level_has_no_table() -> None:
    assert stages_table([]) is None


@pytest.mark.parametrize(
    ("elapsed_s", "phase"),
    [
        (0.0, ("200 /s · warm-up", 0.0, 3.0)),
        (4.0, ("200 /s · window", 1.0, 10.0)),
        (13.5, ("50 /s · warm-up", 0.5, 3.0)),
        (40.0, ("drain", 1.0, 30.0)),
    ],
)
def test_the_progress_names_the_level(elapsed_s: float, phase: tuple[str, float, float]) -> None:
    assert _phase(LOAD, elapsed_s) == phase
