"""What a run says of its server, and when it says nothing."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchsuite.core.results import Arrivals, Finding, Level, Reading, RunResult, Status, Summary
from benchsuite.core.specs.objective import parse
from benchsuite.management.tuning.observing import observation
from benchsuite.stats import summary
from benchsuite.tuning.trial import Candidate, Load, Observation, Phase, Trial
from tests.unit.test_store import result

OBJECTIVE = parse("p95 < 200ms, failures < 0.1%")
CANDIDATE = Candidate(server="uwsgi", processes=2, threads=2)
OPEN = Trial(
    candidate=CANDIDATE,
    phase=Phase.LADDER,
    load=Load(rates=(50.123456, 100.0), warmup_s=1.0, window_s=2.0),
    seed=1,
    reason="",
)
CLOSED = replace(OPEN, load=Load(users=4, warmup_s=1.0, window_s=2.0))


def figures(
    *, fast: int = 0, slow: int = 0, failed: int = 0, dropped: int = 0, **more: Any
) -> Summary:
    """So many answers in 20 ms and in 400 ms, over 2 s."""
    times = np.array([0.02] * fast + [0.4] * slow)
    found = summary.distribution(times)
    requests = fast + slow + failed
    made = Summary(
        name="a",
        scope="stage",
        requests=requests,
        failures=failed,
        throughput=requests / 2,
        goodput=(fast + slow) / 2,
        response_time=found,
        service_time=found,
        arrivals=Arrivals(
            offered_rate=(requests + dropped) / 2,
            achieved_rate=requests / 2,
            late=0,
            dropped=dropped,
        ),
    )
    return replace(made, **more)


def stages(*found: Summary, **more: Any) -> RunResult:
    ordered = [replace(one, order=place, level=place) for place, one in enumerate(found, start=1)]
    given = {"total": ordered[0], "summaries": tuple(ordered), "findings": (), **more}
    return result(**given)


def seen(found: RunResult, trial: Trial = OPEN) -> Observation:
    return observation(trial, found, OBJECTIVE, took_s=9.0)


def test_each_level_counts_what_was_right_in_time_of_all_that_was_planned() -> None:
    first, second = figures(fast=95, slow=5), figures(fast=80, slow=10, failed=6, dropped=4)
    low, high = seen(stages(first, second)).levels
    assert (low.rate, low.planned, low.met, low.failures) == (50.123456, 100, (95, 100), 0)
    assert (high.rate, high.planned, high.met, high.failures) == (100.0, 100, (80, 90), 10)


def test_a_mean_counts_whoever_got_no_right_answer_as_waiting() -> None:
    objective = parse("mean < 50ms")
    fast, failing = figures(fast=100), figures(fast=97, failed=2, dropped=1)
    low, high = observation(OPEN, stages(fast, failing), objective, took_s=9.0).levels
    (goal,) = objective.goals
    assert goal.reached(low.met[0] / 100) == "a mean of 20.4\u2009ms", "in hundredths of a share"
    assert low.percentile_s == pytest.approx(0.0204, abs=1e-4)
    assert high.met[0] < 50, "3 % of 5 s are 150 ms"


def test_instant_refusals_hold_no_percentile() -> None:
    """A tenth fails at once: of the answers alone 95 % would be in time."""
    (level,) = seen(stages(figures(fast=90, failed=10))).levels
    assert level.met[0] / level.planned == 0.9
    assert level.percentile_s is None, "95 % of the planned never had an answer"


def test_the_percentile_is_of_the_planned() -> None:
    (level,) = seen(stages(figures(fast=90, slow=8, failed=2))).levels
    assert level.percentile_s == pytest.approx(0.4, rel=0.001)


def test_a_level_that_was_not_reached_carries_no_figures() -> None:
    assert len(seen(stages(figures(fast=9), figures())).levels) == 1


def test_of_users_there_is_one_level_without_a_rate() -> None:
    total = figures(fast=20, scope="all", arrivals=None)
    (level,) = seen(result(total=total, summaries=(), findings=()), CLOSED).levels
    assert (level.rate, level.planned, level.met, level.goodput) == (0.0, 20, (20, 20), 10.0)


def test_rates_are_of_journeys_and_times_of_requests() -> None:
    """Five requests each: one that was dropped would have made five."""
    total = figures(fast=100, dropped=2)
    journeys = replace(figures(fast=20), scope="journey", name="shop")
    found = stages(total)
    found = replace(found, summaries=(*found.summaries, journeys))
    one = seen(found)
    assert (one.levels[0].planned, one.levels[0].goodput) == (110, 10.0)
    assert one.response_s == pytest.approx(5 * 0.02, rel=0.01)
    assert one.cpu_s == pytest.approx(5 * 0.6 / 50), "60 % of a CPU, 50 requests a second"


def test_cpu_and_memory_are_those_of_the_target() -> None:
    one = seen(stages(figures(fast=100)))
    assert (one.cpu_s, one.memory_bytes, one.took_s) == (0.6 / 50, 9_000, 9.0)


def test_connections_are_those_that_the_database_had() -> None:
    counts = {"active": 2, "idle": 9, "limit": 97}
    readings = (Reading(second=2.0, part="database", counts=counts),)
    assert seen(stages(figures(fast=100), readings=readings)).connections == 11
    assert seen(stages(figures(fast=100), readings=())).connections is None


def test_without_telemetry_there_is_no_cpu_time() -> None:
    readings = (Reading(second=2.0, part="load", cpu_percent=10.0),)
    one = seen(stages(figures(fast=100), readings=readings))
    assert (one.cpu_s, one.memory_bytes) == (None, None)


def finding(number: str, level: Level = Level.INVALID) -> Finding:
    return Finding(code=f"{number} name", level=level, message="m")


def with_findings(*found: Finding) -> Observation:
    return seen(stages(figures(fast=100), findings=found))


@pytest.mark.parametrize("number", ["B106", "B107", "B202", "B401", "B402"])
def test_what_spoils_a_run_leaves_nothing_to_be_said(number: str) -> None:
    one = with_findings(finding(number))
    assert (one.says_nothing, one.codes, list(one.levels)) == (True, (f"{number} name",), [])


@pytest.mark.parametrize("number", ["B101", "B102", "B103"])
def test_the_limit_of_the_load_generator_is_none_of_the_server(number: str) -> None:
    one = with_findings(finding(number), finding("B201"))
    assert (one.limit, one.codes, one.fails) == ((f"{number} name",), (), ("B201 name",))


@pytest.mark.parametrize("late", ["B101", "B102"])
def test_what_piles_up_is_no_fault_of_a_server_whose_load_was_late(late: str) -> None:
    one = with_findings(finding(late, Level.WEAK), finding("B104"), finding("B105"))
    assert (one.fails, one.limit, len(one.levels)) == ((), (), 1)


@pytest.mark.parametrize("number", ["B104", "B105", "B201", "B203", "B204", "B206", "B208"])
def test_a_server_that_fails_at_a_level_was_observed(number: str) -> None:
    one = with_findings(finding(number))
    assert (one.fails, one.says_nothing, len(one.levels)) == ((f"{number} name",), False, 1)


def test_a_server_that_serves_some_users_and_not_others_fails_however_few_they_are() -> None:
    assert with_findings(finding("B206", Level.WEAK)).fails == ("B206 name",)
    assert with_findings(finding("B204", Level.WEAK)).fails == ()


def test_wrong_answers_say_what_they_are_where_there_are_many() -> None:
    few = figures(fast=90, failed=10, failures_by_kind={"reset": 10})
    many = figures(
        fast=10,
        failed=90,
        failures_by_kind={"reset": 10, "http status": 80},
        failure_examples={"reset": "closed", "http status": "status 500:\n KeyError: 'price'"},
    )
    found = stages(few, many, findings=(finding("B201"),))
    assert seen(found).wrong == "status 500: KeyError: 'price'"
    assert seen(stages(few, findings=(finding("B201"),))).wrong == "reset"
    assert seen(stages(few, many)).wrong == ""


def test_a_weak_run_says_something() -> None:
    """On a laptop others use a twentieth of the CPU time all day."""
    one = with_findings(finding("B401", Level.WEAK), finding("B403", Level.INFO))
    assert (one.says_nothing, len(one.levels)) == (False, 1)


def test_a_server_that_does_not_start_has_a_reason() -> None:
    failed = result(
        status=Status.FAILED,
        failure="it ended with status 3",
        total=None,
        summaries=(),
        findings=(),
    )
    one = seen(failed)
    assert (one.failure, one.levels, one.says_nothing) == ("it ended with status 3", (), False)


def test_a_broken_load_process_says_nothing_of_the_server() -> None:
    failed = result(
        status=Status.FAILED,
        failure="the load process ended",
        total=None,
        summaries=(),
        findings=(finding("B107"),),
    )
    one = seen(failed)
    assert (one.says_nothing, one.failure) == (True, "the load process ended")


def test_the_level_in_which_the_server_died_was_met_by_nobody() -> None:
    """The few answers before may all have been in time."""
    died = stages(
        figures(fast=100),
        figures(fast=30),
        status=Status.FAILED,
        failure="it ended",
        findings=(finding("B203"),),
    )
    low, high = seen(died).levels
    assert (low.met, high.met, high.planned) == ((100, 100), (0, 0), 30)


def levels_of(rates: Sequence[float]) -> Trial:
    return replace(OPEN, load=replace(OPEN.load, rates=tuple(rates)))


def test_levels_have_the_rates_that_were_asked_for() -> None:
    """A search puts starts together by these, to the last digit."""
    found = stages(*[figures(fast=10)] * 3)
    rates = (10.00001, 20.00002, 30.00003)
    assert [one.rate for one in seen(found, levels_of(rates)).levels] == list(rates)


def test_a_finding_about_one_level_spoils_that_one_alone() -> None:
    """Beyond what a server can take, another client meets another part of the queue."""
    low, high = figures(fast=100, name="50 /s"), figures(slow=100, name="100 /s")
    beyond = replace(finding("B106"), stages=("100 /s",))
    one = seen(stages(low, high, findings=(beyond,)))
    assert ([level.rate for level in one.levels], one.codes) == ([50.123456], ())
    both = replace(beyond, stages=("50 /s", "100 /s"))
    assert seen(stages(low, high, findings=(both,))).says_nothing


def test_a_level_of_which_nothing_was_ever_sent_was_planned_all_the_same() -> None:
    """A server that hangs keeps all connections: its arrivals wait until the end."""
    hung = stages(figures(fast=100), figures(dropped=40))
    _, level = seen(hung).levels
    assert (level.planned, level.met, level.failures) == (40, (0, 0), 40)
