"""The pages of tunings, and what leaves them."""

import csv
import io
import re
from dataclasses import replace
from types import SimpleNamespace
from uuid import uuid4

import pytest
from bs4 import BeautifulSoup
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from benchmarks.tuning.ideal import going
from benchmarks.tuning.scaling import lawful, tuned
from benchmarks.tuning.simulated import Measured, asked, search
from benchsuite.core.exceptions import UsageError
from benchsuite.models import Measurement, Run, Tuning
from benchsuite.report.exports import table_as_csv
from benchsuite.report.limiting import Limits
from benchsuite.report.tuning import evidence
from benchsuite.report.tuning.evidence import application, tuning_report
from benchsuite.report.writers import to_markdown
from benchsuite.runner import environments
from benchsuite.system import lock
from benchsuite.tuning.answer import Outcome
from benchsuite.tuning.trial import Phase
from tests.flames import make_profiled
from tests.golden import words_of
from tests.tuning_factories import WORLD, make_tuning, searched
from tests.web.conftest import GONE, table, text

LIST = "/results/tune/"


def address(row):
    return f"{LIST}{row.pk}/"


def test_the_list_says_what_to_type_and_then_what_was_found(soup):
    page = soup(LIST)
    assert "tunebench" in page.select_one("pre.command").text
    assert "Nothing has been tuned yet." in page.text
    assert page.select(f"header nav a[href='{LIST}']")
    row = make_tuning(label="shop")
    make_tuning(searched(10), status="interrupted", days=-1)
    rows = table(soup(LIST), "Tunings")
    assert [one[-2:] for one in rows[1:]] == [["· finished", "shop"], ["■ interrupted", ""]]
    assert rows[1][2] == " ".join(tuning_report(row).answer.headline.split())
    assert rows[1][1].endswith("url /shop/")


def test_the_page_has_the_answer_its_table_and_its_evidence(soup):
    row = make_tuning()
    answer, page = tuning_report(row).answer, soup(address(row))
    assert [one.text for one in page.select("p.sentence")] == [*(answer.headline, *answer.reasons)]
    titles = [one.title for one in answer.sections]
    assert titles[0] == "To paste", "it stands under the answer"
    assert [one.text for one in page.select("main h2")] == [
        *("To paste", "Charts", "Configurations", *titles[1:])
    ]
    assert not page.select("details[open]"), "the card is enough"
    assert page.select_one(".card pre.command").text == answer.command
    rows = table(page, "Configurations")
    assert rows[0] == [" ".join(one.split()) for one in answer.table.headings]
    assert [one[0] for one in rows[1:]] == [one[0] for one in answer.table.rows]
    assert page.select_one("tr.pick th").text == rows[1][0]
    limits = page.select_one("section[aria-label='What limits it']")
    assert "L01" in limits.text
    facts = {one.dt.text: one.dd.text for one in page.select("dl.facts div")}
    assert (facts["CPUs of the server"], facts["CPU"]) == ("2", "Example CPU 3.2 GHz")
    said = page.select_one("p.question").text
    assert said.startswith("Asked: the highest rate of 3 servers with p95 < 200ms, failures < ")
    assert ", for url /shop/, in 15 min. " in said
    told = [one.text for one in page.select("main p:not(.quiet, .data)")]
    assert len({*told}) == len(told), "no sentence twice"


def test_each_start_leads_to_its_run_unless_that_is_gone(soup):
    row = make_tuning()
    row.trials.filter(order=1).update(observation={"took_s": 0.1, "failure": "It is missing."})
    *_, decisions, _conditions = tuning_report(row).answer.sections
    (log,) = decisions.tables
    entries = searched().entries
    assert [one[1:3] for one in log.rows] == [
        [one.trial.phase.value, one.trial.candidate.name] for one in entries
    ]
    section = soup(address(row)).select_one("details:has(#decisions)")
    links = [one["href"] for one in section.select("a")]
    assert sorted(links) == sorted(run.get_absolute_url() for run in Run.objects.all())
    gone = [one["title"] for one in section.select(".missing")]
    assert gone == ["it has no run", *["its run was deleted"] * (len(entries) - 3)]
    Run.objects.all().delete()
    assert not soup(address(row)).select("section[aria-label='What limits it']")


@pytest.mark.parametrize("starts", [0, 1, 5, 30])
def test_one_that_was_stopped_shows_what_is_known_and_how_to_go_on(soup, starts):
    notebook = searched(starts)
    row = make_tuning(notebook, status="interrupted")
    (premise,) = tuning_report(row).answer.premises
    where = f" in its {notebook.entries[-1].trial.phase.value} phase" if starts else ""
    assert premise.startswith(f"It was stopped{where}, after {starts} run")
    assert premise.endswith(f"python manage.py tunebench --resume={row.pk}")
    page = soup(address(row))
    assert page.select_one("p.note").text == premise
    assert not page.select("meta[http-equiv=refresh]")
    assert bool(page.select("#to-paste")) == ("which leads and is not confirmed" in page.text)
    assert table(soup(LIST), "Tunings")[1][2] == " ".join(
        tuning_report(row).answer.headline.split()
    )


def test_one_that_is_still_searching_says_so_and_stays_fresh(soup):
    row = make_tuning(searched(12), status="running", made_by=lock.owner_name())
    page = soup(address(row))
    assert page.select("section.live")
    assert page.select("p.note")[-1].text.startswith("It is still searching: 12 runs in ")
    assert page.select("meta[http-equiv=refresh]")
    assert "--resume" not in page.text
    Tuning.objects.update(owner="")  # its command was killed
    assert "It was stopped in its screen phase, after 12 runs" in soup(address(row)).text
    assert table(soup(LIST), "Tunings")[1][3] == "■ interrupted"


def test_it_leaves_as_markdown_and_one_html_file(client):
    row = make_tuning()
    assert text(client, f"{address(row)}?format=md") == to_markdown(tuning_report(row).answer)
    page = text(client, f"{address(row)}?format=html")
    parsed = BeautifulSoup(page, "html.parser")
    assert len(parsed.select("figure.chart")) == 2
    assert not parsed.select(".links"), "nothing leads out of the file"
    assert not parsed.select("link, img, script[src], a:not([href^='#'])")
    online = BeautifulSoup(client.get(address(row)).content, "html.parser")
    assert table(parsed, "Configurations") == table(online, "Configurations")


def test_where_nothing_can_be_pasted_it_says_why(monkeypatch):
    row = make_tuning()
    row.spec["server"]["python"] = "3.1"
    assert "3.1" in tuning_report(row).pasted[1]
    bare = SimpleNamespace(WSGI_APPLICATION=None, ROOT_URLCONF="tests.web.bare_urls")
    monkeypatch.setattr(environments, "target_settings", lambda: bare)
    mine = tuning_report(make_tuning())
    assert "no WSGI application to paste" in mine.pasted[1]
    (section,) = [one for one in mine.answer.sections if one.title == "To paste"]
    assert section.sentences == [mine.pasted[1]]


def test_settings_that_can_not_be_loaded_here_are_why_nothing_can_be_pasted(soup, monkeypatch):
    def fail():
        raise ImproperlyConfigured("shop.settings can't be loaded here: KeyError: 'KEY'")

    monkeypatch.setattr(environments, "target_settings", fail)
    page = soup(address(make_tuning()))
    assert "shop.settings can't be loaded here: KeyError: 'KEY'" in page.text


def test_what_was_recommended_is_there_to_paste(soup, settings):
    settings.WSGI_APPLICATION = "shop.wsgi.application"
    row = make_tuning()
    pick = Outcome(searched()).pick
    page = soup(address(row))
    found = {one.summary.text: one.code.text for one in page.select("#to-paste ~ details")}
    assert {"command", "systemd", "Procfile", "Dockerfile"} < set(found)
    measured = f"runbench --server={pick.server} --processes={pick.processes}"
    assert all(measured in one.splitlines()[0] for one in found.values())
    assert any("shop.wsgi:application" in one for one in found.values())
    assert found["systemd"].rstrip() in to_markdown(tuning_report(row).answer)


def test_an_asgi_server_is_pasted_for_the_asgi_application_alone(settings):
    settings.WSGI_APPLICATION, settings.ASGI_APPLICATION = "json.tool.main", None
    with pytest.raises(UsageError, match="no ASGI application"):  # json has no module asgi
        application("", "asgi")
    assert application("", "wsgi").wsgi == "json.tool:main"
    settings.ASGI_APPLICATION = "shop.routing.application"
    assert application("", "asgi").asgi == "shop.routing:application"
    assert application("own:app", "asgi").asgi == "own:app"


TUNINGS = {
    "highest rate": searched,
    "at a rate": lambda: searched(rate=120.0),
    "scaling": lambda: tuned(lawful, seed=1),
    "two numbers of CPUs": lambda: tuned(lawful, seed=1, counts=(1, 2)),
}


@pytest.mark.parametrize("name", TUNINGS)
def test_what_its_page_and_its_charts_say(soup, golden, name):
    """Of each point of a chart whether it is hollow, and whether it has an interval."""
    row = make_tuning(TUNINGS[name]())
    lines = [
        words_of(
            soup(address(row)), "p.question, p.sentence, dl.facts, #configurations ~ * tbody tr"
        )
    ]
    for chart in tuning_report(row).charts:
        series = chart.series
        lines += ["", series.slug, series.title]
        numbers = table_as_csv([column.name for column in series.columns], series.rows)
        for values in csv.reader(io.StringIO("".join(numbers))):
            lines.append(" | ".join(re.sub(r"(\d+\.\d{2})\d+", r"\1", one) for one in values))
        for trace in chart.drawing["data"]:
            symbol = str(trace.get("marker", {}).get("symbol", ""))
            marks = ["hollow"] * symbol.endswith("-open") + ["interval"] * ("error_y" in trace)
            marks += trace.get("customdata", ())
            lines.append(" ".join([trace.get("hovertemplate", "").partition("<")[0], *marks]))
    golden("\n".join(lines), name)


def test_one_that_was_refused_before_any_start_says_why(soup):
    question = replace(asked(WORLD), connections_limit={"postgresql": 1})
    made = search(WORLD, question)
    assert list(going(made, Measured(WORLD, question.objective, seed=1))) == []
    page = soup(address(make_tuning(made.notebook)))
    assert page.select_one("p.sentence").text.startswith("Nothing was started.")
    assert "postgresql has 1 to give" in page.select_one("main").text
    assert not page.select("figure, tr.pick, #decisions, #to-paste")


def test_it_needs_few_queries_however_many_starts_there_were(client):
    row = make_tuning()
    assert row.trials.count() > 40
    with CaptureQueriesContext(connection) as queries:
        client.get(address(row))
    assert len(queries) <= 14


def test_what_can_t_be_shown_is_a_sentence(soup):
    assert "There is no tuning" in soup(f"{LIST}{uuid4()}/", status=404).text
    row = make_tuning(searched(5))
    assert "there are: md, html, json" in soup(f"{address(row)}?format=pdf", status=400).text
    Tuning.objects.update(question={"objective": 3, "new": 1})
    assert "What is stored of this tuning can't be read" in soup(address(row), status=400).text
    assert "What is stored of this tuning can't be read" in soup(LIST).select_one(".error").text


def test_one_that_was_killed_is_not_under_way(soup):
    row = make_tuning(searched(5), status="running")
    for path in (LIST, address(row)):
        Tuning.objects.update(status="running", owner=GONE)
        soup(path)
        assert Tuning.objects.values_list("status", "owner").get() == ("interrupted", "")


def test_strangers_see_none_of_it(settings, client):
    row = make_tuning(searched(5))
    settings.BENCHSUITE = {}
    for path in (LIST, address(row), f"{address(row)}?format=md"):
        assert client.get(path).status_code == 302


def test_where_the_cpu_time_of_the_recommended_one_goes_is_on_the_page_and_in_its_files(
    soup, client
):
    assert soup(address(make_tuning())).select_one(".flame") is None
    notebook = searched()
    last = notebook.entries[-1]
    notebook.entries.append(replace(last, trial=replace(last.trial, phase=Phase.FLAME)))
    row = make_tuning(notebook)
    run = make_profiled(Run.objects.filter(trials__tuning=row).latest("started_at"))
    row.trials.filter(order=len(notebook.entries) - 1).update(run=run)
    page = soup(address(row))
    assert [one.text for one in page.select("svg.flame .project text")] == ["list_products"]
    assert "goes in list_products, shop/views.py:12" in page.select_one(".limits .hint").text
    file = BeautifulSoup(text(client, f"{address(row)}?format=html"), "html.parser")
    assert len(file.select("svg.flame rect")) == len(page.select("svg.flame rect")) == 5
    assert file.select_one("section[aria-labelledby=flame] a") is None
    told_in_markdown = text(client, f"{address(row)}?format=md")
    assert "| execute (compiler.py:1570) | 50.0\u2009% |" in told_in_markdown


def test_what_limits_the_pick_counts_the_requests_of_its_journeys(monkeypatch):
    row, given = make_tuning(), {}
    Measurement.objects.filter(scope="journey").update(requests=F("requests") / 5)
    monkeypatch.setattr(evidence, "limits_of", lambda run, **more: given.update(more) or Limits())
    tuning_report(row).limits()
    most = max(level.goodput for one in searched().entries for level in one.seen.levels)
    assert given["highest_rate"] == pytest.approx(5 * most, rel=0.01)
