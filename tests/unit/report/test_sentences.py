"""What a run and a comparison say."""

from datetime import UTC, datetime
from typing import Any

import pytest

from benchsuite.comparing.cells import cells
from benchsuite.comparing.titles import cell_titles, cpus_title, options_title, workload_title
from benchsuite.core.metrics.every import figure
from benchsuite.models import Finding, Run
from benchsuite.report.exports.runs import run_as_json
from benchsuite.report.sentences import (
    missing_reason,
    model_sentence,
    run_sentence,
)
from tests.factories import facts
from tests.starts import found_out

BEGUN = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)


def run(server: str = "uwsgi", **given: Any) -> Run:
    fields: dict[str, Any] = {
        "server": server,
        "key": server,
        "workload": "io_read",
        "server_facts": facts(server, "io_read"),
        "users": 100,
        "status": "finished",
        "verdict": "valid",
        "started_at": BEGUN,
        "warmup_s": 3,
        "duration_s": 10,
        "spec": {},
        "requests": 6120,
        "failures": 0,
        "goodput": 612.0,
        "p50_s": 0.151,
        "p95_s": 0.28,
        "p99_s": 0.41,
    }
    return found_out(Run(**{**fields, **given}))


def plain(text: str) -> str:
    return text.replace("\u2009", " ")


def test_a_sound_run() -> None:
    assert plain(run_sentence(run())) == (
        "uwsgi answered 612 requests/s of io_read from 100 users; half within 151 ms, "
        "99 % within 410 ms; nothing failed."
    )


def test_a_weak_run_says_why() -> None:
    doubts = [
        Finding(code="B302", level="info", message="Few samples."),
        Finding(code="B101", level="weak", message="The load process used 83 % of a CPU."),
    ]
    sentence = run_sentence(run(verdict="weak"), doubts)
    assert sentence.endswith("The number is weak: the load process used 83 % of a CPU.")


def test_failures_are_counted() -> None:
    assert "12 of 6 120 failed (0.196 %)" in plain(run_sentence(run(failures=12)))


def test_one_user_and_no_p99() -> None:
    sentence = plain(run_sentence(run(users=1, p99_s=None)))
    assert "from 1 user;" in sentence
    assert "95 % within 280 ms" in sentence


def test_a_rate_comes_from_nobody() -> None:
    load = {"model": "open", "arrival_rate": 200.0}
    sentence = plain(run_sentence(run(model="open", arrival_rate=200.0, spec={"load": load})))
    assert "612 requests/s of io_read at 200 /s;" in sentence


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("failed", "uwsgi gave no result for io_read from 100 users: the run failed."),
        ("interrupted", "the run was interrupted."),
        ("running", "uwsgi is being measured with io_read from 100 users."),
    ],
)
def test_a_run_without_figures(status: str, words: str) -> None:
    assert words in run_sentence(run(status=status, verdict="", goodput=None))


def test_reasons_of_missing_figures() -> None:
    assert missing_reason(run(requests=120), figure("p99_s")) == (
        "needs 368 right answers, and the run has 120"
    )
    assert "failed" in missing_reason(run(status="failed", goodput=None), figure("goodput"))
    assert missing_reason(run(status="running", goodput=None), figure("p95_s")) == "still running"
    assert missing_reason(run(), figure("memory_bytes")) == "not recorded"


def test_titles_hold_only_what_tells_cells_apart() -> None:
    one, two = run("uwsgi", processes=1, key="1"), run("uwsgi", processes=2, key="2")
    other = run("waitress", processes=4, label="x")
    titles = cell_titles(cells([one, two, other]))
    assert sorted(titles) == ["uwsgi · 1 × —", "uwsgi · 2 × —", "waitress"]


def test_where_server_and_load_ran() -> None:
    pinned = run(spec={"server": {"cpus": [0, 1, 2]}, "load": {"cpus": [3]}})
    assert cpus_title(pinned) == "server on CPUs 0–2, load on CPU 3"
    assert cpus_title(run()) == "server and load shared all CPUs"


def test_workload_and_options_are_written_out() -> None:
    spec = {
        "workload": {"workload": "url", "options": {"path": "/shop/", "size": 5}},
        "server": {"options": {"http": "h11", "backlog": 64}},
    }
    assert workload_title(run(workload="url", spec=spec)) == "url /shop/ size=5"
    assert options_title(run(spec=spec)) == "backlog=64, http=h11"


def test_the_closed_model_says_what_it_cant_show() -> None:
    closed = run(model="closed")
    assert model_sentence([closed]).startswith("Closed model: coordinated omission possible.")
    assert run_as_json(closed)["coordinated_omission"] == "possible"
    for other in (run(model="open"), run(model="closed", requests=0)):
        assert model_sentence([other]) == ""
        assert run_as_json(other)["coordinated_omission"] is None
    streams = model_sentence([run(model="closed", unit="event")])
    assert streams.startswith("Closed model: coordinated omission possible. A stall")
    assert "wait for their answers" not in streams
