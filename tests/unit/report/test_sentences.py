"""What a run and a comparison say."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from benchsuite.bottlenecks.registry import Limit
from benchsuite.comparing.cells import cells
from benchsuite.comparing.titles import cell_titles, cpus_title, options_title, workload_title
from benchsuite.core.metrics.every import figure
from benchsuite.models import Finding, Run
from benchsuite.report.exports.runs import run_as_json
from benchsuite.report.run_answer import of_run
from benchsuite.report.sentences import missing_reason, model_sentence
from tests.factories import facts
from tests.golden import Golden
from tests.starts import found_out

MOST_WORDS = 20

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


def told(*codes: str, limit: str = "", **given: Any) -> str:
    """The card of such a run; B1xx are weak and others invalid."""
    doubts = [
        Finding(code=one, level="weak" if one.startswith("B1") else "invalid", message=f"{one}!")
        for one in codes
    ]
    limits = [Limit(code=limit, says="", evidence="", fix="")] if limit else []
    answer = of_run(run(pk=UUID(int=7), **given), doubts, (), limits)
    assert len(answer.headline.split()) <= MOST_WORDS
    assert len(answer.tiles) <= 4
    lines = [
        f"{answer.verdict}: {answer.headline}",
        *(f"  {tile.title}: {tile.whole}{tile.reason}" for tile in answer.tiles),
        *answer.cautions,
        *(f"{step} {answer.command}" for step in answer.next_steps),
    ]
    return plain("\n".join(lines))


def test_the_card_of_a_run(golden: Golden) -> None:
    golden.cases(told)


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
    assert model_sentence([closed]).startswith("Under overload real waits would be longer")
    assert run_as_json(closed)["coordinated_omission"] == "possible"
    for other in (run(model="open"), run(model="closed", requests=0)):
        assert model_sentence([other]) == ""
        assert run_as_json(other)["coordinated_omission"] is None
    streams = model_sentence([run(model="closed", unit="event")])
    assert streams.startswith("A stall")
