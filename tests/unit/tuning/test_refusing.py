"""What arithmetic refuses is never started, and says why."""

from benchmarks.tuning.ideal import Ideal, driven, going
from benchsuite.core.specs.objective import parse
from benchsuite.tuning.answer import Outcome
from benchsuite.tuning.notebook import End, Notebook
from benchsuite.tuning.search import ASSUMED, Search
from benchsuite.tuning.trial import Candidate, Question


def size(server="gthread", processes=1, threads=8, **more) -> Candidate:
    slots = processes * threads
    more.setdefault("connections", slots)
    return Candidate(server=server, processes=processes, threads=threads, slots=slots, **more)


def question(**more) -> Question:
    more.setdefault("objective", parse("p95 < 200ms"))
    return Question(cpus=more.pop("cpus", 2), **more)


def test_where_all_is_refused_nothing_is_started():
    asked = question(connections_limit={"postgresql": 5}, unable={"uwsgi": "it is not installed"})
    sizes = [size(), size(processes=2), size("uwsgi", 1, 1)]
    search = Search(Notebook(asked), lambda _: sizes)
    assert list(going(search, Ideal(asked.objective, lambda _: 90.0))) == []
    told = Outcome(search.notebook)
    assert told.end is End.REFUSED
    assert told.pick is None
    assert told.sentences[0].startswith("Nothing was started. Gthread 1×8: it may open 8 database")
    assert dict(told.not_tried)["uwsgi"] == "it is not installed"


def test_what_is_refused_by_the_sizes_that_a_page_needs_was_begun() -> None:
    asked = question(connections_limit={"postgresql": 50})
    search = Search(Notebook(asked), lambda probe: [size(threads=8 if probe == ASSUMED else 60)])
    told = Outcome(driven(search, Ideal(asked.objective, lambda _: 90.0)))
    assert told.headline.startswith("Nothing more was started. Gthread 1×60: it may open 60 ")


def test_what_runs_now_is_not_started_either_where_it_is_refused():
    now = size(threads=200)
    asked = question(connections_limit={"postgresql": 20}, current=now)
    notebook = driven(
        Search(Notebook(asked), lambda _: [size()]), Ideal(asked.objective, lambda _: 90.0)
    )
    assert notebook.of(now) == []
    told = Outcome(notebook)
    assert told.end is End.CONFIRMED
    said = "You run gthread 1×200 now: refused, it may open 200 database connections"
    assert told.sentences[1].startswith(said)


def test_values(golden):
    golden.values()
