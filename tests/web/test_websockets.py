"""The pages of runs whose load spoke WebSocket."""

import io
import json
from dataclasses import asdict
from datetime import timedelta
from uuid import uuid4

import pytest

from benchsuite.comparing.answer import ranking
from benchsuite.comparing.cells import cells
from benchsuite.core.results import Traffic
from benchsuite.management.output import Screen
from benchsuite.models import Run
from benchsuite.report.answers import card_of, of_run
from benchsuite.report.exports import run_as_json
from benchsuite.report.parts import sockets_table
from tests.factories import BEGUN, make_run
from tests.golden import words_of
from tests.socket_factories import make_echo_run, make_idle_run
from tests.web.conftest import csv_rows

pytestmark = pytest.mark.django_db


COMPRESSED = Traffic(
    {"permessage-deflate; server_max_window_bits=12": 99, "": 1}, 2000, 500, 4000, 100
)


def test_what_pages_say(golden, soup):
    lossy = make_echo_run(lost=12, closes={1011: 10, 1006: 2})
    golden(words_of(soup(f"/results/{lossy.pk}/")), "lossy")
    streams = make_echo_run("uvicorn", workload="sse", unit="event")
    golden(words_of(soup(f"/results/{streams.pk}/")), "streams")
    compressed = make_echo_run()
    compressed.websockets["compression"] = asdict(COMPRESSED)
    compressed.spec["load"]["keep_alive"] = False
    compressed.save()
    page = soup(f"/results/{compressed.pk}/")
    golden(words_of(page), "compressed, a connection for each message")
    assert not page.select("figure#websockets"), "none are open to be counted"


def test_what_the_list_says(golden, soup):
    make_idle_run("daphne")
    make_idle_run("uvicorn")
    Run.objects.update(batch=uuid4())
    staged = make_run("daphne")
    staged.spec["load"]["stages"] = [250, 500, 750, 1000, 1250]
    staged.started_at = BEGUN + timedelta(hours=1)
    staged.save()
    page = soup("/results/")
    golden("\n".join(sorted(words_of(page, "table.commands tbody tr").splitlines())))


def test_the_terminal_has_a_table_of_its_own(golden, db):
    run = make_run("uwsgi")
    assert sockets_table([run], {run.pk: "uwsgi"}) is None
    console = Screen(file=io.StringIO(), width=200)
    runs = [make_echo_run(lost=2, closes={1001: 1}), make_idle_run("uvicorn")]
    names = ("daphne · 1 × 1", "uvicorn · nginx")
    console.table(
        sockets_table(runs, {run.pk: name for run, name in zip(runs, names, strict=True)})
    )
    golden(console.file.getvalue())


def test_messages_are_drawn_over_time(soup):
    run = make_echo_run(lost=12, closes={1011: 10})
    page = soup(f"/results/{run.pk}/")
    drawn = {figure["id"]: figure for figure in page.select("figure.chart")}
    assert list(drawn)[:3] == ["goodput", "distribution", "response-times"]
    goodput = json.loads(drawn["goodput"].select_one("script").text)
    assert goodput["layout"]["yaxis"]["title"]["text"] == "messages per second"


def test_several_loads_of_messages_are_drawn_over_connections(soup):
    runs = [make_echo_run(users=users) for users in (10, 20)]
    page = soup(f"/results/compare/?runs={runs[0].pk},{runs[1].pk}")
    drawing = json.loads(page.select_one("#goodput-by-load script").text)
    assert drawing["layout"]["xaxis"]["title"]["text"] == "connections"


def test_idle_connections_are_about_memory(golden, soup, client):
    run = make_idle_run()
    page = soup(f"/results/{run.pk}/")
    golden(words_of(page))
    drawn = [figure["id"] for figure in page.select("figure.chart")]
    assert drawn[0] == "connection-memory"
    assert not {"goodput", "response-times", "distribution"} & set(drawn)
    rows = csv_rows(client, f"/results/{run.pk}/connection-memory.csv")
    assert [row["connections"] for row in rows] == [str(many) for many in range(250, 2001, 250)]
    for row in rows:
        assert float(row["line_bytes"]) == pytest.approx(float(row["memory_bytes"]), abs=2)


def test_idle_runs_are_ranked_by_memory_per_connection(golden, soup):
    runs = [make_idle_run("daphne"), make_idle_run("uvicorn", each_bytes=57_344.0)]
    page = soup(f"/results/compare/?runs={','.join(str(run.pk) for run in runs)}")
    golden(words_of(page))
    assert not page.select("figure.chart")


def test_a_memory_that_shrank_divides_nothing(soup):
    runs = [make_idle_run("daphne", each_bytes=-900.0), make_idle_run("uvicorn")]
    page = soup(f"/results/compare/?runs={runs[0].pk},{runs[1].pk}&baseline={runs[0].pk}")
    assert "daphne" in page.select_one(".comparison tr.baseline th").text
    assert not page.select("svg.forest")


def test_intervals_that_overlap_are_too_close_to_call():
    sizes = {"daphne": 2_000.0, "uvicorn": 2_300.0}
    runs = [make_idle_run(server, each_bytes=each) for server, each in sizes.items()]
    told = "Too close to call: daphne has 0.87 × the memory per connection of uvicorn."
    assert ranking(cells(runs), {}).headline == told
    assert "idle connections" in card_of(cells([make_idle_run(), make_idle_run()]), {}).headline


def test_json_holds_every_count():
    found = json.loads(json.dumps(run_as_json(make_echo_run(lost=2, closes={1001: 1}))))
    assert found["unit"] == "message"
    assert found["websockets"]["accounts"]["lost"] == 2
    assert found["websockets"]["accounts"]["closes"] == {"1001": 1}
    assert found["handshake_time"]["p50_s"] > 0
    assert found["fan_out_time"] is None
    idle = json.loads(json.dumps(run_as_json(make_idle_run())))
    assert idle["connection_bytes"] == 28_672
    assert idle["websockets"]["idle"]["steps"][0] == [250, 70_082_560]


def test_a_handshake_is_what_a_storm_is_about():
    run = make_echo_run(workload="ws_connect", unit="handshake")
    assert "handshakes/s of ws_connect from 100 connections" in of_run(run).headline


def test_idle_connections_have_no_goodput(soup):
    """Nothing was asked of them."""
    run = make_idle_run()
    (row,) = soup("/results/configurations/").select("tbody tr")
    assert [one.text for one in row.select("td.figure")] == ["1", "—", "—", "—"]
    page = soup(f"/results/configurations/{run.key}/")
    assert "Goodput" not in [one.text for one in page.select("h2")]
    assert "too slow" not in soup("/results/ask/").text
