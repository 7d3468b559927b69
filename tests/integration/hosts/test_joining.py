"""Loads of several hosts, all on the loopback: who may join, and whether the load is the same."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest

from benchsuite.core.exceptions import AnswerError, LoadError
from benchsuite.core.plain import plain
from benchsuite.core.samples import Kind
from benchsuite.load.hosts import keys
from benchsuite.load.parent.figures import Figures, added
from benchsuite.load.process.schedule import arrivals
from tests.integration.command import ROOT
from tests.integration.hosts.workers import WORKER, joined, load, master, place
from tests.integration.left_behind import eventually
from tests.integration.loads import a_job
from tests.integration.stubs_http import Responder, after, answer
from tests.needs import audited


@contextmanager
def joined_hosts(tmp_path, behaviours=None, count=1, **started):
    """A responder, the place, a worker that was started so, or more, and their pool."""
    with Responder(behaviours) as responder, place(tmp_path) as hosts:
        worker, *_ = [hosts.start(**started) for _ in range(count)]
        with joined(hosts, count) as pool:
            yield responder, hosts, worker, pool


OTHERS = {  # what another host has → how it comes to say so
    "benchsuite 0.0.1": "benchsuite.__version__ = '0.0.1'",
    "python 2.7": "platform.python_version = lambda: '2.7.18'",
}


@pytest.mark.parametrize("processes", audited([1, 2], 2))
def test_the_parts_of_two_hosts_are_exactly_the_schedule(tmp_path, processes):
    with Responder({"/": after(0.002)}) as responder, place(tmp_path) as hosts:
        hosts.start()
        hosts.start()
        rate = {"model": "open", "arrival_rate": 150.0, "arrivals": "poisson"}
        job = a_job(responder, warmup_s=0.3, duration_s=2.0, processes=processes, **rate)
        with joined(hosts, 2) as pool:
            result, facts = load(pool, job)
        assert [worker.ended() for worker in hosts.workers] == [0, 0], "the command has ended"
    samples = result.of("GET /")
    planned = [result.done.origin + moment for moment in arrivals(job.load, seed=job.seed)]
    assert sorted(samples["intended_start"]) == pytest.approx(planned, abs=2e-9)
    assert responder.seen["/"] == len(planned) + 2 * processes, "each process checks a journey"
    assert sum(result.done.sent) == sum(moment >= 0.3 for moment in arrivals(job.load, seed=0))
    assert not sum(result.done.dropped)
    assert [host.share for host in facts] == [0.5, 0.5]
    assert sum(host.samples for host in facts) == len(result.samples)
    assert all(host.clock_error_s < 0.05 and abs(host.clock_ahead) < 0.05 for host in facts)
    assert result.ticks
    assert result.ticks[-1].requests > 0
    assert len([note for note in hosts.notes if "joined" in note]) == 2, hosts.notes


OPEN = {"model": "open", "arrival_rate": 60.0, "warmup_s": 0.5}
STAGES = {"users": 4, "stages": (2, 4), "think_time_s": 0.02}


@pytest.mark.parametrize("profile", audited([OPEN, STAGES], STAGES))
def test_samples_that_are_too_many_come_as_figures_which_are_the_same(tmp_path, profile):
    with joined_hosts(tmp_path, {"/": after(0.005)}, count=2) as (responder, *_, pool):
        job = a_job(responder, duration_s=1.5, **profile)
        result, _ = load(pool, job)
        assert not pool.figures
        pool.most_samples = len(result.samples) - 1
        pool.samples()
    whole = Figures(result.samples, result.names, result.done, job.load, alike=True).together()
    parts = added(pool.figures, done=result.done, load=job.load, alike=True)
    assert (parts.counts, len(parts.intervals)) == (whole.counts, len(whole.intervals))
    for of_parts, of_all in zip(
        [parts.total, *parts.by_name.values(), *(segment.total for segment in parts.segments)],
        [whole.total, *whole.by_name.values(), *(segment.total for segment in whole.segments)],
        strict=True,
    ):
        assert (of_parts.name, of_parts.scope) == (of_all.name, of_all.scope)
        for figure in ("requests", "failures", "body_bytes", "goodput", "concurrency"):
            assert getattr(of_parts, figure) == pytest.approx(getattr(of_all, figure), rel=1e-3)
        assert plain(of_parts.arrivals) == pytest.approx(plain(of_all.arrivals))
        times, same = of_parts.response_time, of_all.response_time
        assert dict(times.percentiles) == pytest.approx(dict(same.percentiles), 1e-3)
        assert times.mean_s == pytest.approx(same.mean_s, 1e-3)


def test_users_are_divided_and_several_runs_follow_each_other(tmp_path):
    with Responder({"/": after(0.01)}) as responder, place(tmp_path) as hosts:
        hosts.start()
        hosts.start()
        with master(hosts) as listening:
            with listening.joined(2, tell=hosts.notes.append, limit_s=40):
                pass  # a run that fails before its load
            for _ in range(2):
                with listening.joined(2, tell=hosts.notes.append, limit_s=40) as pool:
                    result, facts = load(pool, a_job(responder, users=3, duration_s=1.5))
                users = np.unique(result.of("GET /")["user"])
                assert users.tolist() == [0, 1, 2]
                assert [round(host.share, 2) for host in facts] == [0.67, 0.33]
            gone = eventually(lambda: not [*tmp_path.glob("tmp-*/benchsuite-*/*")])
            assert gone, "the samples of runs that are over"


def test_what_a_host_sees_wrong_is_told_with_its_name(tmp_path):
    failing = {"/": lambda request: answer(b"", status=503)}
    told = pytest.raises(AnswerError, match=r"Load host .*503")
    with joined_hosts(tmp_path, failing) as (responder, *_, pool), told:
        pool.check(a_job(responder))


def test_a_host_joins_by_a_name_that_has_an_ipv6_address_too(tmp_path):
    with place(tmp_path) as hosts:
        hosts.host = "localhost"
        worker = hosts.start()
        hosts.host = "127.0.0.1"
        with joined(hosts, 1):
            pass  # it has
        assert worker.ended() == 0, worker.words


def test_another_key_is_refused_on_both_sides(tmp_path):
    with place(tmp_path) as hosts:
        keys.write_new(tmp_path / "other")
        stranger = hosts.start(key=tmp_path / "other")
        late = pytest.raises(LoadError, match="has not met 1 load hosts within 6 s")
        with late, joined(hosts, 1, limit_s=6):
            pytest.fail("nobody may join")
        assert stranger.ended() == 1
        assert "another key: copy its key file" in stranger.words
        assert sum("without this key" in note for note in hosts.notes) == 1


@pytest.mark.parametrize("has", audited(OTHERS, "benchsuite 0.0.1"))
def test_another_version_is_refused_on_both_sides(tmp_path, has):
    run = "runpy.run_module('benchsuite.load.hosts.worker', run_name='__main__')"
    source = f"import platform, runpy, benchsuite; {OTHERS[has]}; {run}"
    with place(tmp_path) as hosts:
        old = hosts.start(program=(WORKER[0], "-c", source))
        refused = pytest.raises(LoadError, match=rf"has {has}, and the master .*: install the same")
        with refused, joined(hosts, 1):
            pytest.fail("it may not join")
        assert old.ended() == 1
        assert f"has {has}, and the master" in old.words


def test_a_clock_far_away_cannot_be_compared(tmp_path):
    with place(tmp_path) as hosts, Responder() as responder:
        words = [sys.executable, "-m", "benchsuite.delay.proxy", "--to-server", "0.05"]
        target = f"127.0.0.1:{hosts.port}"
        with subprocess.Popen([*words, target], stdout=subprocess.PIPE, text=True) as proxy:
            port = int(proxy.stdout.readline().split("127.0.0.1:")[1].split()[0])
            hosts.start(port=port)
            far = pytest.raises(LoadError, match=r"can't be compared: ±\d\d\.\d ms")
            with joined(hosts, 1) as pool, far:
                pool.check(a_job(responder))
            proxy.terminate()


def test_a_workload_that_is_not_there_is_told(tmp_path):
    told = pytest.raises(LoadError, match="can't be imported")
    with joined_hosts(tmp_path) as (responder, *_, pool), told:
        pool.check(a_job(responder, "nowhere.to.Be"))


@pytest.mark.parametrize(
    ("source", "told"), [(None, "can't be imported there"), ("", "differs from the master's")]
)
def test_a_host_that_lacks_the_module_or_has_another_says_so(tmp_path, source, told):
    package, path = tmp_path / "own" / "tests" / "integration", f"{tmp_path}/own:{ROOT}"
    package.mkdir(parents=True)
    if source is not None:
        (package / "load_workloads.py").write_text(source)
    for folder in (package.parent, package):
        (folder / "__init__.py").touch()
    before = ("env", "-C", str(tmp_path), f"PYTHONPATH={path}")
    with joined_hosts(tmp_path, before=before) as (responder, _, worker, pool):
        with pytest.raises(LoadError, match=f"Load host .*{told}"):
            pool.check(a_job(responder))
        assert told in worker.words


def test_a_host_that_breaks_says_so(tmp_path):
    source = (
        "import locust, runpy; from benchsuite.load.hosts import wire; "
        "wire.module_digest = lambda path: {}['digest']; "
        "runpy.run_module('benchsuite.load.hosts.worker', run_name='__main__')"
    )
    program = (WORKER[0], "-c", source)
    with joined_hosts(tmp_path, program=program) as (responder, _, worker, pool):
        with pytest.raises(LoadError, match=r"Load host .*'digest'"):
            pool.check(a_job(responder))
        assert "Traceback" in worker.words


@pytest.mark.parametrize("number", audited([signal.SIGTERM, signal.SIGHUP], signal.SIGTERM))
def test_a_host_that_is_stopped_says_so(tmp_path, number):
    with joined_hosts(tmp_path) as (responder, _, worker, pool):
        worker.kill(number)
        assert worker.ended() == 130
        with pytest.raises(LoadError, match="left: it was stopped"):
            pool.check(a_job(responder))


def test_a_locustfile_is_sent(tmp_path):
    source = tmp_path / "mine.py"
    source.write_text(
        "from locust import HttpUser, task\n\n"
        "class Mine(HttpUser):\n    @task\n    def get(self):\n        self.client.get('/')\n"
    )
    with joined_hosts(tmp_path, {"/": after(0.01)}) as (responder, *_, pool):
        result, _ = load(pool, a_job(responder, locustfile=str(source), duration_s=1.2))
    assert result.requests() > 10


def test_a_host_may_open_a_file_for_each_user(tmp_path):
    few = ("sh", "-c", 'ulimit -Sn 100 && exec "$@"', "sh")
    with joined_hosts(tmp_path, {"/": after(0.01)}, before=few) as (responder, *_, pool):
        job = a_job(responder, users=150, think_time_s=0.5, duration_s=1.5)
        result, _ = load(pool, job)
    assert set(result.kinds("get")) == {Kind.OK}, result.names
    assert responder.connections > 150


def test_hosts_end_soon_after_their_master_was_killed_in_a_load(tmp_path):
    with joined_hosts(tmp_path, {"/": after(0.01)}) as (responder, hosts, worker, pool):
        pool.check(a_job(responder, duration_s=30.0))
        with pytest.raises(LoadError, match="was ended by SIGKILL"):
            pool.run(lambda tick: os.kill(pool.pids[0], signal.SIGKILL))
        assert worker.ended(5.0) == 1
    assert "is gone" in worker.words
    assert eventually(lambda: not hosts.left)
