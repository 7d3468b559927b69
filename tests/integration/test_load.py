"""The load process against a responder that knows what it has seen."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack, contextmanager

import numpy as np
import psutil
import pytest

from benchsuite.core.exceptions import AnswerError, LoadError
from benchsuite.core.samples import Kind
from benchsuite.load.job import stage_windows
from benchsuite.load.parent.driver import load_pool
from tests.integration import stubs_http
from tests.integration.loads import a_job, load, served
from tests.integration.stubs_http import Responder, after, answer, closing, every, ok

CHECKED = 1  #: The checked journey asks once, and is not in the samples.


@contextmanager
def loading(tmp_path):
    """A load process beside what it loads."""
    with (
        Responder({"/": after(0.01)}) as responder,
        load_pool(1, spool=tmp_path, log=tmp_path / "log") as pool,
    ):
        yield responder, pool


def test_every_request_is_a_sample(tmp_path):
    result, responder = served(tmp_path, {"/": after(0.005)})
    requests = result.of("GET /")
    assert len(requests) == responder.seen["/"] - CHECKED > 20
    assert result.kinds("GET /") == {Kind.OK: len(requests)}
    assert result.kinds("get") == {Kind.OK: len(requests)}
    times = requests["finish"] - requests["start"]
    assert times.min() >= 0.005
    assert (requests["start"] == requests["intended_start"]).all()
    assert (requests["body_bytes"] == 2).all()
    assert set(requests["user"]) == {0, 1}
    assert responder.connections == 2 + CHECKED
    journeys = result.of("get")
    assert (journeys["finish"] >= requests["finish"].min()).all()
    assert {(entry.name, entry.scope) for entry in result.names} == {
        ("get", "journey"),
        ("GET /", "request"),
    }


@pytest.mark.alone
def test_the_window_begins_after_ramp_and_warm_up(tmp_path):
    result, _ = served(tmp_path, {"/": after(0.002)}, users=4, warmup_s=0.5, duration_s=1.7)
    done = result.done
    assert done.window == (pytest.approx(done.origin + 0.5), pytest.approx(done.origin + 2.2))
    assert not done.stopped
    samples = result.of("GET /")
    assert samples["start"].min() >= done.origin
    assert samples["start"].max() < done.window[1] + 0.1
    assert len(set(samples["user"])) == 4
    assert [tick.users for tick in result.ticks][-1] == 4
    assert result.ticks[-1].requests <= len(samples)
    assert result.ticks[1].rate > 0
    assert result.ticks[1].p95_s >= 0.002
    assert result.ticks[1].failures == 0
    assert len(done.users) == len(result.ticks)
    assert 0 < done.cpu_percent < 150
    assert 0 <= done.lag_p99_s < 1


def test_the_users_start_at_the_spawn_rate(tmp_path):
    result, _ = served(tmp_path, {"/": after(0.01)}, users=3, spawn_rate=2, duration_s=0.3)
    samples = result.of("GET /")
    begins = sorted(samples["start"][samples["user"] == user].min() for user in range(3))
    assert 0.9 < begins[-1] - begins[0] < 5
    assert result.done.window[0] == pytest.approx(result.done.origin + 1.5)


def test_one_answer_in_twenty_is_an_error(tmp_path):
    failing = every(20, lambda request: answer(b"broken", status=500), ok)
    result, responder = served(tmp_path, {"/": failing}, "Lenient")
    seen = responder.seen["/"]
    assert result.kinds("GET /") == {
        Kind.OK: seen - seen // 20 - CHECKED,
        Kind.HTTP_STATUS: seen // 20,
    }
    assert result.kinds("lenient")[Kind.HTTP_STATUS] == seen // 20
    assert result.example("GET /", Kind.HTTP_STATUS) == "status 500"


def test_a_wrong_body_is_a_failure_of_its_request(tmp_path):
    result, responder = served(tmp_path, {"/": every(3, lambda request: answer(b"KO"))})
    seen = responder.seen["/"]
    assert result.kinds("GET /")[Kind.WRONG_BODY] == seen // 3
    assert result.kinds("get")[Kind.WRONG_BODY] == seen // 3
    assert "b'KO'" in result.example("GET /", Kind.WRONG_BODY)


def test_an_answer_that_takes_too_long_is_a_read_timeout(tmp_path):
    result, responder = served(
        tmp_path, {"/slow": after(1.0)}, "CheckedOnce", path="/slow", timeout_s=0.2, duration_s=0.5
    )
    samples = result.of("GET /slow")
    assert result.kinds("GET /slow") == {Kind.READ_TIMEOUT: responder.seen["/slow"]}
    times = samples["finish"] - samples["start"]
    assert times.min() >= 0.2
    assert np.median(times) < 0.9, "it waited for the answer"
    assert "0.2 s" in result.example("GET /slow", Kind.READ_TIMEOUT)


def test_a_refused_connection_is_told_and_does_not_spin(tmp_path):
    with loading(tmp_path) as (responder, pool):
        pool.check(a_job(responder, duration_s=1.0))
        responder.stop()
        done = pool.run(lambda tick: None)
        samples, names = pool.samples()
    requests = samples[samples["name"] == 1]
    assert set(requests["kind"]) == {Kind.CONNECT_REFUSED}
    assert 4 <= len(requests) <= 2 * 11
    assert done.cpu_percent < 50
    assert names[1].examples[Kind.CONNECT_REFUSED] == "the connection was refused"


def test_a_connection_that_is_never_accepted_is_a_connect_timeout(tmp_path):
    with loading(tmp_path) as (responder, pool):
        pool.check(a_job(responder, timeout_s=0.6, keep_alive=False))
        responder.stop()
        with full_backlog(responder.port):
            pool.run(lambda tick: None)
        samples, _ = pool.samples()
    kinds = samples[samples["name"] == 1]["kind"]
    assert Kind.CONNECT_TIMEOUT in set(kinds)


FOREIGN = "without the header of this run"
ANOTHER = {"X-Benchsuite-Run": "another"}
FAILING = [
    (closing(), Kind.RESET, "closed before the answer"),
    (closing(reset=True), Kind.RESET, "before the answer"),
    (closing(answer(b"x" * 100)[:-50]), Kind.TRUNCATED, "in the middle of the answer"),
    (closing(b"HTTP/1.1 200 O"), Kind.TRUNCATED, "in the middle of the answer"),
    (closing(b"HTTP/1.1 100 Continue\r\n\r\n"), Kind.TRUNCATED, "in the middle of the answer"),
    (closing(b"SSH-2.0-OpenSSH_9.2\r\n"), Kind.PROTOCOL, "not HTTP"),
    (lambda request: answer(headers={}), Kind.WRONG_RESPONDER, FOREIGN),
    (lambda request: answer(status=404, headers=ANOTHER), Kind.WRONG_RESPONDER, FOREIGN),
    (lambda request: answer(status=502, headers={}), Kind.HTTP_STATUS, "status 502"),
]


def test_failures_are_told_apart(tmp_path):
    """Each is met by one user, on a connection of his own."""
    behaviours = {f"/{at}": behave for at, (behave, *_) in enumerate(FAILING)}
    work = {"path": " ".join(behaviours), "users": len(FAILING), "iterations": 1}
    result, responder = served(tmp_path, behaviours, "InTurn", duration_s=20.0, **work)
    for path, (_, kind, words) in zip(behaviours, FAILING, strict=True):
        assert result.kinds(f"GET {path}") == {kind: responder.seen[path]}
        assert words in result.example(f"GET {path}", kind)
    assert result.kinds("in-turn") == Counter(kind for _, kind, _ in FAILING)


def third(request):
    """Two requests on each connection are answered; it is closed, without a word, at the third."""
    return None if request.on_connection == 3 else answer()


@pytest.mark.parametrize(
    ("reset", "changes"),
    [
        (False, {"keep_alive": True}),
        (False, {"keep_alive": False}),
        (True, {"think_time_s": 0.06, "duration_s": 1.5}),
    ],
    ids=["kept", "not kept", "reset"],
)
def test_a_dropped_request_is_a_failure(tmp_path, reset, changes):
    """No connection has rested, or who resets it had the request, unread."""
    result, responder = served(tmp_path, {"/": every(3, closing(reset=reset))}, **changes)
    kinds = result.kinds("GET /")
    assert sum(kinds.values()) == responder.seen["/"] - CHECKED, "nothing was sent twice"
    assert kinds[Kind.RESET] == pytest.approx(responder.seen["/"] / 3, abs=1)
    assert len(result.of("resent")) == 0


@pytest.mark.alone
def test_on_a_connection_that_has_rested_it_is_sent_once_more_and_told(tmp_path):
    result, responder = served(tmp_path, {"/": third}, think_time_s=0.06, duration_s=1.5)
    samples = result.of("GET /")
    assert result.kinds("GET /") == {Kind.OK: len(samples)}
    again = result.of("resent")
    assert len(again) == responder.seen["/"] - CHECKED - len(samples)
    assert len(again) == pytest.approx(len(samples) / 2, abs=8)


@pytest.mark.alone
def test_a_server_that_closes_idle_connections_makes_no_failure(tmp_path):
    with Responder(idle_s=0.05) as responder:
        result = load(tmp_path, a_job(responder, think_time_s=0.15, duration_s=1.5))
    assert result.kinds("GET /") == {Kind.OK: responder.seen["/"] - CHECKED}
    assert responder.connections > len(result.of("GET /")) / 2, "it did close them"
    assert len(result.of("resent")) == 0


def test_a_post_is_not_sent_twice(tmp_path):
    result, responder = served(tmp_path, {"/save": closing()}, "PostOnce", path="/save")
    assert result.kinds("POST /save") == {Kind.RESET: responder.seen["/save"]}


@pytest.mark.alone
def test_a_post_survives_a_connection_that_was_closed_before_it(tmp_path):
    def slow_close(request):
        raise stubs_http.Close(answer())

    result, responder = served(
        tmp_path, {"/": slow_close, "/save": ok}, "PauseAndPost", path="/save"
    )
    checked = 2  # a journey that sends something
    assert result.kinds("POST /save") == {Kind.OK: responder.seen["/save"] - checked}


def test_a_late_close_of_a_used_connection_is_a_failure(tmp_path):
    """A process that is killed over a request must not be hidden by asking again."""
    dying = after(0.6, closing())
    result, responder = served(tmp_path, {"/bad": dying}, "GetTwice", path="/bad", duration_s=1.0)
    assert result.kinds("GET /bad") == {Kind.RESET: responder.seen["/bad"]}


def test_without_keep_alive_each_request_has_its_connection(tmp_path):
    result, responder = served(tmp_path, keep_alive=False)
    assert responder.connections == responder.seen["/"] == len(result.of("GET /")) + CHECKED
    assert responder.requests[0].headers["connection"] == "close"


def test_a_client_can_do_what_a_journey_needs(tmp_path):
    result, responder = served(tmp_path, stubs_http.EVERYTHING, "Everything")
    assert set(result.kinds("everything")) == {Kind.OK}
    # the check is a journey too, made twice because it sends forms; one that the end cuts off
    # leaves its requests but no journey
    asked = sum(responder.seen.values())
    once = 12 * 2
    assert asked == result.requests() + once
    assert "sign in" in [entry.name for entry in result.names]
    assert "GET /landing" in [entry.name for entry in result.names]


def test_cookies_of_prepare_are_sent_by_every_user(tmp_path):
    _, responder = served(tmp_path, cookies={"sessionid": "s3"}, duration_s=0.1)
    assert {request.headers["cookie"] for request in responder.requests} == {"sessionid=s3"}


def test_the_drain_waits_for_what_the_window_started(tmp_path):
    result, responder = served(
        tmp_path, {"/slow": after(1.0)}, "CheckedOnce", path="/slow", duration_s=0.4
    )
    samples = result.of("GET /slow")
    assert result.kinds("GET /slow") == {Kind.OK: 2}
    assert responder.seen["/slow"] == 2
    assert (samples["finish"] > result.done.window[1]).all()


def test_what_the_drain_does_not_see_end_is_unfinished(tmp_path):
    started = time.monotonic()
    times = {"duration_s": 0.4, "drain_s": 0.3}
    result, _ = served(tmp_path, {"/slow": after(2.0)}, "CheckedOnce", path="/slow", **times)
    assert time.monotonic() - started < 2.0 + 5.0
    samples = result.of("GET /slow")
    assert result.kinds("GET /slow") == {Kind.UNFINISHED: 2}
    assert (samples["finish"] - samples["start"] >= 0.6).all()
    assert (samples["start"] < result.done.window[1]).all()
    assert (samples["finish"] >= result.done.window[1] + 0.3).all()


def test_a_stopped_load_drains_and_says_so(tmp_path):
    result, responder = served(tmp_path, {"/": after(0.01)}, duration_s=60.0, stop_at=1.0)
    done = result.done
    assert done.stopped
    assert 1.0 <= done.window[1] - done.window[0] < 10.0
    assert len(result.of("GET /")) == responder.seen["/"] - CHECKED


def test_a_load_stopped_before_its_window_has_an_empty_one(tmp_path):
    result, _ = served(
        tmp_path, {"/": after(0.01)}, warmup_s=60.0, users=50, spawn_rate=5, stop_at=0.0
    )
    done = result.done
    assert done.stopped
    assert done.window[0] == done.window[1] < done.origin + 30
    assert done.cpu_percent is None


def test_thinking_users_end_at_once(tmp_path):
    result, responder = served(tmp_path, think_time_s=30.0, users=5, spawn_rate=1000)
    assert len(result.of("GET /")) == 5
    assert responder.seen["/"] == 5 + CHECKED
    # the tick of a drain would be there had it waited
    assert result.done.users[-1][0] < result.done.window[1] + 5


def test_users_who_rested_in_a_lower_stage_do_not_come_back_at_once(tmp_path):
    """They would ask a target for more than users and their pauses allow."""
    stages = {"users": 40, "stages": (40, 1, 40), "think_time_s": 2.0, "duration_s": 1.0}
    result, _ = served(tmp_path, **stages)
    begin, _ = stage_windows(result.job.load, result.done)[2]
    starts = result.of("GET /")["start"]
    assert 1 <= ((starts >= begin) & (starts < begin + 0.2)).sum() <= 10


def test_a_journey_cut_off_by_the_end_leaves_its_requests_only(tmp_path):
    result, responder = served(tmp_path, None, "Long", users=5)
    journeys = result.of("long")
    assert result.kinds("long") == {Kind.OK: len(journeys)}
    assert result.requests() == responder.seen["/"] - 3
    assert 3 * len(journeys) <= result.requests() <= 3 * len(journeys) + 3 * 5


def test_a_broken_journey_neither_kills_its_user_nor_spins(tmp_path):
    result, _ = served(tmp_path, None, "Broken", duration_s=0.5)
    count = len(result.of("broken"))
    assert 4 <= count <= 2 * 6
    assert result.kinds("broken") == {Kind.JOURNEY_ERROR: count}
    assert result.kinds("GET /") == {Kind.OK: count}
    example = result.example("broken", Kind.JOURNEY_ERROR)
    assert example.startswith("KeyError: 'missing' (")
    assert "load_workloads.py:" in example


@pytest.mark.parametrize(
    ("workload", "status", "error", "words"),
    [
        ("Complaining", 200, AnswerError, "expected three rows"),
        ("Idle", 200, AnswerError, "makes no request"),
        ("Lenient", 503, AnswerError, "answered 503"),  # also when the journey does not look
        ("Missing", 200, LoadError, r"can't import .*\.Missing"),
    ],
)
def test_a_journey_that_can_not_be_made_is_refused(workload, status, error, words, tmp_path):
    with pytest.raises(error, match=words):
        served(tmp_path, {"/": lambda request: answer(status=status)}, workload)


def test_a_load_process_that_dies_is_an_error_with_its_log(tmp_path):
    with loading(tmp_path) as (responder, pool):
        pool.check(a_job(responder, duration_s=30.0))
        (tmp_path / "log").write_text("out of memory\n")
        os.kill(pool.pids[0], signal.SIGKILL)
        with pytest.raises(LoadError, match="out of memory"):
            pool.run(lambda tick: None)


def test_a_load_process_that_hangs_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr("benchsuite.load.parent.driver.MARGIN_S", 0.5)
    with loading(tmp_path) as (responder, pool):
        pool.check(a_job(responder, "Spinning", duration_s=0.2, timeout_s=0.2))
        with pytest.raises(LoadError, match=r"was not done 0\.5 s after its time"):
            pool.run(lambda tick: None)
    assert not psutil.pid_exists(pool.pids[0])


def test_an_interrupted_wait_can_be_taken_up_again(tmp_path):
    def interrupt(tick):
        raise KeyboardInterrupt

    with loading(tmp_path) as (responder, pool):
        pool.check(a_job(responder, duration_s=60.0))
        with pytest.raises(KeyboardInterrupt):
            pool.run(interrupt)
        pool.stop()
        done = pool.wait(lambda tick: None)
    assert done.stopped


@pytest.mark.parametrize("workload", ["Get", "Spinning"])
def test_the_load_process_does_not_outlive_a_killed_parent(tmp_path, workload):
    with Responder() as responder:
        code = f"""
import pathlib
from benchsuite.load.parent.driver import load_pool
from tests.integration.loads import a_job
folder = pathlib.Path({str(tmp_path)!r})
with load_pool(1, spool=folder, log=folder / "log") as pool:
    pool.check(a_job({responder.base_url!r}, {workload!r}, duration_s=60.0))
    print(*pool.pids, flush=True)
    pool.run(print)
"""
        parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        with parent.stdout:
            pid = int(parent.stdout.readline())
            deadline = time.monotonic() + 30
            while responder.seen["/"] < 2 and time.monotonic() < deadline:
                time.sleep(0.01)
            child = psutil.Process(pid)
            parent.kill()
            parent.wait()
            child.wait(timeout=10)


@contextmanager
def full_backlog(port):
    """Listens and never accepts, with a backlog that is full: further connections get no answer."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(0)
        for _ in range(4):
            client = stack.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", port))
        yield
