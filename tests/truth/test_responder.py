"""The responder itself: it waits as programmed, logs what it does, and says when it can't."""

import http.client
import random
import socket
import subprocess
import sys
from time import monotonic

import numpy as np
import pytest

from benchmarks import ours, responder
from benchmarks.machine import own_cpus


@pytest.mark.parametrize(
    ("times", "shares"),
    [
        ("constant:1.5ms", {0.0015: 1.0}),
        ("bimodal:5ms,50ms,0.075", {0.005: 0.925, 0.05: 0.075}),
        ("none", {0.0: 1.0}),
    ],
)
def test_service_times_come_in_their_exact_shares(times, shares):
    draw = responder.draws(times, seed=3)
    drawn = [draw() for _ in range(3 * responder.DECK)]
    assert {value: drawn.count(value) / len(drawn) for value in set(drawn)} == shares


def test_the_tail_is_that_of_pareto():
    draw = responder.draws("pareto:1ms,1.5,200ms", seed=3)
    drawn = np.array([draw() for _ in range(2 * responder.DECK)])
    for percent in (50, 90, 99):
        expected = 0.001 * (1 - percent / 100) ** (-1 / 1.5)
        assert np.percentile(drawn, percent) == pytest.approx(expected, rel=0.05)
    assert drawn.max() <= 0.2


def test_a_seed_gives_the_same_times_again():
    def first(seed):
        draw = responder.draws("pareto:1ms,1.5,200ms", seed)
        return [draw() for _ in range(100)]

    assert first(1) == first(1) != first(2)


@pytest.mark.parametrize("times", ["", "constant", "constant:5", "bimodal:1ms,2ms", "none:1ms"])
def test_what_is_no_programmed_time_is_refused(times):
    with pytest.raises(ValueError, match=r"write|could not"):
        responder.draws(times, seed=0)


def test_it_answers_with_the_header_of_the_run_and_logs_every_answer(tmp_path):
    with ours.responding("constant:20ms", tmp_path, cpu=own_cpus()[1]) as target:
        connection = http.client.HTTPConnection("127.0.0.1", target.port, timeout=10)
        asked, answered = [], []
        for _ in range(5):
            asked.append(monotonic())
            connection.request("GET", "/")
            answer = connection.getresponse()
            assert (answer.read(), answer.getheader(responder.RUN_HEADER)) == (b"OK", target.token)
            answered.append(monotonic())
        connection.close()
    read, written, programmed = target.times().T
    assert len(read) == 5
    assert (programmed == 0.02).all()
    assert (written - read >= programmed).all()
    assert (asked < read).all()
    assert (read < answered).all()


def test_requests_that_come_together_are_answered_one_after_the_other(tmp_path):
    received = b""
    with (
        ours.responding("constant:5ms", tmp_path, cpu=own_cpus()[1]) as target,
        socket.create_connection(("127.0.0.1", target.port), timeout=10) as connection,
    ):
        connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n" * 3)
        while received.count(b"OK") < 2 * 3:  # "200 OK" and the body
            received += connection.recv(4096)
    assert len(target.times()) == 3


def test_wrong_times_end_it_with_a_sentence(tmp_path):
    argv = [sys.executable, "-P", responder.__file__, "--port", "0", "--log", str(tmp_path / "log")]
    done = subprocess.run(
        [*argv, "--times", f"never:{random.random()}"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "is no programmed time; write constant:1.5ms" in done.stderr
