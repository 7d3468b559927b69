"""Several load processes make one load: shared out, begun together, in stages."""

from contextlib import contextmanager

import numpy as np
import psutil
import pytest

from benchsuite.core.exceptions import AnswerError, LoadError
from benchsuite.core.samples import Kind
from benchsuite.load.job import stage_windows
from benchsuite.load.parent.driver import load_pool
from benchsuite.load.parent.figures import Figures
from benchsuite.load.process.schedule import arrivals
from tests.integration.loads import a_job, load, served
from tests.integration.stubs_http import Responder, after, ok

PROCESSES = 2


@contextmanager
def loading(tmp_path):
    with load_pool(PROCESSES, spool=tmp_path, log=tmp_path / "log") as pool:
        yield pool


def test_users_are_shared_out(tmp_path):
    result, responder = served(tmp_path, {"/": after(0.005)}, users=3, processes=2, duration_s=1.2)
    samples = result.of("GET /")
    assert set(samples["user"]) == {0, 1, 2}
    assert len(samples) == responder.seen["/"] - PROCESSES
    assert sorted(entry.name for entry in result.names) == ["GET /", "get"]
    assert samples["start"].min() >= result.done.origin
    assert result.ticks[-1].users == 3
    assert result.done.users[-1][1] == 3
    assert responder.connections == 3 + PROCESSES


@pytest.mark.alone
def test_a_fixed_amount_of_work_is_shared_out_and_ends_with_the_last_journey(tmp_path):
    """User 2 is of the first process and has as much to do as the others."""
    result, _ = served(
        tmp_path, {"/": after(0.02)}, users=3, processes=2, iterations=20, duration_s=60.0
    )
    samples, done = result.of("GET /"), result.done
    assert [int((samples["user"] == user).sum()) for user in range(3)] == [20, 20, 20]
    assert result.kinds("GET /") == {Kind.OK: 60}
    begin, end = done.window
    assert (done.stopped, done.unmade, begin) == (False, 0, done.origin)
    assert samples["start"].min() >= begin
    assert samples["finish"].max() < end < samples["finish"].max() + 1.0
    assert np.ptp([samples["start"][samples["user"] == user].min() for user in range(3)]) < 0.3


@pytest.mark.alone
def test_a_limit_ends_work_that_is_not_done(tmp_path):
    result, _ = served(
        tmp_path, {"/": after(0.2)}, users=2, processes=2, iterations=50, duration_s=1.0
    )
    assert result.done.window[1] - result.done.window[0] == pytest.approx(1.0, abs=0.01)
    made = len(result.of("GET /"))
    assert made - 2 <= 100 - result.done.unmade <= made, "those under way were awaited"


@pytest.mark.parametrize(
    ("limits", "kind", "unmade"),
    [
        ({"duration_s": 20.0, "timeout_s": 2.0}, Kind.READ_TIMEOUT, 0),
        ({"duration_s": 2.0, "drain_s": 0.1}, Kind.UNFINISHED, 1),
    ],
)
def test_no_time_is_work_in_which_a_few_wait_for_what_is_lost(tmp_path, limits, kind, unmade):
    lost = after(3.0)
    behaviours = {"/": lambda request: (lost if request.number == 5 else ok)(request)}
    result, _ = served(tmp_path, behaviours, users=9, iterations=1, **limits)
    begin, end = result.done.window
    assert end - begin < 1.5
    assert result.done.unmade == unmade
    total = Figures(result.samples, result.names, result.done, result.job.load).total
    assert (total.requests, total.failures_by_kind) == (9, {kind.words: 1})


def test_time_counts_in_which_most_wait(tmp_path):
    behaviours = {"/": lambda request: (ok if request.number < 4 else after(3.0))(request)}
    result, _ = served(tmp_path, behaviours, users=9, iterations=1, duration_s=2.0, drain_s=0.1)
    assert result.done.window[1] - result.done.window[0] == pytest.approx(2.0, abs=0.01)
    assert result.done.unmade == 7


def test_arrivals_are_shared_out_and_together_are_the_schedule(tmp_path):
    with Responder() as responder:
        job = a_job(
            responder, model="open", arrival_rate=101.0, processes=2, warmup_s=0.3, duration_s=0.7
        )
        result = load(tmp_path, job)
    planned = [result.done.origin + moment for moment in arrivals(job.load, seed=job.seed)]
    assert sorted(result.of("GET /")["intended_start"]) == pytest.approx(planned, abs=1e-6)
    begin, end = result.done.window
    assert result.done.sent == (sum(begin <= moment < end for moment in planned),)
    assert result.done.dropped == (0,)


@pytest.mark.alone
def test_a_stage_with_too_little_in_time_ends_the_load(tmp_path):
    """Four at a time of 0.1 s each are 40 a second: the first stage holds, the second can't."""
    levels = (20.0, 120.0, 200.0)
    rates = {"model": "open", "arrival_rate": 200.0, "stages": levels, "max_in_flight": 4}
    ends = {"ends_below": 0.5, "ends_within_s": 0.5, "drain_s": 1.0}
    with Responder({"/": after(0.1)}) as responder, loading(tmp_path) as pool:
        job = a_job(responder, processes=2, warmup_s=0.2, duration_s=2.0, **rates, **ends)
        pool.check(job)
        done = pool.run(lambda tick: None)
        samples, _ = pool.samples()
    ended = pool.ended_at
    assert ended.due >= 20 > 0.5 > ended.in_time / ended.due
    first, second = stage_windows(job.load, done)
    assert first[1] - first[0] == pytest.approx(2.0)
    assert 0 < second[1] - second[0] < 2.0
    assert done.stopped
    assert done.sent[0] + done.dropped[0] == 40
    due = 120 * (second[1] - second[0])
    assert done.sent[1] + done.dropped[1] == pytest.approx(due, abs=3)
    assert done.sent[2] + done.dropped[2] == 0, "what is not reached has no figures"
    assert samples["intended_start"].max() <= done.window[1]


def test_stopping_stops_all(tmp_path):
    result, _ = served(
        tmp_path, {"/": after(0.005)}, users=2, processes=2, duration_s=30.0, stop_at=1.0
    )
    begin, end = result.done.window
    assert result.done.stopped
    assert 0.5 < end - begin < 10


def test_one_that_dies_ends_the_load(tmp_path):
    with Responder({"/": after(0.005)}) as responder, loading(tmp_path) as pool:
        pool.check(a_job(responder, users=2, processes=2, duration_s=20.0))

        def on_tick(tick):
            psutil.Process(pool.pids[1]).kill()

        with pytest.raises(LoadError, match="The load process was ended by SIGKILL"):
            pool.run(on_tick)


def test_a_refused_journey_is_told_once(tmp_path):
    with (
        Responder({"/": lambda request: None}) as responder,
        loading(tmp_path) as pool,
        pytest.raises(AnswerError, match="closed before the answer"),
    ):
        pool.check(a_job(responder, processes=2))


def staged(tmp_path, **profile):
    """What came of a load in stages, its figures, and who answered."""
    with Responder({"/": after(0.01)}) as responder:
        job = a_job(responder, warmup_s=0.2, duration_s=0.5, **profile)
        result = load(tmp_path, job)
    return result, Figures(result.samples, result.names, result.done, job.load), responder


@pytest.mark.alone
def test_each_stage_has_its_own_users(tmp_path):
    result, figures, responder = staged(tmp_path, users=4, stages=(1.0, 4.0, 2.0))
    stages = list(figures.stages)
    assert [one.name for one in stages] == ["1 user", "4 users", "2 users"]
    assert [one.order for one in stages] == [1, 2, 3]
    assert [round(one.concurrency or 0) for one in stages] == [1, 4, 2]
    total = figures.total
    assert total.requests == sum(one.requests for one in stages) < result.requests()
    assert np.isclose(total.goodput, np.mean([one.goodput for one in stages]))
    assert result.kinds("GET /") == {Kind.OK: responder.seen["/"] - 1}, "nobody was cut off"
    begins = [one.phase.value for one in figures.intervals]
    assert begins[0] == "warm-up"


@pytest.mark.alone
def test_users_of_a_locustfile_rise_from_stage_to_stage(tmp_path):
    file = tmp_path / "locustfile.py"
    file.write_text(
        "from locust import FastHttpUser, task\n"
        "class Visitor(FastHttpUser):\n"
        "    @task\n"
        "    def page(self): self.client.get('/')\n"
    )
    _, figures, _ = staged(tmp_path, locustfile=str(file), users=3, stages=(1.0, 3.0))
    assert [round(stage.concurrency or 0) for stage in figures.stages] == [1, 3]
