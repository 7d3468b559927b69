"""Whatever stands in an address: a page or a sentence, never an error, never many queries."""

import json
from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchsuite.models import Run
from tests.factories import make_run
from tests.starts import make_rows
from tests.tuning_factories import make_tuning, searched
from tests.web.conftest import csv_rows

LONG = "a" * 60_000
WORDS = "+".join(["word"] * 1_900)
NASTY = [
    *("", "-5", "0", "20001", "abc", "1e9", "9" * 400, "9" * 5_000, "%00", "a%00b", "%ff%fe"),
    *("%ed%a0%80", "%F0%9F%98%80", "%0d%0aSet-Cookie:+a=b", "..%2f..%2fetc%2fpasswd"),
    *("'+OR+1=1--", "<script>", "{{+7*7+}}", "%25", "²", "nan", "0001-01-01", "9999-12-31"),
    *("2026-02-30", "--label", "__class__", "spec__load", "environment__data", "=1+1"),
    *(WORDS, LONG, "p" + "1" * 60_000),
]
FILTERS = "q server workload verdict environment since until noted command"
PAGES = {
    "/results/": f"{FILTERS} page sort order go runs deleted",
    "/results/configurations/": "page sort order go",
    "/results/export/": f"{FILTERS} runs batch format chosen",
    "/results/export/?runs={pk}": "batch format chosen",
    "/results/delete/": "runs batch",
    "/results/compare/?runs={pk}": "runs batch baseline figure forced chosen",
    "/results/{pk}/": "format",
    "/results/ask/": "objective rate memory work",
    "/results/tune/": "page",
    "/results/tune/{tuning}/": "format",
}
"""Pages, and the names of the parameters that they read."""
MOST_QUERIES = 22


@pytest.fixture
def run():
    make_rows(8, servers=("uwsgi", "uvicorn"))
    return make_run("waitress")


@pytest.mark.parametrize(
    "page", [pytest.param("/results/", marks=pytest.mark.audit), *list(PAGES)[1:]]
)
def test_every_parameter_of_every_page(client, run, page):
    tuning = make_tuning(searched(5)).pk if "{tuning}" in page else ""
    address, join = page.format(pk=run.pk, tuning=tuning), "&" if "?" in page else "?"
    wrong = []
    for name in PAGES[page].split():
        for value in NASTY:
            with CaptureQueriesContext(connection) as queries:
                answer = client.get(f"{address}{join}{name}={value}")
                content = answer.getvalue()
            what = f"{address}{join}{name}={value[:40]}"
            if answer.status_code not in (200, 302, 400, 404, 409):
                wrong.append(f"{what}: {answer.status_code}")
            if len(queries) > MOST_QUERIES:
                wrong.append(f"{what}: {len(queries)} queries")
            if answer.status_code != 200 and len(content) > 20_000:
                wrong.append(f"{what}: {len(content)} bytes to say no")
    assert not wrong


PLACES = ("/results/{nasty}/", "/results/{pk}/{nasty}.csv", "/results/tune/{nasty}/")


@pytest.mark.parametrize("address", PLACES)
def test_every_place_in_a_path(client, run, address):
    for value in NASTY[1:]:
        path = address.format(nasty=value.replace("+", "%20"), pk=run.pk)
        answer = client.get(path)
        assert answer.status_code == 404, path[:80]
        assert len(answer.getvalue()) < 200_000


@pytest.mark.parametrize("value", ["x", "\0", "", "9" * 5000, LONG])
def test_posts_to_delete(client, run, value):
    assert client.post("/results/delete/", {"runs": [value]}).status_code == 400
    assert Run.objects.count() == 9


def test_too_many_runs_are_refused_before_they_are_read(client, run):
    ids = ",".join(f"{number:032x}" for number in range(20_000))
    for page in ("compare/", "delete/", "export/"):
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(f"/results/{page}?runs={ids}")
        assert answer.status_code == 400
        assert len(answer.content) < 20_000
        assert len(queries) <= 60
    chosen = ",".join(str(pk) for pk in Run.objects.values_list("pk", flat=True))
    assert client.get(f"/results/delete/?runs={chosen}").status_code == 200


def test_too_much_for_one_address_is_told(soup, run):
    assert "too long for one address" in soup(f"/results/?page=&q={'a' * 20_000}", status=400).text


@pytest.mark.parametrize("query", [f"q={WORDS}", f"q={LONG}", "q=a%00b"])
def test_a_search_for_too_much_is_told_and_exports_nothing(soup, run, query):
    assert "can’t be used" in soup(f"/results/?{query}", status=400).text
    assert "can’t be used" in soup(f"/results/export/?{query}", status=400).text


def test_cells_are_no_formulas_and_negative_numbers_stay(client):
    labels = ["=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "＝1", "plain", "a=b"]
    runs = [make_run("uwsgi") for _ in labels]
    for run, label in zip(runs, labels, strict=True):
        Run.objects.filter(pk=run.pk).update(label=label, goodput=-2.5)
    ids = ",".join(str(run.pk) for run in runs)
    found = csv_rows(client, f"/results/export/?format=csv&runs={ids}")
    assert [one["label"] for one in found[-2:]] == ["plain", "a=b"]
    assert [one["label"] for one in found[:-2]] == [f"'{label}" for label in labels[:-2]]
    assert {one["goodput_per_s"] for one in found} == {"-2.5"}


def test_exports_stream_in_their_order(client):
    make_rows(120, servers=("uwsgi",))
    ids = [str(pk) for pk in Run.objects.order_by("pk").values_list("pk", flat=True)]
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(f"/results/export/?format=json&runs={quote(','.join(ids))}")
        assert answer.streaming
        found = json.loads(answer.getvalue())
    assert [one["id"] for one in found] == ids
    assert len(queries) < 30
    assert len(json.loads(client.get("/results/export/").getvalue())) == 120
