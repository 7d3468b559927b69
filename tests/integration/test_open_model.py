"""The open model against a responder that counts: no arrival of the schedule gets lost."""

import os
import signal
import time
from contextlib import suppress
from threading import Timer

import numpy as np
import pytest

from benchsuite.core.samples import Kind
from benchsuite.load.job import stage_windows
from benchsuite.load.parent.ceiling import responder
from benchsuite.load.parent.figures import Figures
from benchsuite.load.process.schedule import arrivals
from tests.integration.loads import a_job, load, served
from tests.integration.stubs_http import after, ok

CHECKED = 1


def at_a_rate(tmp_path, behaviour, arrival_rate, workload="Get", path="/", **changes):
    """The open model, and its figures."""
    changes = {"model": "open", "arrival_rate": arrival_rate, "path": path, **changes}
    result, served_by = served(tmp_path, {path: behaviour}, workload, **changes)
    figures = Figures(result.samples, result.names, result.done, result.job.load)
    return result, served_by, figures


@pytest.mark.parametrize("kind", ["constant", "poisson"])
def test_every_planned_arrival_is_sent_at_its_moment(tmp_path, kind):
    times = {"warmup_s": 0.2, "duration_s": 0.8}
    result, served_by, figures = at_a_rate(tmp_path, after(0.002), 150.0, arrivals=kind, **times)
    samples = result.of("GET /")
    planned = [result.done.origin + moment for moment in arrivals(result.job.load, seed=0)]
    assert sorted(samples["intended_start"]) == pytest.approx(planned, abs=1e-6)
    assert served_by.seen["/"] == len(planned) + CHECKED
    assert (samples["start"] >= samples["intended_start"]).all()
    assert result.kinds("GET /") == {Kind.OK: len(planned)}
    assert sorted(result.of("get")["intended_start"]) == sorted(samples["intended_start"])
    begin, end = result.done.window
    inside = sum(begin <= moment < end for moment in planned)
    assert (result.done.sent, result.done.dropped) == ((inside,), (0,))
    assert figures.total.arrivals.offered_rate == pytest.approx(inside / 0.8)
    assert figures.total.requests == inside


@pytest.mark.parametrize("model", [{}, {"model": "open", "arrival_rate": 50.0}])
def test_a_journey_knows_for_how_long_the_load_goes_on(model, tmp_path):
    result, _ = served(tmp_path, {"/": after(0.002)}, "Late", **model)
    assert len(result.of("early")) > 0
    assert len(result.of("late")) > 0


def test_an_arrival_that_finds_no_free_slot_waits_and_its_waiting_counts(tmp_path):
    """One slot, 0.1 s an answer, 20 arrivals a second: the queue grows by half of them."""
    one_slot = {"max_in_flight": 1, "duration_s": 1.0}
    result, _, figures = at_a_rate(tmp_path, after(0.1), 20.0, **one_slot)
    samples, total = result.of("GET /"), figures.total
    assert (result.done.sent, result.done.dropped) == ((20,), (0,))
    assert len(samples) == 20
    ordered = samples[np.argsort(samples["start"])]
    assert (ordered["start"][1:] >= ordered["finish"][:-1]).all(), "one at a time"
    waits = ordered["start"] - ordered["intended_start"]
    assert waits[-1] >= 19 * (0.1 - 0.05)
    assert (np.diff(waits) > 0).sum() >= 17
    assert total.arrivals.late >= 18
    assert total.arrivals.achieved_rate < 11
    assert total.wait_time.max_s == pytest.approx(waits[-1])
    assert total.response_time.max_s > 1.0


def test_arrivals_that_were_never_sent_are_counted(tmp_path):
    limits = {"max_in_flight": 2, "warmup_s": 0.5, "duration_s": 1.0, "drain_s": 0.2}
    result, served_by, figures = at_a_rate(
        tmp_path, after(0.4), 20.0, "CheckedOnce", "/slow", **limits
    )
    samples = result.of("GET /slow")
    begin, end = result.done.window
    meant = (samples["intended_start"] >= begin) & (samples["intended_start"] < end)
    assert result.done.sent == (int(meant.sum()),)
    assert result.done.sent[0] + result.done.dropped[0] == 20
    assert result.done.dropped[0] > 10
    assert served_by.seen["/slow"] == len(samples), "what was sent is written down, also unfinished"
    assert result.kinds("GET /slow")[Kind.UNFINISHED] >= 1
    assert figures.total.arrivals.offered_rate == pytest.approx(20)
    assert figures.total.arrivals.dropped == result.done.dropped[0]


def test_later_requests_of_a_journey_are_meant_when_they_start(tmp_path):
    result, _ = served(
        tmp_path, None, "Long", model="open", arrival_rate=20.0, warmup_s=0, duration_s=0.5
    )
    requests, journeys = result.of("GET /"), result.of("long")
    assert len(journeys) == 10
    assert len(requests) == 30, "journeys that began in the window are completed"
    own = np.isin(requests["intended_start"], journeys["intended_start"])
    assert own.sum() == 10
    assert (requests["start"][~own] == requests["intended_start"][~own]).all()


def test_each_stage_has_its_own_rate(tmp_path):
    stages = {"stages": (20.0, 100.0), "warmup_s": 0.2, "duration_s": 0.5}
    result, _, figures = at_a_rate(tmp_path, ok, 100.0, **stages)
    assert (result.done.sent, result.done.dropped) == ((10, 50), (0, 0))
    low, high = figures.stages
    assert [low.name, high.name] == ["20 /s", "100 /s"]
    assert [low.requests, high.requests] == [10, 50]
    assert [low.order, high.order] == [1, 2]
    assert figures.total.requests == 60
    assert low.arrivals.offered_rate == pytest.approx(20)
    _, (_, end) = stage_windows(result.job.load, result.done)
    assert end == pytest.approx(result.done.origin + 1.4)


@pytest.mark.parametrize("in_turn", [True, False])
def test_connections_take_journeys_in_turn_if_told(tmp_path, in_turn):
    """Else the one used last takes the next: of so few journeys at a time it makes nearly all."""
    slots = {"max_in_flight": 5, "in_turn": in_turn, "duration_s": 1.0}
    result, *_ = at_a_rate(tmp_path, after(0.002), 60.0, **slots)
    journeys = np.bincount(result.of("GET /")["user"], minlength=5)
    assert journeys.sum() == 60
    assert (journeys.min() >= 6) if in_turn else (journeys.max() >= 24), "12 each is even"


def test_so_many_take_turns_as_begin_in_a_second(tmp_path):
    """More would be idle for so long that servers close them."""
    slots = {"max_in_flight": 100, "in_turn": True, "stages": (20.0, 40.0), "duration_s": 1.0}
    result, *_ = at_a_rate(tmp_path, after(0.002), 40.0, **slots)
    journeys = np.bincount(result.of("GET /")["user"], minlength=100)
    assert journeys.sum() == 60
    assert journeys[20:].sum() <= 15, "only while all others are under way"
    assert journeys[:20].min() >= 1


@pytest.mark.alone
def test_stopped_early_nothing_that_was_due_is_lost(tmp_path):
    result, *_ = at_a_rate(tmp_path, ok, 50.0, duration_s=30.0, stop_at=1.0)
    begin, end = result.done.window
    assert result.done.stopped
    planned = [result.done.origin + moment for moment in arrivals(result.job.load, seed=0)]
    due = sum(begin <= moment < end - 0.001 for moment in planned)
    assert due <= result.done.sent[0] <= due + 1
    assert result.done.dropped == (0,)


@pytest.mark.alone
def test_a_stall_is_seen_as_those_who_arrive_see_it(tmp_path):
    """Stopped for 1 s of 10 s: what arrives in it waits for its end, so the slowest of a hundred
    wait 0.9 s or more. Whoever asks again only after an answer sees one slow answer per user. The
    responder has one thread, so that the queue of a stall is worked off within milliseconds.
    """
    rate, length_s, stall_s = 200.0, 10.0, 1.0
    with responder(tmp_path) as null:
        pid = null.process.pid
        profile = {"model": "open", "arrival_rate": rate, "warmup_s": 0.5, "duration_s": length_s}
        job = a_job(null, run_header=null.token, **profile)
        stall: list[float] = []

        def stop():
            os.kill(pid, signal.SIGSTOP)
            stall.append(time.monotonic())
            time.sleep(stall_s)
            stall.append(time.monotonic())
            os.kill(pid, signal.SIGCONT)

        # the worker needs about a second to come up
        timer = Timer(6.0, stop)
        timer.start()
        try:
            result = load(tmp_path, job)
        finally:
            timer.cancel()
            timer.join()
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
    samples = result.of("GET /")
    begin, end = result.done.window
    planned = np.array([result.done.origin + moment for moment in arrivals(job.load, seed=0)])
    planned = planned[(planned >= begin) & (planned < end)]
    assert begin < stall[0] < stall[1] < end
    truth = np.where((planned >= stall[0]) & (planned < stall[1]), stall[1] - planned, 0.0)
    inside = samples[(samples["intended_start"] >= begin) & (samples["intended_start"] < end)]
    assert len(inside) == len(planned) == rate * length_s
    shown = inside["finish"] - inside["intended_start"]
    expected = np.quantile(truth, 0.99, method="inverted_cdf")
    assert expected == pytest.approx(stall_s - 0.01 * length_s, rel=0.1)
    seen = np.quantile(shown, 0.99, method="inverted_cdf")
    assert 0.98 * expected <= seen < 1.5 * expected, "never less; more when the machine is busy"
    in_stall = inside[
        (inside["intended_start"] >= stall[0] + 0.01) & (inside["intended_start"] < stall[1])
    ]
    assert len(in_stall) >= 0.98 * rate * stall_s
    after_s = in_stall["finish"] - stall[1]
    assert (after_s > -0.01).all(), "nobody was answered by a stopped process"
    assert np.median(after_s) < 0.2 * stall_s
    service = np.sort(inside["finish"] - inside["start"])
    assert service[-1] > 0.9 * stall_s
