"""What the probe takes for an answer of this run."""

import socket
from typing import Any

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.telemetry.prober import answer
from benchsuite.telemetry.prober.answer import NotAnswered, answers_as, ask

RIGHT = b"HTTP/1.1 200 OK\r\nx-benchsuite-RUN: \tmine \r\n\r\n"


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
def says(monkeypatch: pytest.MonkeyPatch) -> Any:
    def say(*blocks: bytes) -> Peer:
        peer = Peer(*blocks)
        monkeypatch.setattr(answer.socket, "create_connection", lambda *_, **__: peer)
        return peer

    return say


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ((RIGHT,), True),
        ((RIGHT.replace(b"\r\n", b"\n"),), True),
        (tuple(RIGHT[place : place + 1] for place in range(len(RIGHT))), True),
        ((b"HTTP/1.1 100 Continue\r\n\r\n", RIGHT), True),
        ((b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + RIGHT,), True),
        ((RIGHT.replace(b"200 OK", b"500"),), True),
        ((RIGHT.replace(b"mine", b"theirs"),), False),
        ((RIGHT.replace(b"mine", b""),), False),
        ((b"HTTP/1.1 200 OK\r\n\r\nX-Benchsuite-Run: mine\r\n\r\n",), False),
        ((RIGHT[:-2],), False),
        ((b"SSH-2.0-OpenSSH_9.2\r\n\r\n" + RIGHT,), False),
        ((), False),
    ],
)
def test_only_the_header_of_this_run_is_proof(
    says: Any, blocks: tuple[bytes, ...], *, expected: bool
) -> None:
    peer = says(*blocks)
    assert answers_as("http://127.0.0.1:8001/a/?b=c", "mine") is expected
    assert peer.sent.startswith(b"GET /a/?b=c HTTP/1.1\r\nHost: 127.0.0.1:8001\r\n")
    assert peer.closed


def test_the_path_is_asked_for_as_browsers_do(says: Any) -> None:
    peer = says(RIGHT)
    assert ask("http://127.0.0.1:8001/ü b", timeout_s=1.0).status == 200
    assert peer.sent.startswith(b"GET /%C3%BC%20b HTTP/1.1\r\n")
    with pytest.raises(UsageError, match="control character"):
        ask("http://127.0.0.1:8001/\x7f", timeout_s=1.0)


@pytest.mark.parametrize(
    "error", [ConnectionRefusedError(111, "Connection refused"), TimeoutError()]
)
def test_no_connection_is_no_answer(monkeypatch: pytest.MonkeyPatch, error: OSError) -> None:
    def refuse(*_: object, **__: object) -> socket.socket:
        raise error

    monkeypatch.setattr(answer.socket, "create_connection", refuse)
    assert not answers_as("http://127.0.0.1:8001", "mine")
    with pytest.raises(NotAnswered, match=r"no connection to it: Connection refused|for 3 s"):
        ask("http://127.0.0.1:8001", timeout_s=3.0)


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/", "127.0.0.1:8000", "http:///path"])
def test_what_is_no_url_is_a_mistake_of_the_caller(url: str) -> None:
    with pytest.raises(ValueError, match=r"wants http\(s\)://host:port/path"):
        answers_as(url, "mine")
