"""Runs and charts as CSV and JSON."""

import json
from dataclasses import replace

import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient

from benchsuite.core.commands import PROGRAM_VARIABLE
from benchsuite.report.exports import run_as_json
from benchsuite.views import page as pages
from benchsuite.views.page import CHUNK_LETTERS
from tests.factories import WEAK, make_failed_run, make_run, make_running_run
from tests.golden import words_of
from tests.web.conftest import csv_rows, text

PROMISED = {
    *("id", "label", "workload", "server", "server_version", "argv", "programs", "delay"),
    *("python_version", "processes", "threads", "model", "users", "duration_s", "startup_s"),
    *("requests", "failures", "throughput", "goodput", "response_time", "service_time"),
    *("cpu_percent", "memory_bytes", "verdict", "findings", "environment", "url"),
}

TIMES = {f"{name}_s" for name in ["min", "p10", "p50", "p75", "p90", "p95", "p99", "max", "mean"]}


def test_object_of_a_run_has_all_that_is_promised():
    run = make_run("uwsgi", findings=(WEAK,), label="before")
    written = json.loads(json.dumps(run_as_json(run)))
    assert set(written) >= PROMISED
    assert set(written["response_time"]) == TIMES
    assert set(written["service_time"]) == set(written["response_time"])
    assert written["response_time"]["p95_s"] == written["p95_s"] == run.p95_s
    assert written["findings"][0]["code"] == "B101 generator-cpu"
    assert written["url"] == f"http://127.0.0.1:8000/results/{run.pk}/"
    assert written["environment"]["cpu_count"] == 4


@pytest.mark.parametrize("make", [make_failed_run, make_running_run])
def test_what_is_missing_is_null(make):
    written = run_as_json(make("uvicorn"))
    assert written["goodput"] is None
    assert written["response_time"] is None
    assert written["p99_s"] is None
    assert written["verdict"] is None


def test_chosen_runs_as_csv(client):
    chosen, failed = make_run("uwsgi"), make_failed_run("uvicorn")
    make_run("daphne")
    chosen.refresh_from_db()
    address = f"/results/export/?chosen=1&runs={chosen.pk}&runs={failed.pk}&format=csv"
    answer, found = client.get(address), csv_rows(client, address)
    assert answer["Content-Type"].startswith("text/csv")
    assert "attachment" in answer["Content-Disposition"]
    assert [one["server"] for one in found] == ["uwsgi", "uvicorn"]
    assert float(found[0]["goodput_per_s"]) == chosen.goodput
    assert found[1]["goodput_per_s"] == ""


def test_filtered_runs_as_json(client):
    make_run("uwsgi")
    make_run("daphne")
    written = json.loads(client.get("/results/export/?server=daphne&format=json").getvalue())
    assert [one["server"] for one in written] == ["daphne"]


def test_one_run(client):
    run = make_run("uwsgi")
    answer = client.get(f"/results/{run.pk}/?format=json")
    assert json.loads(answer.getvalue())[0]["id"] == str(run.pk)


def test_a_file_has_a_name_in_any_script(client):
    run = make_run("uwsgi", workload="url", options={"path": "/", "expect": "Корзина"})
    answer = client.get(f"/results/configurations/{run.key}/?format=html")
    assert answer["Content-Disposition"].startswith("attachment; filename*=utf-8''history-uwsgi")


def test_a_file_says_commands_as_they_were_called(client, monkeypatch):
    monkeypatch.setenv(PROGRAM_VARIABLE, "benchsuite")
    run = make_run("uwsgi", findings=(replace(WEAK, hint="See checkbench."),))
    assert "See benchsuite check." in text(client, f"/results/{run.pk}/?format=html")


def test_wrong_wishes_are_refused(golden, soup):
    golden.cases(lambda path: words_of(soup(path, status=400)))


def test_numbers_of_each_chart(golden, client):
    run = make_run("uwsgi")

    def columns(slug):
        found = csv_rows(client, f"/results/{run.pk}/{slug}.csv")
        assert len(found) > 5
        return list(found[0])

    golden.cases(columns)


def test_distribution_agrees_with_the_percentiles_of_the_run(client):
    run = make_run("uwsgi")
    run.refresh_from_db()
    by_percent = {
        float(one["percentile"]): float(one["response_time_s"])
        for one in csv_rows(client, f"/results/{run.pk}/distribution.csv")
    }
    assert by_percent[50.0] == run.p50_s
    assert by_percent[95.0] == run.p95_s
    assert by_percent[99.0] == run.p99_s


def test_unknown_chart_names_the_known(soup):
    run = make_run("uwsgi")
    page = soup(f"/results/{run.pk}/colour.csv", status=404)
    assert "here are: goodput, response-times, distribution, cpu" in page.text
    assert "did you mean goodput?" in soup(f"/results/{run.pk}/goodpot.csv", status=404).text


def anyone(request):
    return True


def test_under_asgi_an_export_is_sent_as_it_is_made(monkeypatch, settings):
    """Django would read an ordinary iterator to its end before the first byte leaves."""
    settings.BENCHSUITE = {"ACCESS": f"{__name__}.anyone"}
    make_run("uwsgi")
    made = []

    def lines(runs):
        for number in range(5):
            made.append(number)
            yield "x" * CHUNK_LETTERS

    monkeypatch.setattr(pages, "csv_of", lines)

    async def some():
        answer = await AsyncClient().get("/results/export/?format=csv")
        assert answer.is_async
        pieces = answer.streaming_content
        assert len(await anext(pieces)) == CHUNK_LETTERS
        before = len(made)
        assert sum([len(piece) async for piece in pieces]) == 4 * CHUNK_LETTERS
        return before

    assert async_to_sync(some)() == 1
    assert len(made) == 5
