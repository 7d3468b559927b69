"""The pages of runs whose load spoke WebSocket."""

import csv
import io
import json
from dataclasses import asdict
from typing import Any
from uuid import uuid4

import pytest

from benchsuite.comparing.answer import ranking
from benchsuite.comparing.cells import cells
from benchsuite.core.results import Traffic
from benchsuite.management.output import SafeConsole
from benchsuite.models import Run
from benchsuite.report.exports.runs import run_as_json
from benchsuite.report.sentences import run_sentence
from benchsuite.report.sockets import sockets_table
from tests.factories import make_run
from tests.socket_factories import make_echo_run, make_idle_run

pytestmark = pytest.mark.django_db


def tiles(page: Any) -> dict[str, str]:
    return {
        tile.select_one("dt").text: tile.select_one("dd").text.replace("\u2009", " ")
        for tile in page.select("dl.tiles > div")
    }


def test_the_run_page_speaks_of_messages_and_connections(soup):
    run = make_echo_run(lost=12, closes={1011: 10, 1006: 2})
    page = soup(f"/results/{run.pk}/")
    sentence = page.select_one("p.sentence").text
    assert "messages/s of ws_echo from 100 connections" in sentence
    shown = tiles(page)
    assert shown["Connections"] == "100"
    assert shown["Handshakes"] == "100"
    assert shown["Without connecting"] == "660 /s"
    assert shown["Lost"] == "12"
    assert shown["Twice"] == "0"
    assert shown["Ended early"] == "12 (10 × 1011, 2 × 1006)"
    assert shown["Goodput"].endswith("/s messages")
    assert "Messages" in shown
    assert "Requests" not in shown


def test_streams_of_events_have_words_of_their_own(soup):
    run = make_echo_run("uvicorn", workload="sse", unit="event")
    page = soup(f"/results/{run.pk}/")
    assert "events/s of sse from 100 connections" in page.select_one("p.sentence").text
    shown = tiles(page)
    assert shown["Streams"] == "100"
    assert "First event p50" in shown
    assert not [title for title in shown if "andshake" in title]


def test_with_a_connection_for_each_message_none_are_open_to_be_counted(soup):
    run = make_echo_run()
    run.spec["load"]["keep_alive"] = False
    run.save()
    page = soup(f"/results/{run.pk}/")
    assert "Connections" not in tiles(page)
    assert not page.select("figure#websockets")


def test_the_list_tells_idle_connections_by_their_memory(soup):
    for server in ("daphne", "uvicorn"):
        make_idle_run(server)
    Run.objects.update(batch=uuid4())
    page = soup("/results/")
    (command,) = page.select("tr.command-line")
    assert "most:" not in command.text
    row = page.select_one("tr.run").text.replace("\u2009", " ")
    assert "28.0 KiB per connection" in row
    assert "0 /s" not in row


def test_idle_connections_are_compared_without_what_answers_would_cost(soup):
    runs = [str(make_idle_run(server).pk) for server in ("daphne", "uvicorn")]
    page = soup(f"/results/compare/?runs={','.join(runs)}")
    headings = [cell.text for cell in page.select("table.comparison th[scope=col]")]
    assert "memory per connection" in headings
    assert not [heading for heading in headings if "goodput" in heading]


def test_many_levels_are_told_by_the_first_and_the_last(soup):
    run = make_run("daphne")
    run.spec["load"]["stages"] = [250, 500, 750, 1000, 1250]
    run.save()
    (load,) = soup("/results/").select("tr.run span[title]")
    assert (load.text, load["title"]) == (
        "250 … 1250 users",
        "250, 500, 750, 1000, 1250 users",
    )


def test_what_was_negotiated_for_compression_is_shown(soup):
    run = make_echo_run()
    answer = "permessage-deflate; server_max_window_bits=12"
    run.websockets["compression"] = asdict(Traffic({answer: 99, "": 1}, 2000, 500, 4000, 100))
    run.save()
    shown = soup(f"/results/{run.pk}/").text.replace("\u2009", " ")
    assert f"{answer}, declined" in shown
    assert "25.0 %" in shown
    assert "2.5 %" in shown


def test_connections_and_losses_are_drawn_over_time(soup, client):
    run = make_echo_run(lost=12, closes={1011: 10})
    page = soup(f"/results/{run.pk}/")
    drawn = {figure["id"]: figure for figure in page.select("figure.chart")}
    assert list(drawn)[:5] == [
        "goodput",
        "response-times",
        "distribution",
        "websockets",
        "losses",
    ]
    goodput = json.loads(drawn["goodput"].select_one("script").text)
    assert goodput["layout"]["yaxis"]["title"]["text"] == "messages per second"
    losses = json.loads(drawn["losses"].select_one("script").text)
    assert [trace["name"] for trace in losses["data"]] == ["failed", "connections ended"]
    answer = client.get(f"/results/{run.pk}/losses.csv")
    rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode())))
    assert sum(int(row["failures"]) for row in rows) == 12
    assert sum(int(row["closed"]) for row in rows) == 10
    answer = client.get(f"/results/{run.pk}/websockets.csv")
    rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode())))
    assert {row["connections"] for row in rows} == {"100", "90"}


def test_nothing_lost_is_no_chart(soup):
    page = soup(f"/results/{make_echo_run().pk}/")
    assert not page.select("#losses")
    assert page.select("#websockets")


def test_a_run_without_websockets_has_none_of_it(soup):
    page = soup(f"/results/{make_run('uwsgi').pk}/")
    assert not page.select("#losses, #websockets, #connection-memory")
    assert not {"Connections", "Lost", "Ended early"} & set(tiles(page))


def test_idle_connections_are_about_memory(soup, client):
    run = make_idle_run()
    page = soup(f"/results/{run.pk}/")
    sentence = page.select_one("p.sentence").text.replace("\u2009", " ")
    assert sentence.startswith(
        "daphne held 2 000 idle connections; each took 28.0 KiB [27.8, 28.3] of its memory, which "
        "was 60.0 MiB before the first; nothing failed."
    )
    assert tiles(page)["Per connection"] == "28.0 KiB [27.8, 28.3]"
    assert not {"Goodput", "p50", "Messages"} & set(tiles(page))
    drawn = [figure["id"] for figure in page.select("figure.chart")]
    assert drawn[0] == "connection-memory"
    assert not {"goodput", "response-times", "distribution"} & set(drawn)
    answer = client.get(f"/results/{run.pk}/connection-memory.csv")
    rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode())))
    assert [row["connections"] for row in rows] == [str(many) for many in range(250, 2001, 250)]
    for row in rows:
        assert float(row["line_bytes"]) == pytest.approx(float(row["memory_bytes"]), abs=2)


def test_the_compare_page_overlays_connections_and_losses(soup, client):
    runs = [make_echo_run("daphne", lost=3), make_echo_run("uvicorn", seed=1)]
    ids = ",".join(str(run.pk) for run in runs)
    page = soup(f"/results/compare/?runs={ids}")
    drawn = [figure["id"] for figure in page.select("figure.chart")]
    assert drawn == ["goodput", "distribution", "goodput-memory", "websockets", "losses"]
    answer = client.get(f"/results/compare/losses.csv?runs={ids}")
    rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode())))
    assert sum(int(row["daphne losses"] or 0) for row in rows) == 3
    assert sum(int(row["uvicorn losses"] or 0) for row in rows) == 0


def test_idle_runs_are_ranked_by_memory_per_connection(soup):
    runs = [make_idle_run("daphne"), make_idle_run("uvicorn", each_bytes=57_344.0)]
    page = soup(f"/results/compare/?runs={','.join(str(run.pk) for run in runs)}")
    heading = [th.text for th in page.select("table thead th")]
    assert "memory per connection" in heading
    assert "goodput" not in heading
    drawn = [figure["id"] for figure in page.select("figure.chart")]
    assert drawn == ["connection-memory", "websockets"]
    said = ranking(cells(runs), {}).headline.replace("\u2009", " ")
    assert said.startswith(
        "daphne needed the least memory per connection: 28.0 KiB, uvicorn took 2.00× as much "
        "(56.0 KiB)."
    )


def test_intervals_that_overlap_are_too_close_to_call():
    runs = [
        make_idle_run("daphne", each_bytes=2_000.0),
        make_idle_run("uvicorn", each_bytes=2_300.0),
    ]
    said = ranking(cells(runs), {}).headline.replace("\u2009", " ")
    assert said.startswith(
        "daphne and uvicorn are too close to call in memory per connection: 1.95 KiB and 2.25 KiB."
    )


def test_the_terminal_has_a_table_of_its_own(db):
    assert sockets_table([make_run("uwsgi")]) is None
    table = sockets_table([make_echo_run(lost=2, closes={1001: 1}), make_idle_run("uvicorn")])
    assert table is not None
    assert table.headings[:3] == ["server", "connections", "per connection"]
    console = SafeConsole(file=io.StringIO(), width=200)
    console.table(table)
    printed = console.file.getvalue()  # type: ignore[attr-defined]
    assert "without connecting" in printed
    assert "1 (1 × 1001)" in printed
    assert "28.0 KiB [27.8, 28.3]" in printed


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
    assert "handshakes/s of ws_connect from 100 connections" in run_sentence(run)
