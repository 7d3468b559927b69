"""The second client: what it asks, when, and whether pages wait for acknowledgements."""

import tempfile
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from benchsuite.core.specs import LoadProfile
from benchsuite.stats.signs import Traffic
from benchsuite.telemetry.prober import answer, probes
from benchsuite.telemetry.prober.answer import NotAnswered, Probe, ask
from benchsuite.telemetry.prober.probes import Pacing
from benchsuite.telemetry.prober.program import LOST, RIGHT
from benchsuite.workloads.base import Workload


class Journey(Workload):
    name = "journey"
    calls: ClassVar[Any]

    def journey(self, client):
        type(self).calls(client)


def made(call):
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


def probe(connection, moment, outcome=RIGHT):
    waited_s = 0.1 if outcome == RIGHT else 0.9
    return probes.Probe(
        connection=connection, due=float(moment), late_s=0.0, waited_s=waited_s, outcome=outcome
    )


def written(text, now=5.0):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "seen")
        if text:
            file.write_text(text)
        return probes.read(file, now)


def proves(*blocks, url="http://127.0.0.1:8001/a/?b=c"):
    """Whether a server that says this is the run's, and the begin of what it is asked."""
    peer = Peer(*blocks)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answer.socket, "create_connection", lambda *_, **__: peer)
        proof = Probe(url, "mine", timeout_s=2)()
    assert peer.closed or not peer.sent
    return proof, b"\r\n".join(peer.sent.split(b"\r\n")[:2])


def refused(error):
    def refuse(*_, **__):
        raise error

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answer.socket, "create_connection", refuse)
        assert not Probe("http://127.0.0.1:8001", "mine", timeout_s=2)()
        ask("http://127.0.0.1:8001", timeout_s=3.0)


RIGHT_answer = b"HTTP/1.1 200 OK\r\nx-benchsuite-RUN: \tmine \r\n\r\n"


class Peer:
    """Stands for a socket to a server that says these blocks and closes."""

    def __init__(self, *blocks):
        self.blocks = list(blocks)
        self.sent = b""
        self.closed = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.closed = True

    def settimeout(self, seconds):
        assert 0 < seconds <= 2

    def sendall(self, request):
        self.sent += request

    def recv(self, size):
        return self.blocks.pop(0) if self.blocks else b""


def paced(rate, p50_s=0.01, seconds=3, **load):
    """After so many seconds at this rate."""
    pacing = Pacing(LoadProfile(**load))
    for second in range(1, seconds + 1):
        pacing.tick(float(second), int(rate * second), p50_s)
    return pacing


class Target:
    """Answers the first requests after so many seconds, by a clock of its own, then no more."""

    def __init__(self, answers, each_s):
        self.now = 1000.0
        self.asked = 0
        self._answers, self._each_s = answers, each_s

    def stall(self):
        """How often it is asked, how many rounds there are, and whether they show a stall."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(probes, "monotonic", lambda: self.now)
            patch.setattr(probes, "Client", lambda request: self)
            found = probes.stall({})
        return self.asked, len(found.rounds), found.is_shown

    def ask(self, *, prompt):
        self.asked += 1
        self.now += self._each_s
        return RIGHT if self.asked <= self._answers else LOST

    def close(self):
        """Nothing was opened."""


def test_values(golden):
    golden.values(raises=(ValueError, NotAnswered))
