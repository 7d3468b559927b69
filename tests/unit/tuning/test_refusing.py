"""What arithmetic refuses is never started, and says why."""

import pytest

from benchmarks.tuning.ideal import Ideal, driven, going
from benchsuite.core.specs.objective import parse
from benchsuite.tuning.answer import outcome
from benchsuite.tuning.candidates import refusal
from benchsuite.tuning.notebook import End, Notebook, State
from benchsuite.tuning.search import Search
from benchsuite.tuning.trial import Candidate, Question


def size(server="gthread", processes=1, threads=8, **more) -> Candidate:
    slots = processes * threads
    more.setdefault("connections", slots)
    return Candidate(server=server, processes=processes, threads=threads, slots=slots, **more)


def question(**more) -> Question:
    more.setdefault("objective", parse("p95 < 200ms"))
    return Question(cpus=more.pop("cpus", 2), **more)


@pytest.mark.parametrize(
    ("candidate", "asked", "why"),
    [
        (
            size(processes=4, threads=128),
            {"connections_limit": {"postgresql": 97}},
            "it may open 512 database connections, and postgresql has 97 to give",
        ),
        (
            size(processes=2, threads=8),
            {"connections_limit": {"postgresql": 97}, "instances": 4, "aliases": {"postgresql": 2}},
            "it may open 128 database connections (16 × 4 instances × 2 aliases), and postgresql "
            "has 97 to give",
        ),
        (
            size(threads=100),
            {"objective": parse("p95 < 200ms, connections <= 80")},
            "it may open 100 database connections, and the objective allows 80",
        ),
        (size("uwsgi"), {"unable": {"uwsgi": "uwsgi is not installed"}}, "uwsgi is not installed"),
        (
            size("uvicorn", connections=None, interface="asgi"),
            {"keeps_connections": True},
            "CONN_MAX_AGE keeps connections for a next request, and under ASGI none finds them "
            "again: set it to 0, or use a pool",
        ),
        (size(), {"connections_limit": {"postgresql": 8}}, ""),
        (size(threads=500), {"connections_limit": {"sqlite": None}}, ""),
        (size(connections=None), {"connections_limit": {"postgresql": 1}}, ""),
        (size(), {"keeps_connections": True}, ""),
    ],
)
def test_a_refusal_names_both_sides_of_the_sum(candidate, asked, why) -> None:
    assert refusal(question(**asked), candidate) == why


def test_where_all_is_refused_nothing_is_started() -> None:
    asked = question(connections_limit={"postgresql": 5}, unable={"uwsgi": "it is not installed"})
    sizes = [size(), size(processes=2), size("uwsgi", 1, 1)]
    search = Search(Notebook(asked), lambda _: sizes, sizes[0])
    assert list(going(search, Ideal(asked.objective, lambda _: 90.0))) == []
    told = outcome(search.notebook)
    assert told.end is End.REFUSED
    assert told.pick is None
    assert told.sentences[0].startswith("Nothing was started. Gthread 1×8: it may open 8 database")
    assert dict(told.not_tried)["uwsgi"] == "it is not installed"


def test_a_refused_size_is_left_out_and_the_others_are_searched() -> None:
    asked = question(connections_limit={"postgresql": 20})
    sizes = [size(threads=32), size("granian"), size("granian", 2, 8)]
    search = Search(Notebook(asked), lambda _: sizes, sizes[0])
    notebook = driven(search, Ideal(asked.objective, lambda one: 50.0 * one.processes))
    assert notebook.state(sizes[0]) is State.REFUSED
    assert notebook.of(sizes[0]) == []
    assert outcome(notebook).pick == sizes[2]


def test_what_runs_now_is_not_started_either_where_it_is_refused() -> None:
    now = size(threads=200)
    asked = question(connections_limit={"postgresql": 20}, current=now)
    notebook = driven(
        Search(Notebook(asked), lambda _: [size()], now), Ideal(asked.objective, lambda _: 90.0)
    )
    assert notebook.of(now) == []
    told = outcome(notebook)
    assert told.end is End.CONFIRMED
    said = "You run gthread 1×200 now: refused, it may open 200 database connections"
    assert told.sentences[1].startswith(said)


@pytest.mark.parametrize(("budget_s", "end"), [(119.0, End.REFUSED), (120.0, End.CONFIRMED)])
def test_two_minutes_are_the_least(budget_s, end) -> None:
    asked = question(budget_s=budget_s)
    notebook = driven(
        Search(Notebook(asked), lambda _: [size()], size()), Ideal(asked.objective, lambda _: 90.0)
    )
    assert notebook.end is end
    assert bool(notebook.entries) is (end is End.CONFIRMED)


def test_a_limit_that_was_exceeded_under_load_drops_a_candidate() -> None:
    asked = question(objective=parse("p95 < 200ms, memory <= 100MiB"))
    sizes = [size(processes=2), size(processes=1)]
    notebook = driven(
        Search(Notebook(asked), lambda _: sizes, sizes[1]),
        Ideal(asked.objective, lambda one: 60.0 + 5 * one.processes),
    )
    assert notebook.states[sizes[0]] == (
        State.OVER,
        "it takes 120\N{THIN SPACE}MiB, and the objective allows 100\N{THIN SPACE}MiB",
    )
    assert outcome(notebook).pick == sizes[1]
