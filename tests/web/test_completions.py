"""Completions: counted from the journeys with names of their own, told on the page and in JSON."""

import json

import pytest

from benchsuite.comparing.cells import cells
from benchsuite.report.answers import results_table
from benchsuite.report.exports import run_as_json
from tests.factories import make_run
from tests.web.conftest import text

pytestmark = pytest.mark.django_db


def surveyed(failed=0):
    """A run of two surveys, whose journeys are named."""
    run = make_run(workload="survey", rate=50)
    run.measurements.filter(scope="journey").delete()
    for name, requests, wrong in (("coffee", 30, failed), ("census", 10, 0)):
        named = {"name": f"survey {name}", "scope": "journey"}
        counts = {"requests": requests, "failures": wrong, "throughput": requests / 10}
        times = {"goodput": (requests - wrong) / 10, "response_time": {}, "service_time": {}}
        run.measurements.create(**named, **counts, **times)
    run.refresh_from_db()
    run.completions, run.failed_completions = 40 - failed, failed
    run.save()
    return run


def test_they_are_told_in_json():
    told = run_as_json(surveyed())
    assert (told["completions"], told["failed_completions"]) == (40, 0)
    assert told["completions_per_minute"] == pytest.approx(240)


def test_pages_exports_and_tables_show_them(client):
    run, other = surveyed(failed=1), surveyed()
    page = text(client, f"/results/{run.pk}/")
    assert "<dt>Completions</dt><dd>39</dd>" in page
    assert "<dt>Failed completions</dt><dd>1</dd>" in page
    exported = json.loads(text(client, f"/results/export/?format=json&runs={run.pk}"))
    assert exported[0]["completions"] == 39
    assert "39 completed" in text(client, "/results/")
    compared = text(client, f"/results/compare/?runs={run.pk},{other.pk}")
    assert '<th scope="col" class="figure">completions</th>' in compared
    shown = results_table(cells([run]))
    assert list(shown.headings)[1:4] == ["runs", "completions", "failed completions"]
    assert list(shown.rows[0])[1:4] == ["1", "39", "1"]


def test_other_workloads_have_none(client):
    run, other = make_run("uwsgi"), make_run("uvicorn")
    assert run_as_json(run)["completions"] is None
    assert "completions" not in text(client, f"/results/compare/?runs={run.pk},{other.pk}")
