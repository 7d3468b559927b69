"""The second client: what it asks, when, and whether pages wait for acknowledgements."""

import socket
from typing import Any, ClassVar

import numpy as np
import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import LoadProfile
from benchsuite.stats.signs import Traffic
from benchsuite.telemetry.prober import answer, probes
from benchsuite.telemetry.prober.answer import NotAnswered, answers_as, ask
from benchsuite.telemetry.prober.client import HUNG, LOST, RIGHT, WRONG
from benchsuite.telemetry.prober.probes import Pacing
from benchsuite.workloads.base import Workload
from tests.golden import Golden
from tests.unit.findings.clean import summary


class Journey(Workload):
    name = "journey"
    calls: ClassVar[Any]

    def journey(self, client: Any) -> None:
        type(self).calls(client)


def made(call: Any) -> Workload:
    return type("Made", (Journey,), {"calls": staticmethod(call)})()


NOBODY = Traffic(np.empty(0), np.empty(0))

WRITTEN = """\
asked 1 1 0.9 0.95
ended 1 4.0 right
asked 2 1 1.0 1.1
asked 3 2 1.2 1.2
ended 2 0.2 right
asked 4 2 1.5 1.5
ended 3 0.1 lost
asked 5 3 1.9 2.2
asked 6 3 1.95 2.3
ended 6 0.1 wrong
asked 7 4 2.0 2.4
ended 7 3."""


def test_what_was_written(tmp_path):
    file = tmp_path / "seen"
    assert probes.read(file, 5.0) == []
    file.write_text(WRITTEN)
    made = probes.read(file, 5.0)
    assert [one.outcome for one in made] == [RIGHT, RIGHT, LOST, HUNG, HUNG, WRONG, HUNG]
    assert made[0] == probes.Probe(
        connection=1, due=0.9, late_s=pytest.approx(0.05), waited_s=4.0, outcome=RIGHT
    )
    assert made[-1].waited_s == pytest.approx(2.6), "it is still under way"


def test_the_window_takes_what_was_meant_for_it(tmp_path):
    file = tmp_path / "seen"
    file.write_text(WRITTEN)
    seen = probes.between(probes.read(file, 5.0), (1.0, 2.0), summary(), 4.0, NOBODY)
    assert (seen.sent, seen.answered, seen.hung, seen.lost) == (5, 1, 2, 1)
    assert [one.times_s for one in seen.connections] == [
        (0.2,),
        pytest.approx((0.1, 3.5)),
        pytest.approx((2.8,)),
    ]
    assert seen.lateness_s == pytest.approx(0.1)
    assert probes.between(probes.read(file, 5.0), (7.0, 8.0), summary(), None, NOBODY).sent == 0


def probe(connection: int, moment: int, outcome: str = RIGHT) -> probes.Probe:
    waited_s = 0.1 if outcome == RIGHT else 0.9
    return probes.Probe(
        connection=connection, due=float(moment), late_s=0.0, waited_s=waited_s, outcome=outcome
    )


RIGHT_answer = b"HTTP/1.1 200 OK\r\nx-benchsuite-RUN: \tmine \r\n\r\n"


class Peer:
    """Stands for a socket to a server that says these blocks and closes."""

    def __init__(self, *blocks: bytes) -> None:
        self.blocks = list(blocks)
        self.sent = b""
        self.closed = False

    def __enter__(self) -> "Peer":
        return self

    def __exit__(self, *_: object) -> None:
        self.closed = True

    def settimeout(self, seconds: float) -> None:
        assert 0 < seconds <= 2

    def sendall(self, request: bytes) -> None:
        self.sent += request

    def recv(self, size: int) -> bytes:
        return self.blocks.pop(0) if self.blocks else b""


@pytest.fixture
def says(monkeypatch):
    def say(*blocks: bytes) -> Peer:
        peer = Peer(*blocks)
        monkeypatch.setattr(answer.socket, "create_connection", lambda *_, **__: peer)
        return peer

    return say


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ((RIGHT_answer,), True),
        ((RIGHT_answer.replace(b"\r\n", b"\n"),), True),
        (tuple(RIGHT_answer[place : place + 1] for place in range(len(RIGHT_answer))), True),
        ((b"HTTP/1.1 100 Continue\r\n\r\n", RIGHT_answer), True),
        ((b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + RIGHT_answer,), True),
        ((RIGHT_answer.replace(b"200 OK", b"500"),), True),
        ((RIGHT_answer.replace(b"mine", b"theirs"),), False),
        ((RIGHT_answer.replace(b"mine", b""),), False),
        ((b"HTTP/1.1 200 OK\r\n\r\nX-Benchsuite-Run: mine\r\n\r\n",), False),
        ((RIGHT_answer[:-2],), False),
        ((b"SSH-2.0-OpenSSH_9.2\r\n\r\n" + RIGHT_answer,), False),
        ((), False),
    ],
)
def test_only_the_header_of_this_run_is_proof(says, blocks, *, expected):
    peer = says(*blocks)
    assert answers_as("http://127.0.0.1:8001/a/?b=c", "mine") is expected
    assert peer.sent.startswith(b"GET /a/?b=c HTTP/1.1\r\nHost: 127.0.0.1:8001\r\n")
    assert peer.closed


def test_the_path_is_asked_for_as_browsers_do(says):
    peer = says(RIGHT_answer)
    assert ask("http://127.0.0.1:8001/ü b", timeout_s=1.0).status == 200
    assert peer.sent.startswith(b"GET /%C3%BC%20b HTTP/1.1\r\n")
    with pytest.raises(UsageError, match="control character"):
        ask("http://127.0.0.1:8001/\x7f", timeout_s=1.0)


@pytest.mark.parametrize(
    "error", [ConnectionRefusedError(111, "Connection refused"), TimeoutError()]
)
def test_no_connection_is_no_answer(monkeypatch, error):
    def refuse(*_: object, **__: object) -> socket.socket:
        raise error

    monkeypatch.setattr(answer.socket, "create_connection", refuse)
    assert not answers_as("http://127.0.0.1:8001", "mine")
    with pytest.raises(NotAnswered, match=r"no connection to it: Connection refused|for 3 s"):
        ask("http://127.0.0.1:8001", timeout_s=3.0)


def paced(rate: float, p50_s: float = 0.01, seconds: int = 3, **load: Any) -> Pacing:
    """After so many seconds at this rate."""
    pacing = Pacing(LoadProfile(**load))
    for second in range(1, seconds + 1):
        pacing.told(float(second), int(rate * second), p50_s)
    return pacing


def test_it_follows_the_stages_of_a_load():
    pacing = paced(1000, seconds=10)
    assert pacing.pace.pause_s == pytest.approx(0.2)
    for second in range(11, 16):
        pacing.told(float(second), 10_000 + 20 * (second - 10), 0.01)
    assert pacing.pace.pause_s == pytest.approx(1.0)


def test_a_burst_of_slow_answers_is_no_rate():
    """Four users, three seconds an answer: they come four at a time."""
    pacing = Pacing(LoadProfile(users=4, duration_s=10.0))
    pauses = []
    for second in range(1, 13):
        pacing.told(float(second), second // 3 * 4, 3.0 if second % 3 == 0 else None)
        pauses.append(pacing.pace.pause_s)
    assert min(pauses[6:]) > 8.0


class Target:
    """Answers the first requests after so many seconds, by a clock of its own, then no more."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, answers: int, each_s: float) -> None:
        self.now = 1000.0
        self.asked = 0
        self._answers, self._each_s = answers, each_s
        monkeypatch.setattr(probes, "monotonic", lambda: self.now)
        monkeypatch.setattr(probes, "Client", lambda request: self)

    def ask(self, *, prompt: bool) -> str:
        self.asked += 1
        self.now += self._each_s
        return RIGHT if self.asked <= self._answers else LOST

    def close(self) -> None:
        """Nothing was opened."""


@pytest.mark.parametrize(
    ("answers", "each_s", "asked"),
    [(0, probes.LIMIT_S, 1), (3, 1.0, 4), (1000, 9.0, 2), (1000, 0.9, 12)],
)
def test_it_is_given_up_at_the_first_failure_and_at_the_limit(monkeypatch, answers, each_s, asked):
    target = Target(monkeypatch, answers=answers, each_s=each_s)
    assert len(probes.stall({}).rounds) == asked // 12
    assert target.asked == asked


def test_a_page_that_never_waits_is_asked_in_a_few_rounds(monkeypatch):
    Target(monkeypatch, answers=1000, each_s=0.01)
    found = probes.stall({})
    assert (len(found.rounds), found.is_shown) == (probes.FEWEST_ROUNDS, False)


def test_values(golden: Golden) -> None:
    golden.values(raises=ValueError)
