"""The least memory that holds a rate, the capacity of one, and a budget that is too small."""

from dataclasses import replace

import pytest

from benchmarks.tuning.ideal import Ideal, driven
from benchmarks.tuning.simulated import asked, candidate, resize, tune
from benchmarks.tuning.world import World
from benchsuite.core.specs.objective import parse
from benchsuite.core.units import counted
from benchsuite.tuning.answer import Outcome
from benchsuite.tuning.notebook import End, Notebook, State
from benchsuite.tuning.search import Search
from benchsuite.tuning.trial import Observation, Phase, Question, Trial
from tests.tuning_factories import ideal, notebook_of

SIZES = [
    candidate(name, p, t) for name in ("gthread", "granian") for p in (1, 2, 4) for t in (4, 8)
]
HELD = {one: 40.0 * one.processes for one in SIZES}.__getitem__


def searched(held, sizes=SIZES, cpus=4, spoil=None, objective="p95 < 200ms", **more) -> Notebook:
    measure = ideal(held, objective, cpu_s=0.005 * cpus, spoil=spoil)
    return notebook_of(measure, sizes, cpus=cpus, **more)


def slow(more_s: float, *phases: Phase):
    """Starts in these phases take so much longer, or all."""
    return lambda trial, seen: replace(
        seen, took_s=seen.took_s + more_s * (not phases or trial.phase in phases)
    )


def few(trial: Trial, seen: Observation) -> Observation:
    """By chance fewer came than planned."""
    levels = [replace(one, offered=0.97 * one.rate or None) for one in seen.levels]
    return replace(seen, levels=levels)


def test_the_least_memory_that_holds_a_rate() -> None:
    notebook = searched(HELD, rate=70.0)
    told = Outcome(notebook)
    assert told.end is End.CONFIRMED
    assert (told.pick.processes, told.pick.threads) == (2, 4)
    assert told.headline.startswith(f"{told.pick.server}, 2 processes × 4 threads holds 70")
    assert told.sentences[1] == "Of those that hold it, it needs least memory."
    least = told.row(told.pick)
    assert least.memory_bytes == min(row.memory_bytes for row in told.rows if row.rate)
    assert all(notebook.state(one) is not State.RECOMMENDED for one in SIZES if one.processes != 2)
    small = [one for one in SIZES if one.processes == 1]
    assert {notebook.state(one) for one in small} == {State.BOUNDED_OUT} or all(
        not notebook.of(one, Phase.CONFIRM) for one in small
    )


@pytest.mark.parametrize("capacity", [66.0, 68.0, 69.0, 70.0, 71.0])
def test_a_rate_that_is_just_not_held_is_not_confirmed(capacity) -> None:
    told = Outcome(searched(capacity, SIZES[:3], rate=70.0))
    assert told.end in (End.NOT_CONFIRMED, End.NOTHING_HOLDS)
    assert told.rate is None or told.pick is None
    assert told.pick is not None or told.headline.startswith("Nothing ")
    assert "70.0/s" in told.headline


@pytest.mark.parametrize("more", [{"only": SIZES[2]}, {"sizes": SIZES[2:4]}])
def test_a_rate_that_is_held_and_no_more_is_not_said_to_be_held_by_nothing(more) -> None:
    """By chance fewer came than planned, or they were asked for the higher rate alone."""
    told = Outcome(searched(71.0, spoil=few, rate=70.0, **more))
    assert told.end is End.NOT_CONFIRMED
    said, _, why = told.headline.partition("/s: ")
    assert said == "Nothing is confirmed to hold p95 < 200ms at 70.0"
    assert " 2×" in why


def test_where_no_start_of_the_only_one_lasts_that_is_said() -> None:
    def dies(trial: Trial, seen: Observation) -> Observation:
        failure = "It died." if trial.phase is Phase.CONFIRM else ""
        return replace(seen, failure=failure, levels=() if failure else seen.levels)

    told = Outcome(searched(90.0, only=SIZES[0], spoil=dies))
    assert "only one size was probed" not in told.headline
    assert "of its" in told.headline or "It died" in told.headline


@pytest.mark.parametrize("capacity", [15.0, 49.0, 190.0])
def test_the_capacity_of_one_is_found_whatever_the_laws_expect(capacity) -> None:
    only = candidate("gthread", 4, 4)
    notebook = searched(capacity, only=only)
    told = Outcome(notebook)
    assert told.pick == only
    assert told.end is End.CONFIRMED
    assert 0.85 * capacity < (told.rate or 0.0) <= capacity
    assert {entry.trial.candidate for entry in notebook.entries} == {only}
    assert not [entry for entry in notebook.entries if entry.trial.phase is Phase.SCREEN]


@pytest.mark.parametrize("budget_s", [900, 600, 240, 120])
def test_a_small_budget_makes_less_of_each_step_and_still_confirms(budget_s) -> None:
    notebook = searched(lambda one: 100.0 + one.processes, budget_s=float(budget_s), cpus=1)
    assert notebook.end is End.CONFIRMED
    assert notebook.spent_s <= budget_s


def test_candidates_that_the_budget_cuts_are_counted() -> None:
    notebook = searched(HELD, spoil=slow(9.0), cpus=2, budget_s=300.0)
    cut = [one for one in SIZES if notebook.state(one) is State.NOT_TRIED]
    assert cut
    left = f"{counted(len(cut), 'candidate')} for which the budget left no time"
    assert left in Outcome(notebook).missing
    assert notebook.end is End.CONFIRMED


def test_the_best_at_the_edge_brings_its_neighbour_into_the_race() -> None:
    question = Question(objective=parse("p95 < 200ms"), cpus=4)
    sizes = [candidate("gthread", p, 4) for p in (4, 5, 8)]
    measure = Ideal(question.objective, lambda one: 20.0 * one.processes, cpu_s=0.01)
    notebook = driven(Search(Notebook(question), lambda _: sizes, resize=resize), measure)
    pick = Outcome(notebook).pick
    assert pick.processes >= 12


def test_a_neighbour_of_the_best_says_why_it_was_dropped_or_showed_nothing() -> None:
    """Both were "dropped after 0 runs"."""
    best, slower, wrong = (candidate("gthread", *size) for size in ((4, 4), (5, 4), (4, 5)))
    question = Question(objective=parse("p95 < 200ms"), cpus=4)

    def spoil(trial: Trial, seen: Observation) -> Observation:
        levels = [replace(level, goodput=0.0) for level in seen.levels]
        return replace(seen, levels=levels) if trial.candidate == wrong else seen

    measure = Ideal(question.objective, lambda one: 80.0 if one == best else 30.0, spoil=spoil)
    notebook = driven(Search(Notebook(question), lambda _: [best], resize=resize), measure)
    shown = "dropped after the screening: 32.4/s under a full load, the best 86.4/s"
    assert notebook.states[slower] == (State.DROPPED, shown)
    assert notebook.states[wrong] == (State.NO_STATEMENT, "no right answer")


def test_a_rate_in_a_simulated_world() -> None:
    world = World(name="rate", cpus=2, wait_s=0.020, servers={"gthread": 1.0, "granian": 0.97})
    sizes = [candidate(name, p, t) for name in world.servers for p in (1, 2, 4) for t in (4, 8)]
    told = Outcome(tune(world, asked(world, seed=1, rate=120.0), sizes))
    assert told.pick.processes == 2
    assert told.end is End.CONFIRMED


def test_values(golden) -> None:
    golden.values()


def test_what_is_discarded_after_it_held_the_rate_is_no_answer() -> None:
    def dies(trial: Trial, seen: Observation) -> Observation:
        dead = trial.phase is Phase.CONFIRM and trial.seed % 100 == 4
        return replace(seen, failure="It died.", levels=()) if dead else seen

    told = Outcome(searched(90.0, SIZES[:1], spoil=dies, rate=40.0))
    assert (told.end, told.pick) == (End.NOT_CONFIRMED, None)
    assert told.headline.endswith("runs failed: It died.")
