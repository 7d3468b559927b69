"""The page of one run."""

import json
from uuid import uuid4

import pytest

from benchsuite.core.results import Status
from benchsuite.core.specs import RunSpec
from benchsuite.models import Run
from benchsuite.report.answers import runs_answer
from tests.factories import INVALID, WEAK, make_failed_run, make_run
from tests.flames import make_profiled
from tests.golden import changes, words_of
from tests.study_factories import make_study_run
from tests.tuning_factories import make_tuning

CHARTS = ["goodput", "distribution", "response-times", "cpu", "memory"]


FLAME = "section[aria-labelledby=flame]"

OWN_ENVIRONMENT = {"python": "3.13", "served_from": "new@0123456789abcdef"}

STATES = {
    "weak": lambda: make_run("uwsgi", findings=(WEAK,), label="before"),
    "own target": lambda: make_run("heritage-2012-gevent", workload="bench_app"),
    "failed": lambda: make_failed_run("uvicorn"),
    "interrupted": lambda: make_failed_run("uvicorn", status=Status.INTERRUPTED, failure="Ctrl-C"),
    "failures": lambda: make_run("uwsgi", failed_share=0.1, findings=(INVALID,)),
    "few samples": lambda: make_run("uwsgi", rate=20, duration_s=10.0, users=5),
    "own environment": lambda: make_run("uwsgi", **OWN_ENVIRONMENT, packages={"django": "6.0.1"}),
    "full": lambda: make_run("uwsgi", cpu_percent=190.0, environment={"cpu_usable": 2}),
    "idle": lambda: make_run("uwsgi", cpu_percent=10.0, environment={"cpu_usable": 16}),
    "revision": lambda: changed(make_run("uwsgi"), revision="0123456789" * 4 + "+0a1b2c3d"),
    "another format": lambda: changed(make_run("uwsgi"), spec={"format_version": 99}),
}


def changed(run, **columns):
    Run.objects.filter(pk=run.pk).update(**columns)
    return run


def test_what_the_page_says(golden, soup):
    def said(run):
        page = soup(f"/results/{run.pk}/")
        return "\n".join([words_of(page), *(one["title"] for one in page.select(".missing"))])

    plain = said(make_run("uwsgi"))
    golden(plain)
    for state, make in STATES.items():
        golden(changes(plain, said(make())), state)


def test_each_chart_has_its_numbers_beside_it(soup):
    run = make_run("uwsgi")
    page = soup(f"/results/{run.pk}/")
    figures = page.select("figure.chart")
    assert [figure["id"] for figure in figures] == CHARTS
    for figure in figures:
        drawing = json.loads(figure.select_one("script").text)
        assert drawing["data"]
        assert drawing["layout"]["xaxis"]["title"]["text"]
        assert drawing["layout"]["yaxis"]["title"]["text"]
        assert drawing["layout"]["yaxis"]["rangemode"] == "tozero"
        assert figure.select("details table tbody tr")
        assert figure.select_one(".data a")["href"] == f"/results/{run.pk}/{figure['id']}.csv"


def test_warm_up_and_drain_are_shaded(soup):
    run = make_run("uwsgi", warmup_s=3.0, duration_s=10.0)
    figure = soup(f"/results/{run.pk}/").select_one("#goodput")
    layout = json.loads(figure.select_one("script").text)["layout"]
    assert [(shape["x0"], shape["x1"]) for shape in layout["shapes"]] == [(0, 3), (13, 14)]
    assert [note["text"] for note in layout["annotations"]] == ["warm-up", "drain"]


def test_long_series_is_shortened_in_its_table_only(soup, client):
    run = make_run("uwsgi", rate=20, duration_s=600.0, warmup_s=0.0, users=5)
    page = soup(f"/results/{run.pk}/")
    assert 100 < len(page.select("#goodput tbody tr")) <= 240
    assert "Each row covers 3 seconds" in page.select_one("#goodput").text
    csv = client.get(f"/results/{run.pk}/goodput.csv").getvalue().decode()
    assert len(csv.splitlines()) > 600


@pytest.mark.parametrize("seconds", [10.0, 300.0])
def test_number_of_queries_does_not_grow(client, django_assert_num_queries, seconds):
    run = make_run("uwsgi", rate=20, duration_s=seconds)
    with django_assert_num_queries(9):
        client.get(f"/results/{run.pk}/")


def test_unknown_run_is_not_found(soup):
    page = soup(f"/results/{uuid4()}/", status=404)
    assert "There is no run" in page.select_one(".sentence").text


def test_the_other_runs_of_a_command_are_offered_where_there_are_any(soup):
    def offered(run):
        return f"?batch={run.batch}" in str(soup(f"/results/{run.pk}/"))

    batch = uuid4()
    first, _ = make_run("uwsgi", batch=batch), make_run("waitress", batch=batch)
    assert offered(first)
    assert not offered(make_run("uwsgi"))


def test_a_diagnostic_start_is_told_with_the_runs_of_its_command(soup):
    run = make_run("uwsgi")
    shape = {"query": "SELECT shop_product", "place": "shop/views.py:12", "times": 24.0}
    times = {"request_s": 0.1, "queries": 25.0, "query_s": 0.05}
    times |= {"connections": 0.0, "connecting_s": 0.0}
    page = {"page": "GET /shop/", "requests": 50, **times, "shapes": [shape | {"query_s": 0.04}]}
    run.diagnosis = {"pages": [page], "paused_s": 0.1, "longest_pause_s": 0.01, "cpu_s": 10.0}
    beside = make_run("uwsgi", batch=run.batch)
    run.key = RunSpec.from_json(beside.spec).diagnosed.key
    run.save()
    for one in (beside, run):
        section = soup(f"/results/{one.pk}/").select_one("section[aria-label='What limits it']")
        assert "shop/views.py:12 makes 24 equal queries" in section.text
    assert "in 25.0 queries" in section.select_one("p.quiet").text


def test_who_has_repeated_a_run_is_not_told_to_repeat_it():
    run = make_run()
    assert runs_answer([run], {}).command.endswith("--repeat=5")
    answer = runs_answer([run, make_run(rate=620)], {})
    assert "the mean of 2 runs" in answer.headline
    assert not answer.command
    assert not answer.next_steps


def test_a_run_of_a_tuning_leads_back_to_it_and_says_why_it_was_made(soup):
    row = make_tuning()
    last = row.trials.filter(run__isnull=False).last()
    page = soup(last.run.get_absolute_url())
    link = page.select_one(f"a[href='{row.get_absolute_url()}']")
    assert link.text == f"the tuning {row.short_id}"
    why = f"{last.trial['phase']}: {last.trial['reason']}"
    assert link.parent.text.endswith(f": run {last.order + 1}, {why}")
    last.trial = {"of": "another benchsuite"}
    last.save()
    page = soup(last.run.get_absolute_url())
    assert page.find("a", string=link.text).parent.text.endswith(f": run {last.order + 1}")


def test_a_run_of_a_study_leads_back_to_its_execution(soup):
    row = make_study_run(only={"delay": ("0",)})
    cell = row.cells.first()
    page = soup(cell.runs.order_by("repetition").first().get_absolute_url())
    link = page.select_one(f"a[href='{row.get_absolute_url()}']")
    assert link.text == f"the study {row.name}"
    assert link.parent.text.endswith(f": {cell}, run 1 of {row.repeat}")
    assert str(row.pk) in link["href"]


def test_a_profiled_start_is_drawn_on_its_page_and_on_those_of_its_cell(soup):
    run = make_run("uwsgi", cpu_percent=190.0, environment={"cpu_usable": 2})
    start = make_profiled(run)
    own, beside = (soup(f"/results/{one.pk}/") for one in (start, run))
    for page in (own, beside):
        section = page.select_one(FLAME)
        assert "100 samples of Python code at work" in section.text
        assert [one.text for one in section.select("svg .project text")] == ["list_products"]
        captions = [one.text for one in section.select("caption")]
        assert captions == ["By own time", "By total time, with what they call"]
        first = [cell.text for cell in section.select_one("tbody tr").select("th, td")]
        assert first[:3] == ["execute", "django/db/models/sql/compiler.py:1570", "no"]
        assert first[3:] == ["50.0\u2009%", "50.0\u2009%"]
    assert own.select_one(f"{FLAME} > p a") is None
    assert beside.select_one(f"{FLAME} > p a")["href"] == start.get_absolute_url()
    assert own.select_one("section[aria-label='What limits it']") is None
    assert "goes in list_products" in beside.select_one(".limits .hint").text


def test_a_run_without_a_right_answer_was_stored_whole(soup):
    run = make_run("uwsgi", failed_share=1.0, findings=(INVALID,))
    assert "stored without" not in soup(f"/results/{run.pk}/").text
