"""Completions: counted from the journeys with names of their own, told on the page and in JSON."""

import json

import pytest

from benchsuite.comparing.cells import cells
from benchsuite.management.output import SafeConsole
from benchsuite.models import Measurement, Run
from benchsuite.report.exports.runs import run_as_json
from benchsuite.report.sentences import completion_lines, completions_sentence
from benchsuite.report.terminal.results import results_table
from benchsuite.report.writers import grid
from tests.factories import make_run

pytestmark = pytest.mark.django_db


def surveyed(failed: int = 0) -> Run:
    """A run of two surveys, whose journeys are named."""
    run = make_run(workload="survey", rate=50)
    run.measurements.filter(scope="journey").delete()
    for name, requests, wrong in (("coffee", 30, failed), ("census", 10, 0)):
        Measurement.objects.create(
            run=run,
            name=f"survey {name}",
            scope="journey",
            requests=requests,
            failures=wrong,
            failure_examples={"status": "census, page 3 (/3/): 500"} if wrong else {},
            throughput=requests / 10,
            goodput=(requests - wrong) / 10,
            response_time={},
            service_time={},
        )
    run.refresh_from_db()
    run.completions, run.failed_completions = 40 - failed, failed
    run.save()
    return run


def test_completions_are_the_sum_over_all_surveys():
    run = surveyed(failed=4)
    assert completions_sentence(run).startswith("36 completed in 10 s (216 a minute, ")
    assert completions_sentence(run).endswith(
        "4 failed, such as survey coffee: census, page 3 (/3/): 500"
    )


def test_other_workloads_have_none():
    run = make_run(workload="io_read")
    assert completions_sentence(run) == ""
    assert completion_lines(cells([run])) == []
    assert run_as_json(run)["completions"] is None


def test_they_are_told_in_words_and_in_json():
    run = surveyed()
    (line,) = completion_lines(cells([run]))
    assert line.startswith("gunicorn-gthread: 40 completed in 10 s (240 a minute,")
    assert line.endswith("none failed.")
    told = run_as_json(run)
    assert (told["completions"], told["failed_completions"]) == (40, 0)
    assert told["completions_per_minute"] == pytest.approx(240)


def test_the_page_and_the_export_show_them(client):
    run = surveyed(failed=1)
    page = client.get(f"/results/{run.pk}/").content.decode()
    assert "<dt>Completions</dt><dd>39</dd>" in page
    assert "<dt>Failed completions</dt><dd>1</dd>" in page
    (exported,) = json.loads(client.get("/results/export/?format=json").getvalue())
    assert exported["completions"] == 39


def test_they_are_a_headline_of_list_comparison_and_table(client):
    run, other = surveyed(failed=1), surveyed()
    assert "39 completed" in client.get("/results/").content.decode()
    compared = client.get(f"/results/compare/?runs={run.pk},{other.pk}").content.decode()
    assert '<th scope="col" class="figure">completions</th>' in compared
    console = SafeConsole(width=200)
    with console.capture() as capture:
        console.table(grid(results_table(cells([run]))))
    heading, _, row = [line for line in capture.get().splitlines() if line.strip()]
    assert heading.split()[1:5] == ["runs", "completions", "failed", "completions"]
    assert row.split()[1:4] == ["1", "39", "1"]


def test_other_workloads_show_no_such_column(client):
    run, other = make_run("uwsgi"), make_run("uvicorn")
    compared = client.get(f"/results/compare/?runs={run.pk},{other.pk}").content.decode()
    assert "completions" not in compared
