"""The second round: what other settings of the pick show, and what is said of that."""

from dataclasses import replace

import pytest

from benchmarks.tuning import worlds
from benchmarks.tuning.ideal import going
from benchmarks.tuning.simulated import asked, candidate, tune
from benchsuite.servers.base import Against
from benchsuite.tuning.answer import Outcome
from benchsuite.tuning.notebook import End, Entry, Notebook, State
from benchsuite.tuning.search import Search
from benchsuite.tuning.trial import Observation, Phase, Question
from tests.tuning_factories import ideal, notebook_of

PLAIN = candidate("gthread", 1, 4)
POOL = replace(PLAIN, changes=(("database.pool", 4),))
KEPT = replace(PLAIN, changes=(("database.conn_max_age_s", 60.0),))
FROZEN = replace(PLAIN, options=(("preload", True),))
BY = {Against.CONNECTING: [POOL, KEPT], Against.MEMORY: [FROZEN]}


def variants(one, against):
    return BY.get(against, []) if one == PLAIN else []


def measured(holds, limits=("L04d connecting",), saved=1.0, after=None, objective="p95 < 200ms"):
    def seen(trial, found):
        if trial.phase is Phase.DIAGNOSE:
            return replace(found, named=limits)
        if trial.candidate == FROZEN:
            found = replace(found, memory_bytes=saved * (found.memory_bytes or 0.0))
        return after(trial, found) if after else found

    return ideal(holds, objective, spoil=seen)


MEASURED = ("limits", "saved", "after", "objective")


def searched(holds, variants=variants, **more):
    keys = {name: more.pop(name) for name in MEASURED if name in more}
    return notebook_of(measured(holds, **keys), [PLAIN], variants=variants, **more)


def rates(**better):
    """By a field that is changed: what is held; 90/s else."""

    def holds(one):
        changed = [name.rpartition(".")[2] for name, _ in (*one.changes, *one.options)]
        return 90.0 * better.get(changed[0], 1.0) if changed else 90.0

    return holds


def test_one_that_is_better_is_worth_trying_with_what_it_gains():
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


def dies(trial, found):
    """The pick, beside its variants."""
    does_die = trial.phase is Phase.VARY and trial.candidate == PLAIN
    return Observation(took_s=5.0, failure="It ended.") if does_die else found


def test_told_all_that_was_seen_it_asks_for_the_same_again():
    measure = measured(rates(pool=1.12, conn_max_age_s=1.05))
    question = Question(objective=measure.objective, cpus=1)
    first, again = (
        Search(Notebook(question), lambda _: [PLAIN], variants=variants) for _ in range(2)
    )
    whole = list(going(first, measure))
    assert {Phase.DIAGNOSE, Phase.VARY} <= {trial.phase for trial, _ in whole}
    searching = again.after([Entry(*one) for one in whole])
    assert searching.next is None
    assert Outcome(searching.notebook) == Outcome(first.notebook)


@pytest.mark.parametrize("seed", range(3))
def test_a_pool_is_worth_trying_where_a_fifth_of_a_request_connects(seed):
    notebook = tune(worlds.CONNECTS, asked(worlds.CONNECTS, seed=seed), [PLAIN])
    (varied,) = [one for one in notebook.states if one.changes]
    assert notebook.pick() == PLAIN
    assert notebook.state(varied) is State.WORTH_TRYING


@pytest.mark.parametrize("seed", range(3))
def test_where_a_pool_does_nothing_none_is_worth_trying(seed):
    notebook = tune(worlds.IN_VAIN, asked(worlds.IN_VAIN, seed=seed), [PLAIN])
    (varied,) = [one for one in notebook.states if one.changes]
    assert notebook.pick() == PLAIN
    assert notebook.state(varied) in (State.NO_DIFFERENCE, State.DROPPED)


def test_values(golden):
    golden.values()


def test_one_pair_of_starts_is_not_three():
    def noisy(trial, found):
        lost = trial.phase is Phase.VARY and trial.candidate == POOL and trial.seed % 100
        return Observation(took_s=2.0, codes=("B401",)) if lost else found

    state, why = searched(rates(pool=1.12), after=noisy).states[POOL]
    assert state is State.NO_DIFFERENCE
    assert why.endswith(" % more in 1 run of each (L04d connecting)")
