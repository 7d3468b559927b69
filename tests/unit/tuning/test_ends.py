"""Ends that are no winner: nothing holds it, the load generator gave out, it collapses."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from benchmarks.tuning.ideal import Ideal, Spoil, driven
from benchmarks.tuning.simulated import candidate
from benchsuite.core.specs.objective import parse
from benchsuite.tuning.answer import Outcome
from benchsuite.tuning.confirming import cliff
from benchsuite.tuning.notebook import RISING, End, Notebook, State
from benchsuite.tuning.search import Search
from benchsuite.tuning.trial import Level, Load, Observation, Phase, Question, Trial

SIZES = [candidate("gthread", 1, 4), candidate("granian", 1, 4), candidate("granian", 2, 4)]


def searched(measure: Ideal, most: int = 10_000, sizes=SIZES, **more) -> Notebook:
    question = Question(objective=measure.objective, cpus=1, **more)
    return driven(Search(Notebook(question), lambda _: sizes), measure, most)


def ideal(words: str = "p95 < 200ms", capacity=90.0, **more) -> Ideal:
    held = capacity if callable(capacity) else lambda _: capacity
    return Ideal(parse(words), held, **more)


def spoiled(where: Callable[[Trial], bool] = lambda trial: True, **seen) -> Spoil:
    """What such trials say in place of what they would."""
    seen.setdefault("took_s", 2.0)
    return lambda trial, found: Observation(**seen) if where(trial) else found


NOISE = {"codes": ("B401",)}


def test_one_user_alone_who_waits_too_long_ends_the_search() -> None:
    told = Outcome(searched(ideal(response_s=0.230)))
    assert told.end is End.NOTHING_HOLDS
    assert told.sentences == (
        "Nothing holds p95 < 200ms: one user alone takes 230\N{THIN SPACE}ms.",
    )


def test_a_single_answer_that_came_too_late_is_asked_for_again() -> None:
    """In a window of a second, of which five in a hundred may be late."""

    def one_late(trial: Trial, seen: Observation) -> Observation:
        count = round(trial.load.window_s)
        level = Level(rate=0.0, planned=count, met=(0,), goodput=1.0)
        return replace(seen, response_s=0.97, levels=[level])

    notebook = searched(ideal(spoil=one_late), budget_s=240.0, window_factor=0.3)
    assert notebook.end is End.NOTHING_HOLDS
    assert notebook.said == "one user alone takes 970\N{THIN SPACE}ms"


def test_a_start_that_was_spoiled_is_made_once_more_and_then_says_nothing() -> None:
    notebook = searched(ideal(spoil=spoiled(lambda trial: trial.candidate == SIZES[1], **NOISE)))
    assert notebook.states[SIZES[1]] == (State.NO_STATEMENT, "B401 in each of its runs")
    reasons = [entry.trial.reason for entry in notebook.of(SIZES[1])]
    assert len(reasons) > 2
    assert {reason.partition("; ")[2] for reason in reasons[1:]} == {"once more, because of B401"}
    waits = [entry.trial.wait_s for entry in notebook.of(SIZES[1])]
    assert waits[:3] == [0.0, 10.0, 20.0]
    assert Outcome(notebook).end is End.CONFIRMED


def test_where_only_the_machine_kept_them_from_climbing_that_is_said() -> None:
    told = Outcome(searched(ideal(spoil=spoiled(lambda trial: trial.phase in RISING, **NOISE))))
    assert told.sentences == ("Nothing could be measured: B401 in each of its runs.",)


def test_where_nothing_could_be_measured_a_longer_search_would_add_nothing() -> None:
    told = Outcome(searched(ideal(spoil=spoiled(**NOISE)), current=SIZES[0]))
    assert told.end is End.NOTHING_RAN
    assert told.missing == ""


def test_where_nothing_starts_it_says_why() -> None:
    told = Outcome(searched(ideal(spoil=spoiled(failure="it ended with status 3"))))
    assert told.end is End.NOTHING_RAN
    assert told.sentences == (
        "Nothing could be measured: 2 of its 2 runs failed: it ended with status 3.",
    )


def test_what_two_servers_fail_alike_in_is_asked_of_no_third() -> None:
    def missing(trial: Trial, seen: Observation) -> Observation:
        same = "expected status 200, and got 404"
        failure = same if trial.candidate.server != "waitress" else "waitress ended"
        return Observation(took_s=2.0, failure=failure)

    names = ("waitress", "gthread", "granian", "uwsgi", "cheroot")
    sizes = [candidate(name, 1, 4) for name in names]
    notebook = searched(ideal(spoil=missing), sizes=sizes)
    asked = dict.fromkeys(one.trial.candidate.server for one in notebook.entries)
    assert list(asked) == list(names[:3])
    assert "got 404" in Outcome(notebook).sentences[0]


def test_once_the_budget_is_spent_no_further_server_is_probed() -> None:
    hangs = spoiled(failure="It does not answer.", took_s=60.0)
    notebook = searched(ideal(spoil=hangs), budget_s=120.0)
    assert (notebook.end, notebook.spent_s) == (End.NOTHING_RAN, 120.0)


@pytest.mark.parametrize("users", [1, 4])
def test_a_machine_that_is_busy_for_two_servers_is_so_for_all(users: int) -> None:
    noisy = spoiled(lambda trial: trial.load.users >= users, **NOISE)
    sizes = [candidate(name, 1, 4) for name in ("waitress", "gthread", "granian", "uwsgi")]
    notebook = searched(ideal(spoil=noisy), sizes=sizes)
    asked = dict.fromkeys(one.trial.candidate.server for one in notebook.entries)
    assert list(asked) == ["waitress", "gthread"]
    assert Outcome(notebook).sentences == ("Nothing could be measured: B401 in each of its runs.",)


def test_where_the_first_does_not_start_another_is_probed() -> None:
    dead = spoiled(lambda trial: trial.candidate == SIZES[0], failure="it ended with status 3")
    notebook = searched(ideal(spoil=dead))
    assert notebook.end is End.CONFIRMED
    assert notebook.state(SIZES[0]) is State.DISCARDED


@pytest.mark.parametrize("alone", [True, False])
def test_answers_that_are_wrong_say_what_they_are(alone) -> None:
    """An API that lets nobody ask more often: at once, or not before many do."""

    def throttled(trial: Trial, seen: Observation) -> Observation:
        if alone and trial.load.users == 1:
            return seen
        levels = [
            replace(one, met=(0,), failures=one.planned, goodput=1.0 if alone else 0.0)
            for one in seen.levels
        ]
        return replace(seen, levels=levels, fails=("B201",), wrong="status 429")

    told = Outcome(searched(ideal(spoil=throttled)))
    assert told.end is End.NOTHING_HOLDS
    assert "status 429" in told.sentences[0]


def test_a_load_generator_that_gives_out_makes_it_at_least() -> None:
    most = 500.0

    def limited(trial: Trial, seen: Observation) -> Observation:
        levels = [
            replace(level, met=(0,) * len(level.met)) if level.rate > most else level
            for level in seen.levels
        ]
        through = [replace(one, goodput=min(one.goodput, 1.1 * most)) for one in levels]
        beyond = any(level.rate > most for level in levels) or trial.load.users > 1
        return replace(seen, levels=through, limit=("B101",) if beyond else ())

    told = Outcome(searched(ideal(capacity=3000.0, cpu_s=0.0005, spoil=limited)))
    assert told.end is End.CONFIRMED
    assert told.at_least
    assert 0.8 * most < (told.rate or 0.0) <= most
    assert " holds at least " in told.sentences[0]
    assert "The load generator was the limit, not the server." in told.sentences


def test_a_collapse_is_told_with_the_rates_between_which_it_lies() -> None:
    notebook = searched(ideal())
    notebook.entries = [one for one in notebook.entries if one.trial.phase is Phase.PROBE]
    for rate, met in [(170.0, 1000), (174.0, 996), (180.0, 700), (183.0, 20)]:
        load = Load(rates=(rate,), warmup_s=1.0, window_s=6.0)
        trial = replace(notebook.entries[0].trial, phase=Phase.BISECT, load=load)
        level = Level(rate=rate, planned=1000, met=(met,))
        notebook.note(trial, Observation(took_s=10.0, levels=[level]))
    assert cliff(notebook, notebook.entries[0].trial.candidate) == (174.0, 180.0)


def test_a_server_that_bends_slowly_has_no_cliff() -> None:
    assert Outcome(searched(ideal())).cliff is None


def test_failures_that_so_few_requests_cannot_show_are_bounded() -> None:
    told = Outcome(searched(ideal("p95 < 200ms, failures < 0.01%", capacity=40.0)))
    assert told.end is End.CONFIRMED
    assert "None of " in told.sure[0]
    assert " failed, so at most 0." in told.sure[0]


@pytest.mark.parametrize("seed", range(3))
def test_a_rate_that_fresh_starts_do_not_hold_is_tried_lower_and_then_not_told(seed) -> None:
    def falls(share: float):
        def spoil(trial: Trial, seen: Observation) -> Observation:
            if trial.phase is not Phase.CONFIRM:
                return seen
            return Ideal(parse("p95 < 200ms"), lambda _: share * 90.0)(trial)

        return spoil

    lower = Outcome(searched(ideal(spoil=falls(0.75)), seed=seed))
    assert lower.end is End.CONFIRMED
    assert (lower.rate or 0.0) <= 0.75 * 90
    never = searched(ideal(spoil=falls(0.1)), seed=seed)
    assert never.end is End.NOT_CONFIRMED
    told = Outcome(never)
    assert told.rate is None
    assert "is the best found, and not confirmed: at " in told.sentences[0]


def test_what_runs_now_is_not_said_to_miss_a_rate_that_its_few_starts_met() -> None:
    now = candidate("uwsgi", 4, 4)
    measure = ideal(capacity=lambda one: 60.0 if one == now else 90.0)
    notebook = searched(measure, current=now, seed=0)
    starts = notebook.of(now, Phase.CONFIRM)
    last = [one for one in starts if one.trial.load.rates == starts[-1].trial.load.rates]
    assert len(last) > 2
    assert Outcome(notebook).pick != now
    notebook.entries = [one for one in notebook.entries if one not in last[2:]]
    said = Outcome(notebook).sentences[1]
    assert said.startswith("You run uwsgi 4×4 now, which is not shown to hold ")
    assert said.endswith(" % in time in 2 fresh runs.")


def test_it_can_be_asked_at_any_time() -> None:
    whole = searched(ideal())
    assert whole.entries[-1].trial.phase is Phase.DIAGNOSE, "which comes after the answer"
    for most in range(len(whole.entries) - 1):
        told = Outcome(searched(ideal(), most))
        assert told.end is None
        assert len(told.sentences[0]) > 10
        assert told.missing.startswith("The next minutes add ")
    assert Outcome(searched(ideal(), 0)).sentences == ("Nothing has been measured yet.",)


def test_a_first_window_without_an_answer_is_made_again_and_longer() -> None:
    count = 0

    def busy(trial: Trial, seen: Observation) -> Observation:
        nonlocal count
        count += 1
        if count > 1:
            return seen
        return replace(seen, levels=[Level(rate=0.0, planned=0, met=(0,))], response_s=None)

    notebook = searched(ideal(spoil=busy))
    first, second = [entry.trial.load.window_s for entry in notebook.entries[:2]]
    assert first < second
    assert notebook.end is End.CONFIRMED


def test_connections_count_that_are_open_at_the_rate_in_question() -> None:
    """A full load opens more, and the best at its own rate: the second best follows, no third."""

    def opening(trial: Trial, seen: Observation) -> Observation:
        own = 12 if trial.candidate.processes == 2 else 8
        return replace(seen, connections=own if trial.phase is Phase.CONFIRM else 40)

    sizes = [replace(one, connections=None) for one in SIZES]
    held = dict(zip(sizes, (80.0, 90.0, 100.0), strict=True))
    measure = ideal("p95 < 200ms, connections <= 10", held.__getitem__, spoil=opening)
    notebook = searched(measure, sizes=sizes)
    assert notebook.states[sizes[2]] == (
        State.OVER,
        "it opened 12 database connections, and the objective allows 10",
    )
    assert notebook.pick() == sizes[1]
    assert (notebook.end, notebook.excess(sizes[1])) == (End.CONFIRMED, "")
