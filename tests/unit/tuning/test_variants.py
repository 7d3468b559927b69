"""The second round: what other settings of the pick show, and what is said of that."""

from dataclasses import replace

import pytest

from benchmarks.tuning import worlds
from benchmarks.tuning.ideal import Ideal, driven, going
from benchmarks.tuning.simulated import asked, candidate, tune
from benchsuite.core.specs.objective import parse
from benchsuite.servers.base import Against
from benchsuite.tuning.answer import Outcome
from benchsuite.tuning.notebook import End, Notebook, State
from benchsuite.tuning.search import Search
from benchsuite.tuning.trial import Candidate, Observation, Phase, Question, Trial

PLAIN = candidate("gthread", 1, 4)
POOL = replace(PLAIN, changes=(("database.pool", 4),))
KEPT = replace(PLAIN, changes=(("database.conn_max_age_s", 60.0),))
FROZEN = replace(PLAIN, options=(("preload", True),))
BY = {Against.CONNECTING: [POOL, KEPT], Against.MEMORY: [FROZEN]}


def search(objective="p95 < 200ms", **more) -> Search:
    question = Question(objective=parse(objective), cpus=1, **more)
    return Search(
        Notebook(question),
        lambda _: [PLAIN],
        variants=lambda one, against: BY.get(against, []) if one == PLAIN else [],
    )


def measured(searching: Search, holds, limits=("L04d connecting",), saved=1.0, after=None) -> Ideal:
    def seen(trial: Trial, found: Observation) -> Observation:
        if trial.phase is Phase.DIAGNOSE:
            return replace(found, named=limits)
        if trial.candidate == FROZEN:
            found = replace(found, memory_bytes=saved * (found.memory_bytes or 0.0))
        return after(trial, found) if after else found

    return Ideal(searching.question.objective, holds, spoil=seen)


def searched(holds, limits=("L04d connecting",), **more) -> Notebook:
    keys = {name: more.pop(name) for name in ("saved", "after") if name in more}
    searching = search(**more)
    return driven(searching, measured(searching, holds, limits, **keys))


def rates(**better: float):
    """By a field that is changed: what is held; 90/s else."""

    def holds(one: Candidate) -> float:
        changed = [name.rpartition(".")[2] for name, _ in (*one.changes, *one.options)]
        return 90.0 * better.get(changed[0], 1.0) if changed else 90.0

    return holds


def test_one_that_is_better_is_worth_trying_with_what_it_gains() -> None:
    notebook = searched(rates(pool=1.12))
    told = Outcome(notebook)
    assert told.pick == PLAIN
    (said,) = (one for one in told.sentences if one.startswith("Worth trying: "))
    assert said.startswith("Worth trying: gthread 1×4 pool=4: ")
    assert said.endswith(" % more in 3 runs of each (L04d connecting), not confirmed.")
    (row,) = (one for one in told.rows if one.candidate == POOL)
    assert (row.rate, row.starts) == (None, 3)
    assert told.end is End.CONFIRMED
    assert notebook.spent_s <= 900


def test_one_that_is_worse_is_dropped_without_a_word() -> None:
    notebook = searched(rates(pool=0.9))
    assert notebook.state(POOL) is State.DROPPED
    assert "% less in 3 runs of each" in notebook.states[POOL][1]
    assert "pool" not in " ".join(Outcome(notebook).sentences)


def test_what_the_budget_leaves_no_time_for_is_told_with_its_reason() -> None:
    notebook = searched(rates(pool=1.12), budget_s=240.0)
    assert not [one for one in notebook.entries if one.trial.phase is Phase.VARY]
    not_tried = dict(Outcome(notebook).not_tried)
    assert not_tried[POOL.name] == "L04d connecting, and the budget left no time for it"
    assert notebook.spent_s <= 240


def test_one_that_could_exceed_what_the_database_gives_is_refused() -> None:
    notebook = searched(rates(pool=1.12), connections_limit={"postgresql": 4}, instances=1)
    assert notebook.state(POOL) is not State.REFUSED
    greedy = replace(POOL, connections=40)
    searching = search(connections_limit={"postgresql": 30})
    searching.variants = lambda *_: [greedy]
    notebook = driven(searching, measured(searching, rates()))
    assert notebook.states[greedy][0] is State.REFUSED
    assert not notebook.of(greedy)


def test_memory_that_is_nearly_what_is_allowed_is_worth_a_try_and_no_more() -> None:
    memory = "p95 < 200ms, memory <= 70MiB"
    notebook = searched(rates(), limits=(), saved=0.7, objective=memory)
    assert notebook.state(FROZEN) is State.WORTH_TRYING
    assert notebook.states[FROZEN][1].startswith(
        "30 % less memory in 3 runs (it takes 60.0\u2009MiB"
    )
    assert notebook.pick() == PLAIN
    plenty = searched(rates(), limits=(), saved=0.7, objective="p95 < 200ms, memory <= 1GiB")
    assert FROZEN not in plenty.states


def test_one_that_saves_memory_and_misses_the_rate_is_dropped() -> None:
    notebook = searched(rates(preload=0.7), limits=(), saved=0.7, rate=70.0)
    assert notebook.state(FROZEN) is State.DROPPED
    assert notebook.states[FROZEN][1].startswith("it missed 70/s; 30 % less memory")


def test_a_pick_that_dies_beside_its_variants_stays_the_answer() -> None:
    def dies(trial: Trial, found: Observation) -> Observation:
        does_die = trial.phase is Phase.VARY and trial.candidate == PLAIN
        return Observation(took_s=5.0, failure="It ended.") if does_die else found

    notebook = searched(rates(pool=1.12), after=dies)
    assert (notebook.end, notebook.pick()) == (End.CONFIRMED, PLAIN)
    assert notebook.states[POOL] == (State.NO_STATEMENT, "its runs say nothing")


def test_told_all_that_was_seen_it_asks_for_the_same_again() -> None:
    holds = rates(pool=1.12, conn_max_age_s=1.05)
    whole = list(going(first := search(), measured(first, holds)))
    phases = {trial.phase for trial, _ in whole}
    assert {Phase.DIAGNOSE, Phase.VARY} <= phases
    end = Outcome(first.notebook)
    again = search()
    steps = again.steps()
    trial = next(steps)
    for expected, seen in whole:
        assert trial == expected
        trial = _sent(steps, seen)
    assert trial is None
    assert Outcome(again.notebook) == end


def _sent(steps, seen):
    try:
        return steps.send(seen)
    except StopIteration:
        return None


@pytest.mark.parametrize("seed", range(3))
def test_a_pool_is_worth_trying_where_a_fifth_of_a_request_connects(seed: int) -> None:
    notebook = tune(worlds.CONNECTS, asked(worlds.CONNECTS, seed=seed), [PLAIN])
    (varied,) = [one for one in notebook.states if one.changes]
    assert notebook.pick() == PLAIN
    assert notebook.state(varied) is State.WORTH_TRYING


@pytest.mark.parametrize("seed", range(3))
def test_where_a_pool_does_nothing_none_is_worth_trying(seed: int) -> None:
    notebook = tune(worlds.IN_VAIN, asked(worlds.IN_VAIN, seed=seed), [PLAIN])
    (varied,) = [one for one in notebook.states if one.changes]
    assert notebook.pick() == PLAIN
    assert notebook.state(varied) in (State.NO_DIFFERENCE, State.DROPPED)


def test_values(golden):
    golden.values()
