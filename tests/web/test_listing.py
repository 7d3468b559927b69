"""The list: commands and what came out, configurations, filters, order, pages, ticks."""

import re
from collections import Counter
from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.paginator import Paginator
from django.db.utils import load_backend
from django.template.loader import render_to_string

from benchsuite.core.results import Status
from benchsuite.models import Run, StudyRun
from benchsuite.report.tuning.evidence import tuning_report
from benchsuite.store import notes
from benchsuite.system import journal
from benchsuite.views import listing
from benchsuite.views.listing import RunFilter
from tests.factories import BEGUN, INVALID, make_failed_run, make_run, make_running_run
from tests.flames import make_profiled
from tests.golden import words_of
from tests.socket_factories import make_idle_run
from tests.starts import SLOW, doubt, make_rows, starts
from tests.study_factories import make_study_run, write
from tests.tuning_factories import make_tuning, searched
from tests.web.conftest import BY_TOKEN

QUERIES = 18


def servers(page):
    return [link.text for link in page.select("tr.run th a")]


def answers(page):
    return [cell.find(string=True).strip() for cell in page.select("td.answer")]


def measured(rates, *, minutes=0, **given):
    """One command that measured each of these servers so often, in turns; its batch."""
    batch = uuid4()
    for server, figures in rates.items():
        for turn, rate in enumerate(figures):
            began = BEGUN + timedelta(minutes=minutes, seconds=20 * turn)
            make_run(server, batch=batch, rate=rate, started_at=began, seed=turn, **given)
    return batch


def test_without_runs_it_says_what_to_type(soup):
    page = soup("/results/")
    commands = [block.text for block in page.select("pre.command code")]
    assert any("manage.py runbench --server=" in command for command in commands)


def test_a_command_says_who_won_by_the_middle_of_its_starts(soup):
    batch = measured({"uwsgi": (500, 510, 690), "waitress": (700, 710, 720), "daphne": (100,) * 3})
    (row,) = soup("/results/").select("tr.command")
    assert answers(row)[0].startswith("waitress answered most: 7")
    titles = [bar.select_one("span").text for bar in row.select(".bars li")]
    assert titles == ["waitress", "uwsgi", "daphne"]
    widths = [float(rect["width"]) for rect in row.select("rect")]
    assert widths == sorted(widths, reverse=True)
    assert widths[0] == 100
    assert row.select_one(".runs").find(string=True) == "3 configurations × 3"
    assert row.select_one("a")["href"] == f"/results/compare/?batch={batch}"


def test_what_several_loads_asked_is_ranked_at_one_of_them(soup):
    """As by the page that compares the command and by what it prints: never across loads."""
    batch = measured({"uwsgi": (395, 405)}, users=20)
    for (server, users), rates in {
        ("uwsgi", 50): (400, 410),
        ("daphne", 20): (200, 210),
        ("daphne", 50): (205, 210),
    }.items():
        other = measured({server: rates}, users=users)
        Run.objects.filter(batch=other).update(batch=batch)
    (row,) = soup("/results/").select("tr.command")
    assert answers(row)[0].startswith("At 20 users: uwsgi answered most: 39")
    assert [bar.select_one("span").text for bar in row.select(".bars li")] == ["uwsgi", "daphne"]
    compared = soup(f"/results/compare/?batch={batch}").select_one(".headline").text
    assert compared.startswith("At 20 users: uwsgi answered most")


def test_what_has_the_same_goodput_is_ranked_by_what_decides_elsewhere(soup):
    """A rate that all answer says nothing of them, and idle connections answer nothing."""
    batch, idle = uuid4(), uuid4()
    for server, quick in (("uwsgi", 900.0), ("daphne", 300.0)):
        run = make_run(server, batch=batch, rate=quick)
        Run.objects.filter(pk=run.pk).update(goodput=200, model="open", arrival_rate=200)
    for server, each_bytes in (("uvicorn", 60_000.0), ("daphne", 28_672.0)):
        run = make_idle_run(server, each_bytes=each_bytes)
        Run.objects.filter(pk=run.pk).update(batch=idle)
    by_memory, by_time = sorted(answers(row)[0] for row in soup("/results/").select("tr.command"))
    assert by_memory.startswith("daphne needed the least memory per connection"), by_memory
    assert by_time.startswith("uwsgi had the shortest p95"), by_time


def test_where_a_figure_is_missing_that_decides_nobody_is_called_invalid(soup):
    batch = measured({"uwsgi": (5,), "daphne": (5,)})
    Run.objects.filter(batch=batch).update(goodput=5, model="open", arrival_rate=5, p95_s=None)
    (answer,) = answers(soup("/results/"))
    assert answer.startswith("Nothing is ranked"), answer
    assert "invalid" not in answer


def test_what_did_not_do_the_same_work_is_not_ranked(soup):
    batch = measured({"uwsgi": (400,), "daphne": (300,)}, users=20)
    other = measured({"uwsgi": (90,)}, users=20, workload="cpu")
    Run.objects.filter(batch=other).update(batch=batch)
    (answer,) = answers(soup("/results/"))
    assert answer == "Not ranked: they did not do the same work."


def of_units():
    batch = measured({"uwsgi": (600,), "daphne": (450,)})
    Run.objects.filter(batch=batch, server="daphne").update(unit="message")


def interrupted():
    run = make_run("uwsgi")
    Run.objects.filter(pk=run.pk).update(status=Status.INTERRUPTED.value, failure="Ctrl-C")


COMMANDS = {
    "close": lambda: measured({"uwsgi": (600,), "waitress": (595,)}),
    "close among each other": lambda: measured({"uwsgi": (600, 900), "waitress": (580, 700)}),
    "alone": lambda: measured({"uwsgi": (600, 610)}),
    "without figures": lambda: make_failed_run("uvicorn"),
    "excluded": lambda: doubt(starts("uwsgi", SLOW)[0], "B401 noisy-host"),
    "units": of_units,
    "interrupted": interrupted,
}


def test_what_commands_say(golden, soup):
    """Why nobody won, which runs count, and why a figure is missing; never a zero."""
    lines = []
    for name, make in COMMANDS.items():
        make()
        page = soup("/results/")
        for missing in page.select("tr.run .missing"):
            missing.append(f" ({missing['title']})")
        lines += [f"# {name}", *sorted(words_of(page, "table.commands > tbody").splitlines())]
        Run.objects.all().delete()
    golden("\n".join(lines))


def test_interleaved_commands_keep_their_groups(soup):
    first, second = uuid4(), uuid4()
    for turn in range(6):
        batch = (first, second)[turn % 2]
        make_run("uwsgi", batch=batch, started_at=BEGUN + timedelta(seconds=20 * turn), seed=turn)
    rows = soup("/results/").select("tr.command")
    assert [row.select_one("input")["value"] for row in rows] == [str(second), str(first)]
    assert {row.select_one(".runs").find(string=True) for row in rows} == {"3 runs"}


def test_a_study_and_a_tuning_are_one_row_each(soup, settings, tmp_path):
    settings.BENCHSUITE = {"ACCESS": BY_TOKEN, "STUDIES": [write(tmp_path)]}
    study, tuning = make_study_run(), make_tuning(searched(12))
    StudyRun.objects.update(outcomes={"holds": 2, "doesn't hold": 1})
    measured({"uwsgi": (600,)}, minutes=9)
    rows = soup("/results/").select("tr.command")
    links = [row.select_one("a")["href"] for row in rows]
    assert Counter(links).most_common(1)[0][1] == 1
    assert {study.get_absolute_url(), tuning.get_absolute_url()} < set(links)
    of_study = next(row for row in rows if "study" in row.select_one(".what").text)
    assert of_study.select_one(".answer").text == "Of its claims 2 hold and 1 doesn't hold."
    told = next(row for row in rows if "tune" in row.select_one(".what").text)
    assert "p95 < 200ms" in told.select_one(".what").text
    assert told.select_one(".answer").text == tuning_report(tuning).answer.headline


def test_what_is_under_way_stands_on_top_and_nowhere_else(soup):
    measured({"uwsgi": (600,)})
    run = make_running_run("granian-wsgi", label="now")
    tuning = make_tuning(searched(5), status="running")
    type(tuning).objects.filter(pk=tuning.pk).update(owner=run.owner)
    page = soup("/results/")
    assert len(page.select("[data-under-way] .under-way")) == 1, "one process, one line"
    assert len(page.select("tr.command")) == 1
    assert not page.select("option[value=running]"), "no filter finds it in the list"
    assert page.select_one("meta[http-equiv=refresh]")


@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize(
    ("path", "column"),
    [("", name) for name in ("when", "what", "runs", "label")]
    + [("configurations/", name) for name in ("server", "goodput", "p95", "memory", "when")],
)
def test_every_column_sorts_by_a_button(client, soup, path, column, sign):
    make_failed_run("uvicorn", started_at=BEGUN + timedelta(hours=2), processes=None)
    make_run("uwsgi", rate=300)
    make_run("waitress", rate=600, started_at=BEGUN + timedelta(hours=1))
    answer = client.get(f"/results/{path}?sort=when&order={sign}{column}&q=&page=")
    assert answer["Location"] == f"/results/{path}?sort={sign}{column}"
    head = soup(answer["Location"]).select_one(f"thead th.{column}")
    assert head["aria-sort"] == ("descending" if sign else "ascending")


@pytest.mark.parametrize(("sign", "order"), [("-", [600, 300, None]), ("", [300, 600, None])])
def test_configurations_are_sorted_by_what_counts(soup, sign, order):
    for server, rate in (("uwsgi", 300), ("waitress", 600), ("daphne", 900)):
        make_run(server, rate=rate, findings=(INVALID,) if server == "daphne" else ())
    rows = soup(f"/results/configurations/?sort={sign}goodput").select("tbody tr")
    figures = [row.select("td.figure")[1].text for row in rows]
    shown = [None if text == "—" else round(float(text.split()[0]), -2) for text in figures]
    assert shown == order


def test_a_configuration_counts_all_its_runs_and_shows_their_line(soup):
    measured({"uwsgi": (600, 610, 620)})
    measured({"uwsgi": (630,)}, minutes=60)
    (row,) = soup("/results/configurations/").select("tbody tr")
    assert row.select_one("td.figure").text == "4"
    assert row.select_one("svg.history")["aria-label"].startswith("goodput of 4 runs")
    assert "/results/configurations/" in row.select_one("a")["href"]


def test_filters(golden, soup):
    make_run("uwsgi", label="tuesday", project="/srv/shop")
    make_run("waitress", workload="cpu", findings=(INVALID,), project="/srv/blog")
    make_failed_run("uvicorn", started_at=BEGUN + timedelta(days=1))
    notes.keep(label="tuesday", starred=True)
    golden.cases(lambda query: set(servers(soup(f"/results/?{query}"))))


def test_two_projects_are_two_configurations_of_the_same_server(soup):
    for project in ("/srv/shop", "/srv/blog"):
        measured({"uwsgi": (600, 610)}, label="same", project=project)
    rows = soup("/results/configurations/").select("tbody tr")
    assert [row.select_one("td.figure").text for row in rows] == ["2", "2"]
    assert {row.select_one("td .quiet").text for row in rows} == {"/srv/shop", "/srv/blog"}
    page = soup("/results/?project=/srv/blog")
    assert servers(page) == ["uwsgi", "uwsgi"]
    assert page.select_one("select[name=project] option[selected]").text == "/srv/blog"


def test_where_no_run_is_of_a_project_there_is_no_filter_by_one(soup):
    make_run("uwsgi")
    assert not soup("/results/").select("select[name=project]")


def test_a_filtered_command_shows_the_runs_that_match_and_how_many_it_has(soup):
    measured({"uwsgi": (600, 610), "waitress": (500, 510)})
    page = soup("/results/?server=uwsgi")
    assert servers(page) == ["uwsgi", "uwsgi"]
    assert page.select_one("summary").text.startswith("2 of 4 runs")
    assert answers(page)[0].startswith("uwsgi answered most"), "the answer is of all"


def test_filter_by_environment_and_by_id(soup):
    run = make_run("uwsgi", environment={"hostname": "other"})
    make_run("waitress")
    assert servers(soup(f"/results/?environment={run.environment_id}")) == ["uwsgi"]
    assert servers(soup(f"/results/?q={str(run.pk)[:13]}")) == ["uwsgi"]
    for whole in (str(run.pk), run.pk.hex.upper()):
        assert servers(soup(f"/results/?q={whole}")) == ["uwsgi"]


def test_an_id_is_looked_for_as_the_database_writes_it():
    """PostgreSQL has a type of its own for ids, whose text has dashes."""
    postgres = load_backend("django.db.backends.postgresql").DatabaseWrapper({}, "postgres")
    run = make_run("uwsgi")

    def looked_for(text):
        found = RunFilter({"q": text}, queryset=Run.objects.all()).qs
        return set(found.query.get_compiler(connection=postgres).as_sql()[1])

    part = str(run.pk)[:13]
    assert looked_for(part) == {f"%{part}%"}
    assert run.pk in looked_for(str(run.pk))


@pytest.mark.parametrize("path", ["/results/", "/results/configurations/"])
@pytest.mark.parametrize(
    "query",
    [
        *("since=soon", "environment=x", "sort=bogus", "page=x", "server=nobody", "verdict=xx"),
        *("deleted=many", "go=away", "order=bogus", "command=x", "workload=xx"),
        "project=/nowhere",
    ],
)
def test_nonsense_is_one_error_and_no_rows(client, soup, path, query):
    make_run("uwsgi")
    address = f"{path}?{query}"
    page = soup(client.get(address).headers.get("Location", address), status=400)
    assert len(page.select("main .sentence")) == 1
    assert not page.select("tbody")


def test_pages_go_on_with_what_was_asked(client, soup):
    make_rows(160, servers=("uwsgi",))
    first, last = soup("/results/?sort=when"), soup("/results/?page=2&sort=when")
    assert len(first.select("tr.command")) == 25
    assert len(last.select("tr.command")) == 15
    assert len(soup("/results/?page=99").select("tr.command")) == 15, "the last there is"
    assert first.select_one("nav.pages button:last-child")["value"] == "2"
    moved = client.get("/results/?q=&sort=when&server=uwsgi&page=2")
    assert moved["Location"] == "/results/?sort=when&server=uwsgi&page=2"


def test_numbers_that_a_browser_reads_have_no_separators(soup, settings):
    settings.USE_THOUSAND_SEPARATOR = True
    make_rows(1000, servers=("uwsgi",), per_batch=1000)
    Run.objects.update(key="one", label="")
    assert soup("/results/").select_one("tr.command input")["data-runs"] == "1000"
    note = soup(f"/results/note/?run={Run.objects.all()[0].pk}")
    assert note.select_one("textarea")["maxlength"] == "2000"
    paginator = Paginator(range(1200), 1)
    table = {"paginator": paginator, "page": paginator.page(1001)}
    pages = render_to_string("benchsuite/_pages.html", {"table": table, "buttons": True})
    under_way = {"follower": {"place": 1001, "total": 1200}}
    progress = render_to_string("benchsuite/_live_now.html", under_way)
    numbers = re.findall(r"(?:value|max)=\"(.*?)\"", pages + progress)
    assert numbers == ["1000", "1002", "1200", "1000"]


def test_without_scripts_ticks_go_along_and_lead_to_short_addresses(client, soup):
    batch, run = measured({"uwsgi": (600, 610)}), make_run("waitress", started_at=BEGUN)
    chosen = f"runs={batch}&runs={run.pk}"
    page = soup(f"/results/?{chosen}&server=uwsgi")
    assert page.select_one(f"input[value='{batch}']").has_attr("checked")
    assert page.select_one("[data-basket] input")["value"] == str(run.pk), "it is not on this page"
    address = client.get(f"/results/?{chosen}&server=uwsgi&sort=when&go=compare")["Location"]
    assert address == f"/results/compare/?runs={batch},{run.pk}&chosen=1"
    assert "3 runs" in soup(address).select_one("h1").text
    cleared = client.get(f"/results/?{chosen}&server=uwsgi&go=clear")
    assert cleared["Location"] == "/results/?server=uwsgi"


@pytest.mark.parametrize("count", [20, 400])
def test_number_of_queries_does_not_grow(client, count, django_assert_num_queries, monkeypatch):
    monkeypatch.setattr(journal, "readers", list)  # of commands that others run here
    make_rows(count, servers=("uwsgi", "uvicorn", "waitress", "daphne"))
    with django_assert_num_queries(QUERIES):
        client.get("/results/")
    with django_assert_num_queries(9):
        client.get("/results/configurations/")


def test_a_page_is_small_on_the_wire_and_has_no_library_of_charts(client):
    make_rows(400, servers=("uwsgi", "uvicorn", "waitress", "daphne"))
    answer = client.get("/results/", headers={"Accept-Encoding": "gzip"})
    assert answer["Content-Encoding"] == "gzip"
    assert len(answer.content) < 20_000
    assert "plotly" not in client.get("/results/").content.decode()


def test_a_label_is_text_and_not_markup(soup):
    make_run("uwsgi", label="<script>alert(1)</script>")
    page = soup("/results/")
    assert not [script for script in page.select("script") if "alert" in script.text]
    assert page.select_one("td.label span").text == "<script>alert(1)</script>"


def test_many_runs_of_one_command_are_a_click_away(soup):
    batch = measured({"uwsgi": tuple(range(500, 515))})
    page = soup("/results/?deleted=1")
    assert "deleted" not in page.select_one("#star [name=next]")["value"]
    assert len(page.select("tr.run")) == 12
    everything = page.select_one("details p a")["href"]
    assert everything == f"?command={batch}"
    assert len(soup(f"/results/{everything}").select("tr.run")) == 15


def test_the_page_of_a_command_does_not_lead_to_itself(soup, monkeypatch):
    monkeypatch.setattr(listing, "MOST_OF_COMMAND", 3)
    batch = measured({"uwsgi": (500, 510, 520, 530)})
    page = soup(f"/results/?command={batch}")
    assert not page.select("tr.expand p a")
    assert "The newest 3 of 4; the export below has all." in page.text


def test_a_diagnostic_start_is_no_configuration_of_its_command(soup):
    run = make_run("uwsgi")
    start = make_profiled(run)
    Run.objects.filter(pk=start.pk).update(users=1)
    start.refresh_from_db()
    doubt(start, "B502 diagnosed")
    page = soup("/results/")
    (row,) = page.select("tr.command")
    link = row.select_one("th a")
    assert (link.text, link["href"]) == ("io_read · 100 users", run.get_absolute_url())
    assert answers(row)[0].startswith("uwsgi: ")
    assert page.select_one("tr.expand summary").text == "2 runs"


@pytest.mark.parametrize("label", ["", "both"])
def test_the_star_of_a_command_is_one_click(client, soup, label):
    measured({"uwsgi": (600,), "waitress": (400,)}, label=label)
    button = soup("/results/").select_one("button.star")
    assert button["aria-pressed"] == "false"
    client.post("/results/note/", {"star": "1", button["name"]: button["value"]})
    assert soup("/results/").select_one("button.star")["aria-pressed"] == "true"
    make_run("daphne", label="another")
    assert notes.starred(list(Run.objects.order_by("server"))).server == "uwsgi"


def test_the_star_of_one_of_its_runs_is_taken_away_by_a_click(client, soup):
    measured({"uwsgi": (600,), "waitress": (400,)})
    notes.keep(run=Run.objects.get(server="waitress"), starred=True)
    button = soup("/results/").select_one("button.star")
    client.post("/results/note/", {"star": "1", button["name"]: button["value"]})
    assert soup("/results/").select_one("button.star")["aria-pressed"] == "false"


@pytest.mark.parametrize("path", ["/results/", "/results/configurations/"])
def test_no_filter_is_blamed_while_the_first_command_is_under_way(soup, path):
    make_running_run("uwsgi")
    assert soup(path).select_one(".results .note").text == "Nothing has ended yet."
    assert "filters" in soup(f"{path}?q=x").select_one(".results .note").text
