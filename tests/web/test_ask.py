"""What would you run? Stored configurations answer for an objective."""

import json
import shlex
from datetime import timedelta
from urllib.parse import urlencode

import pytest

from benchsuite.comparing import asking
from benchsuite.comparing.asking import command_of
from benchsuite.management.options import run as run_options
from benchsuite.models import Run
from tests.factories import BEGUN, INVALID, MACHINE, make_run
from tests.golden import words_of
from tests.socket_factories import make_echo_run


def ask(soup, status=200, **given):
    return soup(f"/results/ask/?{urlencode(given)}", status=status)


def answers(page):
    rows = page.select("table tbody tr")
    return {row.th.text: row.select_one("td .verdict").text.split(maxsplit=1)[1] for row in rows}


@pytest.fixture
def measured():
    """The slower ones need 100 / rate longer; so p95 is under 400 ms from about 500 /s on."""
    make_run("uwsgi", rate=900, memory_mib=100)
    make_run("granian-wsgi", rate=800, memory_mib=300)
    make_run("waitress", rate=300, memory_mib=50)
    make_run("daphne", rate=100, users=10, memory_mib=60)


@pytest.mark.usefixtures("measured")
def test_each_configuration_fits_or_does_not_or_was_not_measured(golden, soup):
    page = ask(soup, objective="p95 < 400 ms", rate="600")
    golden(words_of(page))
    best = [one.title.text.split(":")[0] for one in page.select("circle.best")]
    assert set(best) == {"uwsgi · 2 × 4", "daphne · 2 × 4"}


@pytest.mark.usefixtures("measured")
def test_the_command_is_that_of_the_configuration_that_is_named(soup, monkeypatch):
    make_run("hypercorn", rate=100, users=10, memory_mib=70)
    told = asking.command_of
    without = {"daphne": ""}
    monkeypatch.setattr(
        asking, "command_of", lambda run, rate: without.get(run.server, told(run, rate))
    )
    card = ask(soup, objective="p95 < 400 ms", rate="600").select_one(".card")
    assert "Measure hypercorn · 2 × 4 there:" in card.text
    assert "--server=hypercorn" in card.select_one("pre.command").text


@pytest.mark.usefixtures("measured")
def test_memory_is_a_limit(soup):
    page = ask(soup, objective="p95 < 400ms", rate="600", memory="200MiB")
    assert answers(page)["granian-wsgi · 2 × 4"] == "does not fit"
    none = ask(soup, objective="p95 < 1ms", rate="600")
    assert none.select_one(".headline").text == "No stored configuration is known to fit."


@pytest.mark.usefixtures("measured")
def test_only_runs_under_the_conditions_of_the_newest_are_compared(soup):
    """Fewer rows are less work; what a run was called is no setting."""
    make_run("hypercorn", rate=900, rows=10, started_at=BEGUN - timedelta(days=1))
    make_run("uwsgi", rate=700, label="nightly", users=50)
    make_run("uwsgi", rate=950, processes=4, label="merged")
    named = answers(ask(soup, objective="p95 < 400 ms", rate="600"))
    assert [name for name in named if "hypercorn" in name] == []
    assert {"uwsgi · 2 × 4", "uwsgi · 4 × 4"} <= set(named)


def test_an_invalid_run_elsewhere_hides_nothing(soup):
    make_run("uwsgi", rate=900)
    elsewhere = MACHINE | {"hostname": "laptop"}
    later = BEGUN + timedelta(days=1)
    make_run("uwsgi", environment=elsewhere, findings=(INVALID,), started_at=later)
    page = ask(soup, objective="p95 < 400ms", rate="600")
    assert page.select_one(".headline").text.startswith("Take uwsgi")
    assert "1 stored configuration: 1 fits." in page.text


def test_a_work_without_a_valid_configuration_says_so(soup):
    make_run("uwsgi", findings=(INVALID,))
    assert "Nothing counts of io_read: no configuration of it is valid." in ask(soup).text


@pytest.mark.usefixtures("measured")
def test_nonsense_gets_a_sentence(soup):
    page = ask(soup, status=400, work="nothing")
    assert "Nothing is stored of 'nothing'" in page.select_one(".failure").text
    assert page.select_one("form")
    page = ask(soup, status=400, objective="p95 < 400ms, connections <= 80")
    assert "how many connections" in page.select_one(".failure").text


def test_without_runs_it_says_so(soup):
    assert "Nothing was measured yet" in ask(soup).text


@pytest.mark.parametrize(
    "given",
    [
        {"options": {"size": "5"}, "workload": "cpu"},
        {"users": 3, "keep_alive": False, "think_time_s": 0.5, "rows": 7},
        {"processes": None, "threads": None},
    ],
)
def test_the_command_measures_the_same_configuration(db, given):
    run = make_run("uwsgi", **given)
    words = shlex.split(command_of(Run.objects.get(pk=run.pk), 50.0))[3:]
    made = run_options.of_words(*words)
    assert len(made) == 3
    for part in ("workload", "database", "target", "layer"):
        assert json.loads(json.dumps(made[0].to_json()[part])) == run.spec[part]
    asked, load = made[0].server, made[0].load
    assert (load.arrival_rate, load.keep_alive) == (50.0, run.spec["load"]["keep_alive"])
    assert asked.cpus is load.cpus is None
    assert (asked.server, asked.processes) == ("uwsgi", run.spec["server"]["processes"])
    assert "--users=" in command_of(run, 0.0)


@pytest.mark.parametrize("count", [2, 12])
def test_number_of_queries_does_not_grow(client, django_assert_num_queries, count):
    for number in range(count):
        make_run("uwsgi", processes=number + 1, rate=20)
    with django_assert_num_queries(4):
        client.get("/results/ask/")


def test_messages_are_no_requests(soup):
    make_echo_run("daphne", users=10)
    page = ask(soup, work="ws_echo", objective="p95 < 400ms", rate=100)
    assert "messages/s" in page.select_one("table tbody tr").text
    assert "requests" not in page.select_one("main").text
