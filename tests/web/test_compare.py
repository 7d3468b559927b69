"""Several runs beside each other."""

import json
import re
from datetime import timedelta
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from bs4 import BeautifulSoup
from django.core.management import call_command

from benchsuite.comparing.answer import of_runs
from benchsuite.comparing.contrasts import DEFAULT, contrasts, metric
from benchsuite.comparing.differences import Comparison
from benchsuite.management.output import Screen
from benchsuite.models import Run
from benchsuite.report import queries
from benchsuite.store import notes
from tests.factories import BEGUN, INVALID, MACHINE, make_failed_run, make_run, make_running_run
from tests.golden import words_of
from tests.starts import BATCH, FAST, SLOW, doubt, starts
from tests.web.conftest import text as had


def address(*runs, **more):
    ids = ",".join(str(run.pk) for run in runs)
    return "&".join([f"/results/compare/?runs={ids}", *(f"{k}={v}" for k, v in more.items())])


def row(page, title):
    found = [one for one in page.select("table.comparison tbody tr") if title in one.th.text]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_page_shows_the_answer_with_its_table(soup, count):
    runs = [*starts("uwsgi", SLOW[:count]), *starts("waitress", FAST[:count])]
    answer = of_runs(Comparison(runs), {})
    page = soup(f"/results/compare/?batch={runs[0].batch}")
    assert [one.text for one in page.select("p.sentence")] == [answer.headline, *answer.reasons]
    assert [one.text for one in page.select("p.caution")] == list(answer.cautions)
    rows = page.select("#real tbody tr")
    assert [row.select("td")[-1].text.strip() for row in rows] == [
        row[-1] for row in answer.table.rows
    ]
    command = page.select_one("pre.command code")
    assert (command is None) is (count == 5)
    if command is not None:
        assert command.text.startswith("python manage.py runbench --again=")


@pytest.mark.parametrize(("count", "title"), [(1, "1 run of one"), (5, "5 runs of one")])
def test_one_configuration_has_its_answer(soup, client, count, title):
    starts("uwsgi", SLOW[:count])
    path = f"/results/compare/?batch={BATCH}"
    page = soup(path)
    verdict, headline = page.select_one(".headline").text.split(" ", 2)[1:]
    assert (verdict, headline[:17]) == ("valid", "uwsgi answers 600")
    assert bool(page.select("pre.command")) is (count == 1), "repeat it"
    assert title in page.h1.text
    assert "against" not in page.select_one("#table").text
    assert headline in had(client, f"{path}&format=md")


NUMBER = re.compile(r"\d+\.\d+")


def test_a_pair_has_one_ratio_on_every_surface(soup, capsys, tmp_path):
    """Skewed runs, of which medians, means, and either order of a pair would give other numbers."""
    skewed = {"uwsgi": (500.0, 505.0, 510.0, 515.0, 700.0), "waitress": FAST, "daphne": SLOW}
    rows = [run for server, rates in skewed.items() for run in starts(server, rates)]
    comparison = Comparison(rows)
    made = contrasts(comparison.pairs, [metric(name) for name in DEFAULT])
    pairs = {(one.metric.short, one.candidate.title): one for one in made}
    markdown, plain = tmp_path / "c.md", tmp_path / "c.json"
    call_command("comparebench", BATCH.hex[:8], f"--markdown={markdown}", f"--json={plain}")
    terminal = capsys.readouterr().out
    Screen().results(rows, stored=False)
    ending = capsys.readouterr().out
    pages = {name: soup(f"/results/compare/?batch={BATCH}&figure={name}") for name in DEFAULT}
    for one in json.loads(plain.read_text())["comparisons"]:
        pair = pairs.pop((one["metric"], one["candidate"]["title"]))
        assert (one["value"], one["low"]) == (pair.effect.value, pair.effect.low)
        where = f"{one['metric']} {pair.candidate.title}"
        for text in (terminal, markdown.read_text().replace("|", " ")):
            lines = [" ".join(line.split()) for line in text.splitlines()]
            assert any(line.startswith(where) and pair.value_text in line for line in lines), text
        shown = row(pages[one["metric"]], pair.candidate.title).select_one("td.ratio").text
        assert shown.split()[0] == pair.value_text
    assert pairs == {}
    ratios = {
        text
        for one in made
        for text in (one.value_text, *NUMBER.findall(one.interval_text), *NUMBER.findall(one.says))
    }
    said = [pages["goodput"].select_one("main").text, terminal, markdown.read_text(), ending]
    for text in said:
        written = re.findall(r"(\d+\.\d+)\s?×|[a-z] \((\d\.\d+)\)", text)
        assert written, text
        assert {one or other for one, other in written} <= ratios, text


def test_the_baseline_is_a_click_away_and_a_star_is_the_default(soup):
    runs = [make_run(name, rate=rate) for name, rate in (("uwsgi", 600), ("uvicorn", 300))]
    page = soup(address(*runs))
    assert "baseline" in row(page, "uvicorn")["class"]
    other = soup(row(page, "uwsgi").find("a", string="make baseline")["href"])
    assert "baseline" in row(other, "uwsgi")["class"]
    notes.keep(run=runs[0], starred=True)
    assert "baseline" in row(soup(address(*runs)), "uwsgi")["class"]
    assert "baseline" in row(soup(address(*runs, baseline=runs[1].pk)), "uvicorn")["class"]


def test_the_file_of_a_comparison_has_the_baseline_and_the_figure_of_its_page(client, soup):
    runs = [make_run(name, rate=rate) for name, rate in (("uwsgi", 600), ("uvicorn", 300))]
    page = soup(address(*runs, baseline=runs[0].pk, figure="memory"))
    urls = {one.text: one["href"] for one in page.select(".links a")}
    file = BeautifulSoup(had(client, urls["HTML file"]), "html.parser")
    assert file.select_one("#table").text == "Memory against uwsgi"
    assert had(client, urls["Markdown"]).startswith("# ")
    refused = soup(urls["Markdown"].replace("format=md", "format=csv"), status=400)
    assert "There is no format 'csv'; there are: html, md." in refused.text


def test_runs_are_added_and_removed_in_place(soup):
    first, second, third = (make_run(name, rate=60) for name in ("uwsgi", "uvicorn", "daphne"))
    make_run("waitress", users=7)
    page = soup(address(first, second, figure="memory"))
    (offered,) = page.select("form.add option")
    assert offered["value"] == third.pk.hex
    fields = [(one["name"], one["value"]) for one in page.select("form.add input")]
    added = soup(f"/results/compare/?{urlencode([*fields, ('runs', offered['value'])])}")
    assert len(added.select("table.comparison tbody tr")) == 3
    removed = soup(row(added, "uvicorn").find("a", string="remove")["href"])
    left = removed.select(".comparison tbody th")
    assert {one.text.split()[0] for one in left} == {"uwsgi", "daphne"}
    assert removed.select_one(".switch [aria-current]").text == "memory"


def test_why_a_figure_is_missing_is_told_of_a_run_that_has_others(soup):
    failed = make_failed_run("uwsgi", users=1)
    few = make_run("uwsgi", users=1, rate=3, started_at=BEGUN + timedelta(minutes=1))
    page = soup(address(failed, few, make_run("daphne", users=1)))
    (missing,) = row(page, "uwsgi").select(".missing")
    assert missing["title"].startswith("needs 72 right answers")


def test_the_forest_has_a_dot_for_each_run_and_is_switched_by_links(soup):
    runs = [*starts("uwsgi", SLOW), *starts("waitress", FAST)]
    page = soup(f"/results/compare/?batch={runs[0].batch}")
    dots = row(page, "waitress").select("circle")
    assert len(dots) == 5
    interval, one = (row(page, "waitress").select_one(f".{name}") for name in ("interval", "one"))
    places = [float(interval[end].rstrip("%")) for end in ("x1", "x2")]
    assert float(one["x1"].rstrip("%")) < places[0] < places[1] <= 100
    assert all(0 <= float(dot["cx"].rstrip("%")) <= 100 for dot in dots)
    assert "1" in [one.text for one in page.select("svg.axis text")]
    links = {one.text: one["href"] for one in page.select(".switch a")}
    assert list(links) == ["goodput", "p95", "memory", "CPU"]
    assert row(soup(links["p95"]), "waitress").select_one(".ratio").text.startswith("0.77")


def test_several_loads_are_lines_with_their_knee(soup):
    peak = {1: 100, 4: 300, 16: 400, 64: 390}
    runs = [
        make_run(name, users=users, rate=rate * factor)
        for name, factor in (("uwsgi", 1), ("daphne", 0.5))
        for users, rate in peak.items()
    ]
    page = soup(address(*runs))
    assert page.select_one(".headline").text.startswith(
        "At 16 users: uwsgi answered most so far; it "
    )
    assert "daphne levels off at 16 users" in page.text
    drawing = json.loads(page.select_one("#goodput-by-load script").text)
    assert drawing["layout"]["xaxis"]["type"] == "log"
    assert drawing["data"][0]["marker"]["symbol"].index("circle-open") == 2
    at_level = soup(page.find("a", string="1 user")["href"])
    assert len(at_level.select("table.comparison tbody tr")) == 2
    rows = page.select("#goodput-by-load tbody tr")
    assert [row.select_one("td").text for row in rows] == ["1", "4", "16", "64"]
    other = make_run("uwsgi", users=4, workload="cpu")
    assert soup(address(*runs, other), status=409)


def test_several_sizes_are_a_heat_map(soup):
    runs = [
        make_run(name, processes=processes, rate=100 * processes)
        for name in ("uwsgi", "daphne")
        for processes in (1, 2, 4)
    ]
    table = soup(address(*runs[:5])).select_one("table.sizes")
    assert [one.text for one in table.select("thead th")][1:] == ["1 × 4", "2 × 4", "4 × 4"]
    shades = [float(one["fill-opacity"]) for one in table.select("tbody tr")[0].select("rect")]
    assert shades == sorted(shades)
    assert table.select_one(".missing")["title"] == "not measured"
    labels = [make_run("uwsgi", label=label, processes=2) for label in ("a", "b")]
    assert not soup(address(*runs, *labels)).select("table.sizes")


def test_forty_configurations_stay_small(soup, client):
    servers = ("uwsgi", "daphne", "uvicorn", "waitress")
    for server in servers:
        for processes in range(1, 11):
            starts(server, [100 * processes + 1, 100 * processes], processes=processes)
    answer = client.get(f"/results/compare/?batch={BATCH}")
    assert len(answer.content) < 400_000
    page = soup(f"/results/compare/?batch={BATCH}")
    assert len(page.select("table.comparison tbody tr")) == 40
    drawn = [make_run("uwsgi", processes=count + 1, rate=20) for count in range(10)]
    page = soup(address(*drawn))
    assert len(json.loads(page.select_one("#distribution script").text)["data"]) == 8


def test_ids_may_be_repeated_or_joined(soup):
    first, second = make_run("uwsgi"), make_run("uvicorn")
    page = soup(f"/results/compare/?runs={first.pk}&runs={second.pk}&chosen=1")
    assert len(page.select("table.comparison tbody tr")) == 2


def test_runs_of_one_command_by_its_batch(soup):
    batch = uuid4()
    make_run("uwsgi", batch=batch)
    make_run("uvicorn", batch=batch)
    make_run("daphne")
    assert len(soup(f"/results/compare/?batch={batch}").select(".comparison tbody tr")) == 2


def test_a_command_of_too_many_runs_leads_to_its_row(client, soup, monkeypatch):
    monkeypatch.setattr(queries, "MOST_COMPARED", 3)
    starts("uwsgi", SLOW)
    answer = client.get(f"/results/compare/?batch={BATCH}")
    assert answer["Location"] == f"/results/?command={BATCH}"
    assert len(soup(answer["Location"]).select("tr.run")) == 5
    running = make_running_run("daphne")
    Run.objects.filter(pk=running.pk).update(batch=BATCH)
    assert soup(f"/results/compare/?batch={BATCH}").select("section.live")


def excluded():
    runs = [*starts("uwsgi", SLOW), *starts("waitress", FAST)]
    for run, code in ((runs[0], "B401 noisy-host"), (runs[5], "B201 failures")):
        doubt(run, code)
    none = dict.fromkeys(("goodput", "p95_s", "memory_bytes"))
    Run.objects.filter(pk=runs[6].pk).update(status="failed", verdict="", **none)
    return runs


def of_units():
    runs = [make_run("uwsgi", rate=60), make_run("daphne", workload="ws_echo", rate=600)]
    Run.objects.filter(pk=runs[1].pk).update(unit="message")
    return runs


NEWER = {**MACHINE, "kernel": "6.12", "uptime_s": 5}
PACKAGES = {"django": "5.2.19", "uwsgi": "2.0.31", "scipy": "1.17"}
BUILT = {"django": "6.0.1", "uwsgi": "2.0.31", "six": "1.17"}
COMPARED = {
    "starts share a row": lambda: [
        *(
            make_run("uwsgi", rate=rate, repetition=number, seed=number)
            for number, rate in enumerate((500, 600, 700), start=1)
        ),
        make_run("uvicorn", rate=300),
    ],
    "two labels": lambda: [make_run("uwsgi", label=label) for label in ("before", "after")],
    "invalid": lambda: [
        make_run("waitress", rate=900, findings=(INVALID,)),
        *(make_run("uwsgi", rate=600), make_run("uvicorn", rate=300)),
    ],
    "failed and running": lambda: [
        *(make_run("uwsgi"), make_failed_run("uvicorn"), make_running_run("daphne"))
    ],
    "units": of_units,
    "excluded": excluded,
    "surroundings": lambda: [
        *(make_run("uwsgi", label="before"), make_run("uwsgi", label="x", environment=NEWER))
    ],
    "environments": lambda: [
        make_run("uwsgi", packages=PACKAGES),
        make_run("uwsgi", served_from="new@0123456789abcdef", packages=BUILT),
    ],
}


def test_what_the_page_says(golden, soup):
    """What is asked for as a baseline and can't be one is left out."""
    for name, make in COMPARED.items():
        runs = make()
        page = soup(address(*runs, forced=1, baseline=runs[0].pk if name == "invalid" else "x"))
        lines = [words_of(page)]
        for one in page.select("table.comparison tbody tr"):
            dots = ["○" if dot["fill"] == "none" else "●" for dot in one.select("circle")]
            lines.append(" ".join([*one["class"], *dots]))
        golden("\n".join(lines), name)
        Run.objects.all().delete()


def test_unlike_runs_are_refused_unless_forced(golden, soup):
    def differences(**other):
        runs = [make_run("uwsgi"), make_run("uvicorn", rate=1.0, **other)]
        page = soup(address(*runs), status=409)
        assert not page.select("table.comparison")
        anyway = soup(page.find("a", string="Compare anyway")["href"])
        assert "Compared against advice" in anyway.select_one(".failure h2").text
        assert len(anyway.select(".comparison tbody tr")) == 2
        return words_of(page, "main li")

    golden.cases(differences)


def test_charts_keep_a_server_s_colour(soup):
    first, second = make_run("uwsgi"), make_run("uvicorn", rate=300)
    page = soup(address(first, second))
    other = soup(address(second, make_run("daphne")))

    def colours(page):
        drawing = json.loads(page.select_one("#distribution script").text)
        return {one["name"]: one["line"]["color"] for one in drawing["data"]}

    assert len(set(colours(page).values())) == 2
    assert colours(page)["uvicorn"] == colours(other)["uvicorn"]


@pytest.mark.parametrize("count", [2, 12])
def test_number_of_queries_does_not_grow(client, django_assert_num_queries, count):
    runs = [
        make_run("uwsgi", rate=60, repetition=one + 1, started_at=BEGUN + timedelta(minutes=one))
        for one in range(count)
    ]
    with django_assert_num_queries(9):
        client.get(address(*runs))


def test_percentile_curves_have_no_gaps(soup):
    runs = [make_run("uwsgi", rate=600), make_run("uvicorn", rate=251), make_run("daphne", rate=97)]
    drawing = json.loads(soup(address(*runs)).select_one("#distribution script").text)
    for line in drawing["data"]:
        known = [value is not None for value in line["y"]]
        assert known == sorted(known, reverse=True)


def test_a_baseline_without_the_figure_is_still_the_baseline(soup):
    few = make_run("uwsgi", users=1, rate=3)
    page = soup(address(few, make_run("daphne", users=1), baseline=few.pk, figure="p95"))
    assert "baseline" in row(page, "uwsgi")["class"]
    assert "There is no baseline" not in page.text
