"""Several runs beside each other."""

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from benchsuite.comparing.answer import of_runs
from benchsuite.comparing.differences import Comparison
from benchsuite.models import Run
from tests.factories import (
    BEGUN,
    INVALID,
    MACHINE,
    make_failed_run,
    make_run,
    make_running_run,
)
from tests.starts import FAST, SLOW, doubt, starts

NONE_SUCH = "0b9e5a52-6d6f-4d5e-9d0c-8a1f0c6b7a11"
"""An id that nothing has."""


def address(*runs: Any, **more: Any) -> Any:
    ids = ",".join(str(run.pk) for run in runs)
    return "&".join([f"/results/compare/?runs={ids}", *(f"{k}={v}" for k, v in more.items())])


def row(page: Any, title: Any) -> Any:
    found = [one for one in page.select("table.comparison tbody tr") if title in one.th.text]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_page_shows_the_answer_with_its_table(soup: Any, count: int) -> None:
    runs = [*starts("uwsgi", SLOW[:count]), *starts("waitress", FAST[:count])]
    answer = of_runs(Comparison(runs), {})
    page = soup(f"/results/compare/?batch={runs[0].batch}")
    assert [one.text for one in page.select("p.sentence")] == [answer.headline, *answer.reasons]
    assert [one.text for one in page.select("p.caution")] == list(answer.cautions)
    rows = page.select('section[aria-labelledby="real"] tbody tr')
    results = [row[-1] for row in answer.table.rows] if answer.table else []
    assert [row.select("td")[-1].text.strip() for row in rows] == results
    failed = soup(address(make_failed_run("uvicorn"), make_failed_run("daphne")))
    assert failed.select_one(".headline").text.startswith("Nothing is ranked: all are without fig")


def test_ratios_are_to_the_baseline_that_was_chosen(soup: Any) -> None:
    fast, slow = make_run("uwsgi", rate=600), make_run("uvicorn", rate=300)
    fast.refresh_from_db()
    slow.refresh_from_db()
    page = soup(address(fast, slow))
    assert "baseline" in row(page, "uvicorn")["class"]
    assert f" answers {fast.goodput / slow.goodput:.2f} × uvicorn" in page.text
    link = row(page, "uwsgi").find("a", string="make baseline")["href"]
    other = soup(link)
    assert "baseline" in row(other, "uwsgi")["class"]
    assert f"uvicorn answers {slow.goodput / fast.goodput:.2f} × uwsgi" in other.text


def test_ids_may_be_repeated_or_joined(soup: Any) -> None:
    first, second = make_run("uwsgi"), make_run("uvicorn")
    page = soup(f"/results/compare/?runs={first.pk}&runs={second.pk}&chosen=1")
    assert len(page.select("table.comparison tbody tr")) == 2


def test_runs_of_one_command_by_its_batch(soup: Any) -> None:
    batch = uuid4()
    make_run("uwsgi", batch=batch)
    make_run("uvicorn", batch=batch)
    make_run("daphne")
    assert len(soup(f"/results/compare/?batch={batch}").select(".comparison tbody tr")) == 2


def test_starts_of_a_cell_share_a_row_with_their_range(soup: Any) -> None:
    starts = [
        make_run("uwsgi", rate=rate, repetition=number, seed=number)
        for number, rate in enumerate((500, 600, 700), start=1)
    ]
    page = soup(address(*starts, make_run("uvicorn", rate=300)))
    cells = row(page, "uwsgi").select("td")
    assert cells[1].text == "3 runs"
    assert "–" in cells[2].select_one(".range").text
    assert cells[2].text.startswith("598")
    assert not row(page, "uvicorn").select(".range")
    assert "1 run against 3 proves nothing" in page.text


def test_same_cell_under_two_labels_is_two_rows(soup: Any) -> None:
    before = make_run("uwsgi", label="before")
    after = make_run("uwsgi", label="after")
    page = soup(address(before, after))
    assert row(page, "uwsgi · before")
    assert row(page, "uwsgi · after")


def test_invalid_run_is_shown_but_never_ranked_nor_the_baseline(soup: Any) -> None:
    invalid = make_run("waitress", rate=900, findings=(INVALID,))
    sound, other = make_run("uwsgi", rate=600), make_run("uvicorn", rate=300)
    page = soup(address(invalid, sound, other, baseline=invalid.pk))
    assert "waitress" not in page.select_one("p.sentence").text
    assert "baseline" in row(page, "uvicorn")["class"]
    assert "make baseline" not in row(page, "waitress").text
    scatter = json.loads(page.select_one("#goodput-memory script").text)
    symbols = {one["name"]: one["marker"]["symbol"] for one in scatter["data"]}
    assert symbols["waitress (invalid)"].endswith("-open")
    assert not symbols["uwsgi"].endswith("-open")


def test_failed_and_running_runs_are_named_with_their_reason(soup: Any) -> None:
    page = soup(address(make_run("uwsgi"), make_failed_run("uvicorn"), make_running_run("daphne")))
    assert "uvicorn ended with status 1" in page.text
    assert "1 of 1 run failed (no result)" in row(page, "uvicorn").text
    assert "running" in row(page, "daphne").text


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"workload": "cpu"}, [["workload", "io_read", "cpu"]]),
        ({"users": 50}, [["load", "100 users", "50 users"]]),
        ({"duration_s": 5.0}, [["window", "10 s", "5 s"]]),
        (
            {"keep_alive": False, "users": 7},
            [["load", "100 users", "7 users"], ["keep alive", "on", "off"]],
        ),
        ({"rows": 10}, [["rows", "100\u2009000", "10"]]),
    ],
)
def test_unlike_runs_are_refused_unless_forced(soup: Any, other: Any, reason: Any) -> None:
    runs = [make_run("uwsgi"), make_run("uvicorn", rate=1.0, **other)]
    page = soup(address(*runs), status=409)
    rows = page.select(".differences tbody tr")
    assert [[cell.text for cell in one.select("th, td")] for one in rows] == reason
    assert not page.find("a", string="Compare these")
    assert not page.select("table.comparison")
    anyway = soup(page.find("a", string="Compare anyway")["href"])
    assert "Compared against advice" in anyway.select_one(".failure h2").text
    assert len(anyway.select(".comparison tbody tr")) == 2


def test_those_that_are_alike_are_a_click_away(soup: Any) -> None:
    alike = [make_run(server, rate=60) for server in ("uwsgi", "uvicorn", "waitress", "daphne")]
    page = soup(address(*alike, make_run("uwsgi", users=50)), status=409)
    heads = page.select(".differences thead th")
    assert [one.text.split(" Compare")[0] for one in heads][2] == "uwsgi · 50 users"
    assert "and 1 more" in heads[1].text
    (link,) = page.find_all("a", string="Compare these")
    assert len(soup(link["href"]).select("table.comparison tbody tr")) == 4


def test_figures_of_another_unit_say_so_and_have_no_ratio(soup: Any) -> None:
    runs = [make_run("uwsgi", rate=60), make_run("daphne", workload="ws_echo", rate=600)]
    Run.objects.filter(pk=runs[1].pk).update(unit="message")
    page = soup(address(*runs, forced=1))
    assert "/s messages" in row(page, "daphne").text
    assert "/s messages" not in row(page, "uwsgi").text
    assert page.select("table.comparison tbody tr")[0] is row(page, "uwsgi")
    assert "goodput" not in page.select_one("p.sentence").text


def test_which_starts_count_is_said_and_the_others_enter_no_figure(soup: Any) -> None:
    runs = [*starts("uwsgi", SLOW), *starts("waitress", FAST)]
    for run, code in ((runs[0], "B401 noisy-host"), (runs[5], "B201 failures")):
        doubt(run, code)
    Run.objects.filter(pk=runs[6].pk).update(
        status="failed", verdict="", **dict.fromkeys(("goodput", "p95_s", "memory_bytes"))
    )
    page = soup(f"/results/compare/?batch={runs[0].batch}")
    assert "4 of 5 runs; 1 excluded (B401)" in row(page, "uwsgi").text
    assert "2 of 5 runs failed (B201, no result)" in row(page, "waitress").text
    assert "weak" in row(page, "waitress").select_one("td").text


def test_other_surroundings_stand_first(soup: Any) -> None:
    here = make_run("uwsgi", label="before")
    there = make_run(
        "uwsgi", label="after", environment={**MACHINE, "kernel": "6.12", "uptime_s": 5}
    )
    refused = soup(address(here, there), status=409)
    (differs,) = refused.select(".differences tbody tr")
    assert [one.text for one in differs.select("th, td")] == ["kernel", "6.1.0", "6.12"]
    page = soup(f"{address(here, there)}&forced=1")
    rows = page.select(".differences tbody tr")
    assert [one.th.text for one in rows] == ["kernel"]
    text = page.select_one("main").text
    assert text.index("What else differs") < text.index("Beside each other")


def test_environments_of_servers_may_be_the_question_and_what_differs_in_them_is_shown(
    soup: Any,
) -> None:
    own = make_run("uwsgi", packages={"django": "5.2.19", "uwsgi": "2.0.31", "scipy": "1.17"})
    new = make_run(
        "uwsgi",
        served_from="new@0123456789abcdef",
        packages={"django": "6.0.1", "uwsgi": "2.0.31", "six": "1.17"},
    )
    page = soup(address(own, new))
    assert [one.text.split("\n") for one in page.select(".differences tbody tr")] == [
        ["package django5.2.196.0.1"],
        ["package not everywhere:scipysix"],
    ]
    titles = page.select_one("table.comparison").text
    assert "uwsgi · own environment" in titles
    assert "uwsgi · environment new" in titles


def test_charts_keep_a_server_s_colour(soup: Any) -> None:
    first, second = make_run("uwsgi"), make_run("uvicorn", rate=300)
    page = soup(address(first, second))
    other = soup(address(second, make_run("daphne")))

    def colours(page: Any, chart: Any) -> Any:
        drawing = json.loads(page.select_one(f"#{chart} script").text)
        return {one["name"]: one["line"]["color"] for one in drawing["data"]}

    assert len(set(colours(page, "goodput").values())) == 2
    assert colours(page, "goodput") == colours(page, "distribution")
    assert colours(page, "goodput")["uvicorn"] == colours(other, "goodput")["uvicorn"]
    scatter = json.loads(page.select_one("#goodput-memory script").text)
    assert "cheap and fast" in scatter["layout"]["annotations"][0]["text"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("", "No runs were chosen"),
        ("runs=", "No runs were chosen"),
        ("runs=nonsense", "is not the id of a run"),
        ("runs=<script>", "is not the id of a run"),
        ("batch=nonsense", "is not the id of a run"),
        (f"batch={NONE_SUCH}", "No runs were chosen"),
        (f"runs={NONE_SUCH}", "There is no run"),
    ],
)
def test_nonsense_gets_a_clear_answer(soup: Any, query: Any, message: Any) -> None:
    assert message in soup(f"/results/compare/?{query}", status=400).text


def test_nonsense_baseline_is_left_out(soup: Any) -> None:
    runs = [make_run("uwsgi"), make_run("uvicorn")]
    assert len(soup(address(*runs, baseline="x")).select("tr.baseline")) == 1


@pytest.mark.parametrize("count", [2, 12])
def test_number_of_queries_does_not_grow(
    client: Any, django_assert_num_queries: Any, count: int
) -> None:
    runs = [
        make_run("uwsgi", rate=60, repetition=one + 1, started_at=BEGUN + timedelta(minutes=one))
        for one in range(count)
    ]
    with django_assert_num_queries(6):
        client.get(address(*runs))


def test_percentile_curves_have_no_gaps(soup: Any) -> None:
    runs = [make_run("uwsgi", rate=600), make_run("uvicorn", rate=251), make_run("daphne", rate=97)]
    drawing = json.loads(soup(address(*runs)).select_one("#distribution script").text)
    for line in drawing["data"]:
        known = [value is not None for value in line["y"]]
        assert known == sorted(known, reverse=True)
