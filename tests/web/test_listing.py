"""The list of runs: filters, order, pages, groups."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from benchsuite.core.results import Status
from benchsuite.models import Run
from tests.factories import (
    BEGUN,
    INVALID,
    make_failed_run,
    make_rows,
    make_run,
    make_running_run,
)
from tests.starts import SLOW, doubt, starts

COLUMNS = ["verdict", "when", "label", "workload", "server", "size", "load", "goodput", "p95"]
COLUMNS += ["failed", "cpu", "memory"]


def servers(page: Any) -> Any:
    return [cell.contents[0].strip() for cell in page.select("tr.run td.server")]


def test_without_runs_it_says_what_to_type(soup):
    page = soup("/results/")
    commands = [block.text for block in page.select("pre.command code")]
    assert any("manage.py runbench --server=" in command for command in commands)


def test_a_row_shows_figures_with_units(soup):
    run = make_run("uwsgi", version="2.0.30", rate=600, label="before")
    row = soup("/results/").select_one("tr.run")
    assert row.select_one(".verdict").text.strip() == "● valid"
    assert "uwsgi 2.0.30" in row.select_one(".server").text
    assert row.select_one(".goodput").text.endswith("\u2009/s")
    assert row.select_one(".p95").text.endswith("\u2009ms")
    assert row.select_one(".memory").text.endswith("\u2009MiB")
    assert row.select_one(".load").text == "100 users"
    assert row.select_one(".when a")["href"] == f"/results/{run.pk}/"


def test_newest_first(soup):
    make_run("uwsgi", started_at=BEGUN)
    make_run("waitress", started_at=BEGUN + timedelta(hours=1))
    assert servers(soup("/results/")) == ["waitress", "uwsgi"]


def test_failed_run_says_why_and_has_no_zeros(soup):
    make_failed_run("uvicorn")
    page = soup("/results/")
    row = page.select_one("tr.run")
    assert row.select_one(".verdict").text.strip() == "✗ failed"
    assert "ended with status 1" in page.select_one("tr.reason").text
    missing = row.select_one(".goodput .missing")
    assert missing.text == "—"
    assert "failed" in missing["title"]


def test_running_run_shows_its_progress(soup):
    make_running_run("granian-wsgi")
    page = soup("/results/")
    assert "running" in page.select_one("tr.run .verdict").text
    assert page.select_one("tr.run progress")
    assert page.select_one("meta[http-equiv=refresh]")


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("sign", ["", "-"])
def test_every_column_sorts_and_missing_values_come_last(soup, column, sign):
    make_failed_run("uvicorn", started_at=BEGUN + timedelta(hours=2), processes=None)
    make_run("uwsgi", rate=300)
    make_run("waitress", rate=600, started_at=BEGUN + timedelta(hours=1))
    page = soup(f"/results/?sort={sign}{column}")
    assert page.select_one(f"thead th.{column}")["aria-sort"] == (
        "descending" if sign else "ascending"
    )
    if column in ("goodput", "p95", "failed", "cpu", "memory"):
        assert servers(page)[-1] == "uvicorn"


def test_sorting_by_goodput_orders_by_it(soup):
    make_run("uwsgi", rate=300)
    make_run("waitress", rate=600)
    assert servers(soup("/results/?sort=-goodput")) == ["waitress", "uwsgi"]
    assert servers(soup("/results/?sort=goodput")) == ["uwsgi", "waitress"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("server=uwsgi", {"uwsgi"}),
        ("server=uwsgi&server=uvicorn", {"uwsgi", "uvicorn"}),
        ("workload=cpu", {"waitress"}),
        ("label=tues", {"uwsgi"}),
        ("verdict=invalid", {"waitress"}),
        ("verdict=failed", {"uvicorn"}),
        ("verdict=valid", {"uwsgi"}),
        ("since=2026-03-15", {"uvicorn"}),
        ("until=2026-03-14", {"uwsgi", "waitress"}),
        ("q=tuesday", {"uwsgi"}),
        ("q=ended+status", {"uvicorn"}),
        ("q=uwsgi+nothing", set()),
    ],
)
def test_filters(soup, query, expected):
    make_run("uwsgi", label="tuesday")
    make_run("waitress", workload="cpu", findings=(INVALID,))
    make_failed_run("uvicorn", started_at=BEGUN + timedelta(days=1))
    assert set(servers(soup(f"/results/?{query}"))) == expected


def test_filter_by_environment_and_by_id(soup):
    run = make_run("uwsgi", environment={"hostname": "other"})
    make_run("waitress")
    assert servers(soup(f"/results/?environment={run.environment_id}")) == ["uwsgi"]
    assert servers(soup(f"/results/?q={str(run.pk)[:13]}")) == ["uwsgi"]


@pytest.mark.parametrize(
    "query", ["since=soon", "environment=x", "sort=bogus", "page=99", "page=x", "server=nobody"]
)
def test_nonsense_is_no_error(soup, query):
    make_run("uwsgi")
    soup(f"/results/?{query}")


def test_runs_of_one_command_stand_together(soup):
    batch = uuid4()
    make_run("uwsgi", batch=batch, rate=300)
    make_run("waitress", batch=batch, rate=600, started_at=BEGUN + timedelta(seconds=20))
    make_run("uvicorn", started_at=BEGUN + timedelta(hours=1))
    page = soup("/results/")
    lines = page.select("tr.command-line")
    assert len(lines) == 1
    assert "2 runs of one command" in lines[0].text
    assert "highest: waitress" in lines[0].text
    assert lines[0].select_one("a")["href"] == f"/results/compare/?batch={batch}"
    assert len(lines[0].find_parent("tbody").select("tr.run")) == 2
    assert not soup("/results/?sort=server").select("tr.command-line")


def test_the_best_of_a_command_is_the_best_by_the_mean_of_its_starts(soup):
    batch = uuid4()
    for server, rates in (("uwsgi", (500, 510, 590)), ("waitress", (600, 610, 620))):
        for rate in rates:
            make_run(server, batch=batch, rate=rate)
    assert "highest: waitress" in soup("/results/").select_one("tr.command-line").text


def test_starts_of_one_server_have_no_best(soup):
    batch = uuid4()
    for rate in (500, 510):
        make_run("uwsgi", batch=batch, rate=rate)
    assert "most:" not in soup("/results/").select_one("tr.command-line").text


def test_pages(soup):
    make_rows(120, servers=("uwsgi",))
    first, last = soup("/results/"), soup("/results/?page=3&sort=when")
    assert len(first.select("tr.run")) == 50
    assert first.select_one("a[rel=next]")["href"] == "?page=2"
    assert len(last.select("tr.run")) == 20
    assert last.select_one("a[rel=prev]")["href"] == "?page=2&sort=when"


@pytest.mark.parametrize("count", [20, 200])
def test_number_of_queries_does_not_grow(client, count, django_assert_num_queries):
    make_rows(count, servers=("uwsgi", "uvicorn", "waitress", "daphne"))
    with django_assert_num_queries(8):
        client.get("/results/")


def test_a_label_is_text_and_not_markup(soup):
    make_run("uwsgi", label="<script>alert(1)</script>")
    page = soup("/results/")
    assert not [script for script in page.select("script") if "alert" in script.text]
    assert page.select_one("tr.run .label").text == "<script>alert(1)</script>"


def test_interrupted_run_with_figures_keeps_them(soup):
    run = make_run("uwsgi")
    Run.objects.filter(pk=run.pk).update(status=Status.INTERRUPTED.value, failure="Ctrl-C")
    row = soup("/results/").select_one("tr.run")
    assert "interrupted" in row.select_one(".verdict").text
    assert row.select_one(".goodput").text.endswith("/s")


@pytest.mark.parametrize("order", ["goodput", "-goodput"])
def test_what_is_invalid_or_of_another_unit_is_never_sorted_among_the_others(soup, order):
    fast, slow = make_run("uwsgi", rate=600), make_run("uvicorn", rate=300)
    chat, broken = make_run("daphne", rate=450), make_run("waitress", rate=450, findings=(INVALID,))
    failed = make_failed_run("tornado")
    Run.objects.filter(pk=chat.pk).update(unit="message")
    shown = [one["value"] for one in soup(f"/results/?sort={order}").select("input[name=runs]")]
    ranked = [slow, fast] if order == "goodput" else [fast, slow]
    assert shown == [str(one.pk) for one in (*ranked, chat, broken, failed)]


def test_the_line_of_a_command_says_which_of_its_starts_count(soup):
    runs = starts("uwsgi", SLOW)
    doubt(runs[0], "B401 noisy-host")
    assert "4 of 5 runs; 1 excluded (B401)" in soup("/results/").select_one("summary").text
