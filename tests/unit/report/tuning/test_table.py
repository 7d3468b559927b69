"""What stands in the table of a tuning, and why something doesn't."""

from dataclasses import replace

from benchsuite.core.specs.objective import Goal
from benchsuite.core.units import MISSING
from benchsuite.report.shown import Shown
from benchsuite.report.tuning.table import ORDER, columns, state, tried
from benchsuite.tuning.answer import UNTRIED, Answer, Row
from benchsuite.tuning.notebook import State
from benchsuite.tuning.trial import Candidate

ROW = Row(
    candidate=Candidate(server="uwsgi", processes=3, threads=8),
    state=State.RECOMMENDED,
    why="",
    estimate=181.4,
    low=176.2,
    high=186.0,
    rate=164.0,
    shown=169.0,
    share=0.9634,
    percentile_s=0.1684,
    memory_bytes=181 * 2**20,
    cpu_s=0.0121,
    connections=24,
    starts=14,
)
ENTERED = {"estimate": None, "low": None, "high": None, "memory_bytes": None}
UNCONFIRMED = {"rate": None, "shown": None, "share": None, "percentile_s": None}


def shown(row: Row, goal: Goal = Goal(0.95, 0.2)) -> dict[str, Shown]:  # noqa: B008 - frozen
    return {heading: one(row) for heading, one in columns(goal).items()}


def test_what_fresh_starts_hold_stands_beside_the_estimate() -> None:
    found = shown(ROW)
    assert found["estimate"] == Shown("181\u2009/s", "[176, 186]")
    assert found["holds"] == Shown("164\u2009/s", "shown at 169\u2009/s")
    assert found["p95 there"].text == "168\u2009ms"
    assert found["within 200\u2009ms"].text == "96.3\u2009%"
    assert found["memory"].text == "181\u2009MiB"
    assert found["connections"].text == "24"


def test_an_estimate_alone_stands_in_its_own_column() -> None:
    found = shown(replace(ROW, **UNCONFIRMED))
    assert found["estimate"] == shown(ROW)["estimate"], "all have the same kind of figure"
    assert found["holds"] == Shown(MISSING, reason="no fresh starts confirmed it")
    assert found["p95 there"] == Shown(MISSING, reason="no fresh starts confirmed it")


def test_what_is_missing_says_why() -> None:
    dropped = {"state": State.DROPPED, "why": "dropped after the screening: 80/s, the best 100/s"}
    row = replace(ROW, **UNCONFIRMED, **ENTERED, starts=0, **dropped)
    found = shown(replace(row, connections=None))
    assert {one.reason for one in (found["holds"], found["estimate"], found["memory"])} == {
        "dropped after the screening: 80/s, the best 100/s"
    }
    assert found["connections"].reason == "how many it opens at most isn't known"


def test_a_first_goal_without_a_time_has_no_time_in_its_heading() -> None:
    assert "right" in shown(ROW, Goal(0.999, None))
    assert "p99.9 there" in shown(ROW, Goal(0.999, None))


def test_every_state_has_its_place() -> None:
    assert {*ORDER, *UNTRIED} == set(State)


def test_the_best_lead_and_what_never_started_is_left_out() -> None:
    def row(name: str, state: State, estimate: float | None) -> Row:
        candidate = Candidate(server=name, processes=1)
        return replace(ROW, candidate=candidate, state=state, estimate=estimate)

    rows = [
        row("refused", State.REFUSED, None),
        row("behind", State.BEHIND, None),
        row("bounded", State.BOUNDED_OUT, None),
        row("dropped", State.DROPPED, 120),
        row("other", State.NOT_TOLD_APART, 179),
        row("close", State.NOT_TOLD_APART, 183),
        row("pick", State.RECOMMENDED, 181),
        row("spoiled", State.NO_STATEMENT, None),
        row("late", State.NOT_TRIED, None),
    ]
    answer = Answer(end=None, sentences=("",), pick=None, rate=None, rows=tuple(rows))
    assert [one.candidate.server for one in tried(answer)] == [
        *("pick", "close", "other", "dropped", "behind", "spoiled")
    ]
    assert state(rows[0]) == "refused"
    assert state(replace(rows[0], why="needs 512 connections")) == "refused: needs 512 connections"
