"""A configuration over time, and what people note of runs and labels."""

import json
import re
from datetime import UTC, datetime, timedelta

import pytest
from bs4 import BeautifulSoup
from django.contrib.auth.models import User
from django.core.management import call_command
from django.template import Context, Template
from django.test import Client

from benchsuite.models import Note, Run
from benchsuite.report.pages import history
from benchsuite.stats.steady import steps
from benchsuite.store import notes
from tests.factories import BEGUN, INVALID, MACHINE, make_failed_run, make_run, make_running_run
from tests.web.conftest import text


def measured(rates, **given):
    """A run a day of one configuration."""
    return [
        make_run("uwsgi", rate=rate, started_at=BEGUN + timedelta(days=day), seed=day, **given)
        for day, rate in enumerate(rates)
    ]


@pytest.fixture
def changed():
    """Six runs of one kernel, six faster ones of the next."""
    before = measured([600, 602, 598, 601, 599, 600])
    newer = {"environment": MACHINE | {"kernel": "6.8.0"}, "version": "24.0"}
    after = [
        make_run("uwsgi", rate=rate, started_at=BEGUN + timedelta(days=10 + day), **newer)
        for day, rate in enumerate([700, 702, 698, 701, 699, 700])
    ]
    return [*before, *after]


def test_steps_are_found_in_their_places():
    noise = [0.0, 1.0, -1.0, 0.5, -0.5, 0.2, -0.3]
    levels = [base + one for base in (100, 130, 90) for one in noise]
    assert steps(levels, ratio=1.02) == [7, 14]
    assert steps(levels, ratio=1.5) == steps(levels[:7]) == []


def test_a_history_says_what_changed_and_with_which_run(soup, changed):
    page = soup(f"/results/configurations/{changed[0].key}/")
    assert "; it rose by 1" in page.select_one(".headline").text
    step = page.select_one("tr.step")
    its_run = step.find_previous_sibling("tr", class_="run").select_one("input")["value"]
    assert its_run == str(changed[6].pk)
    told = " ".join(row.text for row in page.select("tr.mark"))
    assert "uwsgi 23.0.0 → 24.0" in told
    assert "kernel 6.1.0 → 6.8.0" in told
    drawing = page.select_one("svg.history")
    assert len(drawing.select(".dot")) == 12
    assert len(drawing.select(".change")) == 1
    assert len(drawing.select(".level")) == 2


def test_a_drawing_ends_with_the_last_run_that_has_its_figure(soup):
    run, *_ = measured([600.0] * 3)
    make_failed_run("uwsgi", started_at=BEGUN + timedelta(days=40))
    page = soup(f"/results/configurations/{run.key}/")
    assert "3 runs, 14 Mar 2026 to 16 Mar 2026" in page.select_one("figcaption").text


def test_runs_of_other_configurations_are_not_of_it(soup, changed):
    make_run("uwsgi", processes=9)
    assert len(soup(f"/results/configurations/{changed[0].key}/").select("tr.run")) == 12
    soup("/results/configurations/nonsense/", status=404)


def test_without_a_run_that_counts_it_says_so(soup):
    run = make_run("uwsgi", findings=(INVALID,))
    make_failed_run("uwsgi", started_at=BEGUN + timedelta(hours=1))
    page = soup(f"/results/configurations/{run.key}/")
    assert page.select_one(".headline").text.startswith("None of its 2 runs counts")


def test_what_is_many_times_as_much_is_told_in_plain_digits():
    line = Template("{% load benchsuite %}{% history_line run %}")
    shown = line.render(Context({"run": measured([100, 100, 300])[2]}))
    assert re.search(r"\d{3} % above the median of 2 other runs", shown)
    assert history._moved(50.0, 750.0) == "rose by 1\u2009400 %"


def test_an_only_run_that_does_not_count_is_told_as_one(soup):
    run = make_failed_run("uwsgi")
    headline = soup(f"/results/configurations/{run.key}/").select_one(".headline").text
    assert headline == "Its only run doesn’t count; the table says why."


def test_a_file_names_days_by_their_dates(client):
    now = datetime.now(UTC)
    run, *_ = [
        make_run("uwsgi", rate=rate, started_at=now - timedelta(minutes=minutes))
        for minutes, rate in enumerate([700, 702, 698, 701, 600, 602, 598, 601])
    ]
    file = text(client, f"/results/configurations/{run.key}/?format=html")
    shown = BeautifulSoup(file, "html.parser").main
    assert "; it rose by" in shown.select_one(".headline").text
    assert not re.search("today|yesterday", str(shown))


@pytest.mark.parametrize("count", [3, 12])
def test_queries_of_a_history_do_not_grow(client, django_assert_num_queries, count):
    (run, *_) = measured([600.0] * count)
    with django_assert_num_queries(3):
        client.get(f"/results/configurations/{run.key}/")


def test_a_note_and_a_star_are_kept_shown_and_taken_away(client, soup):
    run = make_run("uwsgi", label="before")
    address = f"/results/note/?run={run.pk}"
    assert soup(address).select_one("textarea").text.strip() == ""
    given = {"run": run.pk, "text": "with <b>swap</b>", "starred": "1"}
    assert client.post("/results/note/", given).status_code == 302
    client.post("/results/note/", {"label": "before", "text": "old kernel"})
    kept = soup(f"/results/configurations/{run.key}/").select(".kept")
    assert {one.text for one in kept} == {"★ with <b>swap</b>", "old kernel"}
    client.post("/results/note/", {"run": run.pk, "star": "1"})
    assert not Note.objects.get(run=run).starred
    client.post("/results/note/", {"run": run.pk, "text": " "})
    assert [note.label for note in Note.objects.all()] == ["before"]


@pytest.mark.parametrize(
    "given", [{}, {"run": "x"}, {"label": "nobody"}, {"text": "x" * 3000}, {"text": "a\0b"}]
)
def test_a_note_of_nothing_or_of_too_much_is_refused(client, given):
    about = {} if "text" not in given else {"run": make_run("uwsgi").pk}
    assert client.post("/results/note/", about | given).status_code == 400
    assert not Note.objects.exists()


def test_notes_need_the_permission_and_a_token_of_the_form(settings):
    run = make_run("uwsgi")
    settings.BENCHSUITE = {"ACCESS": "benchsuite.views.access.staff"}
    strict = Client(enforce_csrf_checks=True)
    staff = User.objects.create_user("reader", is_staff=True)
    for one, client in ((staff, Client()), (User.objects.create_superuser("root"), strict)):
        client.force_login(one)
        assert client.post("/results/note/", {"run": run.pk, "star": "1"}).status_code == 403
    assert not Note.objects.exists()


def test_the_newest_star_is_the_baseline_and_one_of_a_run_before_that_of_a_label():
    first, second, third = measured([600, 610, 620], label="mine")
    assert notes.starred([first, second]) is None
    notes.keep(label="mine", starred=True)
    assert notes.starred([third, first]) is None, "a label of all tells none apart"
    third.label = "another"
    assert notes.starred([third, first]) == first
    notes.keep(run=first, starred=True)
    notes.keep(run=second, starred=True)
    assert notes.starred([third, first, second]) == second


def test_exports_carry_notes_and_newer_ones_stay(tmp_path):
    runs = measured([600, 610], label="mine")
    notes.keep(run=runs[0], text="first", starred=True)
    notes.keep(label="mine", text="both")
    file = tmp_path / "runs.json"
    call_command("dumpbench", str(file))
    assert sum(len(one.get("notes", [])) for one in json.loads(file.read_text())) == 2
    Run.objects.all().delete()
    notes.keep(label="mine", text="later")
    call_command("loadbench", str(file))
    assert Note.objects.get(run=runs[0].pk).starred
    assert Note.objects.get(label="mine").text == "later"


def test_a_run_shows_its_place_in_the_history(client):
    line = Template("{% load benchsuite %}{% history_line run %}")
    shown = line.render(Context({"run": measured([600, 600, 660])[2]}))
    assert "above the median of 2 other runs" in shown
    assert shown.count('class="dot"') == 1
    assert line.render(Context({"run": make_run("uvicorn")})).strip() == ""


def test_a_note_of_a_label_goes_with_a_run_that_is_stored(client, tmp_path):
    measured([600], label="mine")
    make_running_run("uwsgi", label="mine")
    notes.keep(label="mine", text="both")
    file = tmp_path / "runs.json"
    file.write_bytes(client.get("/results/export/?format=json").getvalue())
    Note.objects.all().delete()
    call_command("loadbench", str(file))
    assert Note.objects.get(label="mine").text == "both"
