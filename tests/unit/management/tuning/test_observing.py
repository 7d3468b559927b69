"""What a run says of its server, and when it says nothing."""

from dataclasses import replace

import numpy as np
import pytest

from benchsuite.core.results import Arrivals, Finding, Level, Summary
from benchsuite.core.specs.objective import parse
from benchsuite.management.tuning.trials import observation, spec_of
from benchsuite.stats import summary
from benchsuite.tuning.trial import Candidate, Load, Phase, Question, Trial
from tests.factories import make_spec
from tests.unit.test_store import result

QUESTION = Question(objective=parse("p95 < 200ms, failures < 0.1%"), cpus=1)
CANDIDATE = Candidate(server="uwsgi", processes=2, threads=2)
OPEN = Trial(
    candidate=CANDIDATE,
    phase=Phase.LADDER,
    load=Load(rates=(50.123456, 100.0), warmup_s=1.0, window_s=2.0),
    seed=1,
    reason="",
)
CLOSED = replace(OPEN, load=Load(users=4, warmup_s=1.0, window_s=2.0))


def figures(*, fast=0, slow=0, failed=0, dropped=0, **more):
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


def stages(*found, **more):
    ordered = [replace(one, order=place, level=place) for place, one in enumerate(found, start=1)]
    given = {"total": ordered[0], "summaries": tuple(ordered), "findings": (), **more}
    return result(**given)


def seen(found, trial=OPEN):
    return observation(trial, found, QUESTION, took_s=9.0)


def test_a_mean_counts_whoever_got_no_right_answer_as_waiting():
    question = Question(objective=parse("mean < 50ms"), cpus=1)
    fast, failing = figures(fast=100), figures(fast=97, failed=2, dropped=1)
    low, high = observation(OPEN, stages(fast, failing), question, took_s=9.0).levels
    (goal,) = question.objective.goals
    assert goal.reached(low.met[0] / 100) == "a mean of 20.4\u2009ms", "in hundredths of a share"
    assert low.percentile_s == pytest.approx(0.0204, abs=1e-4)
    assert high.met[0] < 50, "3 % of 5 s are 150 ms"


@pytest.mark.parametrize("text", ["mean < 1s", "mean < 50ms, p95 < 2s"])
def test_who_got_no_right_answer_waited_as_long_as_the_load_did(text):
    question = Question(objective=parse(text), cpus=1)
    assert spec_of(OPEN, make_spec(), question).load.timeout_s == 20.0
    (level,) = observation(OPEN, stages(figures(fast=990, failed=10)), question, 9.0).levels
    assert level.percentile_s == pytest.approx(0.99 * 0.02 + 0.01 * 20, rel=0.02)


def test_the_percentile_is_of_the_planned():
    (level,) = seen(stages(figures(fast=90, slow=8, failed=2))).levels
    assert level.percentile_s == pytest.approx(0.4, rel=0.001)


def test_rates_are_of_journeys_and_times_of_requests():
    """Five requests each: one that was dropped would have made five."""
    total = figures(fast=100, dropped=2)
    journeys = replace(figures(fast=20), scope="journey", name="shop")
    found = stages(total)
    found = replace(found, summaries=(*found.summaries, journeys))
    one = seen(found)
    assert (one.levels[0].planned, one.levels[0].goodput) == (110, 10.0)
    assert one.response_s == pytest.approx(5 * 0.02, rel=0.01)
    assert one.cpu_s == pytest.approx(5 * 0.6 / 50), "60 % of a CPU, 50 requests a second"


def finding(number, level=Level.INVALID):
    return Finding(code=f"{number} name", level=level, message="m")


def with_findings(*found):
    return seen(stages(figures(fast=100), findings=found))


def levels_of(rates):
    return replace(OPEN, load=replace(OPEN.load, rates=tuple(rates)))


def test_a_finding_about_one_level_spoils_that_one_alone():
    """Beyond what a server can take, another client meets another part of the queue."""
    low, high = figures(fast=100, name="50 /s"), figures(slow=100, name="100 /s")
    beyond = replace(finding("B106"), stages=("100 /s",))
    one = seen(stages(low, high, findings=(beyond,)))
    assert ([level.rate for level in one.levels], one.codes) == ([50.123456], ())
    both = replace(beyond, stages=("50 /s", "100 /s"))
    assert seen(stages(low, high, findings=(both,))).says_nothing


def test_another_client_that_meets_the_queue_of_an_overload_spoils_nothing():
    seen_overloaded = with_findings(finding("B106"), finding("B104"))
    assert len(seen_overloaded.levels) == 1
    assert seen_overloaded.fails == ("B104 name",)
    assert with_findings(finding("B106")).says_nothing
    behind = finding("B102", Level.WEAK)
    assert with_findings(finding("B106"), finding("B104"), behind).says_nothing


def test_a_window_that_ended_early_has_the_rate_that_was_due_in_it():
    due = Arrivals(offered_rate=400.0, achieved_rate=400.0, late=0, dropped=0)
    (level,) = seen(stages(figures(slow=100, arrivals=due))).levels
    assert (level.planned, level.offered) == (100, 400.0)


def test_values(golden):
    golden.values()
