"""Ends that are no winner: nothing holds it, the load generator gave out, it collapses."""

from dataclasses import replace

import pytest

from benchmarks.tuning.simulated import candidate
from benchsuite.tuning.answer import Outcome
from benchsuite.tuning.notebook import End, State
from benchsuite.tuning.trial import Level, Observation, Phase
from tests.tuning_factories import falling, ideal, notebook_of

SIZES = [candidate("gthread", 1, 4), candidate("granian", 1, 4), candidate("granian", 2, 4)]
NOISE = {"codes": ("B401",)}
DEAD = {"failure": "it ended with status 3"}


def searched(measure, sizes=SIZES, **more):
    return notebook_of(measure, sizes, **more)


def spoiled(where=lambda trial: True, **seen):
    """What such trials say in place of what they would."""
    seen.setdefault("took_s", 2.0)
    return ideal(90.0, spoil=lambda trial, found: Observation(**seen) if where(trial) else found)


def servers(*names):
    return [candidate(name, 1, 4) for name in names]


def asked(notebook):
    """The servers that were started, in their order."""
    return list(dict.fromkeys(entry.trial.candidate.server for entry in notebook.entries))


def one_late(trial, seen):
    """In a window of a second, of which five in a hundred may be late."""
    count = round(trial.load.window_s)
    level = Level(rate=0.0, planned=count, met=(0,), goodput=1.0)
    return replace(seen, response_s=0.97, levels=[level])


def missing(trial, seen):
    same = "expected status 200, and got 404"
    failure = same if trial.candidate.server != "waitress" else "waitress ended"
    return Observation(took_s=2.0, failure=failure)


def test_values(golden):
    golden.values()


def test_where_the_first_does_not_start_another_is_probed():
    notebook = searched(spoiled(lambda trial: trial.candidate == SIZES[0], **DEAD))
    assert notebook.end is End.CONFIRMED
    assert notebook.state(SIZES[0]) is State.DISCARDED


@pytest.mark.parametrize("alone", [True, False])
def test_answers_that_are_wrong_say_what_they_are(alone):
    """An API that lets nobody ask more often: at once, or not before many do."""

    def throttled(trial, seen):
        if alone and trial.load.users == 1:
            return seen
        levels = [
            replace(one, met=(0,), failures=one.planned, goodput=1.0 if alone else 0.0)
            for one in seen.levels
        ]
        return replace(seen, levels=levels, fails=("B201",), wrong="status 429")

    told = Outcome(searched(ideal(90.0, spoil=throttled)))
    assert told.end is End.NOTHING_HOLDS
    assert "status 429" in told.headline


def test_a_load_generator_that_gives_out_makes_it_at_least():
    most = 500.0

    def limited(trial, seen):
        levels = [
            replace(level, met=(0,) * len(level.met)) if level.rate > most else level
            for level in seen.levels
        ]
        through = [replace(one, goodput=min(one.goodput, 1.1 * most)) for one in levels]
        beyond = any(level.rate > most for level in levels) or trial.load.users > 1
        return replace(seen, levels=through, limit=("B101",) if beyond else ())

    told = Outcome(searched(ideal(3000.0, cpu_s=0.0005, spoil=limited), most_per_s=5000.0))
    assert told.end is End.CONFIRMED
    assert told.at_least
    assert 0.8 * most < (told.rate or 0.0) <= most
    assert " holds at least " in told.headline
    assert "The load generator was the limit, not the server." in told.sentences


def test_failures_that_so_few_requests_cannot_show_are_bounded():
    told = Outcome(searched(ideal(40.0, "p95 < 200ms, failures < 0.01%")))
    assert told.end is End.CONFIRMED
    assert "None of " in told.sure[0]
    assert " failed, so at most 0." in told.sure[0]


@pytest.mark.parametrize("seed", range(3))
def test_a_rate_that_fresh_starts_do_not_hold_is_tried_lower_and_then_not_told(seed):
    lower = Outcome(searched(falling(0.75), seed=seed))
    assert lower.end is End.CONFIRMED
    assert (lower.rate or 0.0) <= 0.75 * 90
    never = Outcome(searched(falling(0.1), seed=seed))
    assert (never.end, never.rate) == (End.NOT_CONFIRMED, None)
    assert "is the best found, and not confirmed: at " in never.headline


def test_what_runs_now_is_not_said_to_miss_a_rate_that_its_few_starts_met():
    now = candidate("uwsgi", 4, 4)
    notebook = searched(ideal(lambda one: 60.0 if one == now else 90.0), current=now)
    starts = notebook.of(now, Phase.CONFIRM)
    last = [one for one in starts if one.trial.load.rates == starts[-1].trial.load.rates]
    assert len(last) > 2
    assert Outcome(notebook).pick != now
    notebook.entries = [one for one in notebook.entries if one not in last[2:]]
    said = Outcome(notebook).sentences[1]
    assert said.startswith("You run uwsgi 4×4 now, which is not shown to hold ")
    assert said.endswith(" % in time in 2 fresh runs.")


def test_it_can_be_asked_at_any_time():
    whole = searched(ideal(90.0))
    assert whole.entries[-1].trial.phase is Phase.DIAGNOSE, "which comes after the answer"
    for most in range(len(whole.entries) - 1):
        told = Outcome(searched(ideal(90.0), most=most))
        assert told.end is None
        assert len(told.headline) > 10
        assert told.missing.startswith("The next minutes add ")


def test_a_first_window_without_an_answer_is_made_again_and_longer():
    made = []

    def busy(trial, seen):
        made.append(trial)
        if len(made) > 1:
            return seen
        return replace(seen, levels=[Level(rate=0.0, planned=0, met=(0,))], response_s=None)

    notebook = searched(ideal(90.0, spoil=busy))
    assert made[0].load.window_s < made[1].load.window_s
    assert notebook.end is End.CONFIRMED


def test_connections_count_that_are_open_at_the_rate_in_question():
    """A full load opens more, and the best at its own rate: the second best follows, no third."""

    def opening(trial, seen):
        own = 12 if trial.candidate.processes == 2 else 8
        return replace(seen, connections=own if trial.phase is Phase.CONFIRM else 40)

    sizes = [replace(one, connections=None) for one in SIZES]
    held = dict(zip(sizes, (80.0, 90.0, 100.0), strict=True))
    measure = ideal(held.__getitem__, "p95 < 200ms, connections <= 10", spoil=opening)
    notebook = searched(measure, sizes)
    assert notebook.states[sizes[2]] == (
        State.OVER,
        "it opened 12 database connections, and the objective allows 10",
    )
    assert notebook.pick() == sizes[1]
    assert (notebook.end, notebook.excess(sizes[1])) == (End.CONFIRMED, "")


def test_slots_are_no_reason_against_what_holds_more_than_others_got_through():
    """Threads share a lock, so that only processes help: far below what CPU time would allow."""
    sizes = [candidate("gthread", 2, 16), candidate("gthread", 2, 32), candidate("sync", 8, 1)]
    measure = ideal(lambda size: 45.0 * size.processes, response_s=0.02, cpu_s=0.0005)
    assert Outcome(searched(measure, sizes)).pick == sizes[2]


def test_who_gets_more_through_than_its_bound_rules_nobody_out_by_such_bounds():
    """The CPU time is that of the server that was probed: others may need less of it."""
    sizes = [candidate(name, 1, 8) for name in ("gthread", "granian", "bjoern")]
    held = dict(zip(sizes, (80.0, 120.0, 200.0), strict=True))
    measure = ideal(lambda size: held[size], response_s=0.02, cpu_s=0.0105)
    assert Outcome(searched(measure, sizes, cpus=1)).pick == sizes[2]


def test_one_rate_that_was_too_high_does_not_say_that_nothing_holds():
    def missed(trial, seen):
        levels = [replace(level, met=(0,)) for level in seen.levels]
        return replace(seen, levels=levels, took_s=60.0) if trial.load.rates else seen

    notebook = searched(ideal(90.0, spoil=missed), budget_s=120.0)
    assert notebook.end is End.NOT_CONFIRMED


def test_what_got_through_was_measured_though_every_rate_was_spoiled():
    notebook = searched(spoiled(lambda trial: bool(trial.load.rates), **NOISE))
    assert notebook.end is End.NOT_CONFIRMED
