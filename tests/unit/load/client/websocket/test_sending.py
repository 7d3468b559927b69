"""What a connection compresses, sends and keeps until it is taken."""

import socket
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from benchsuite.core.samples import Kind
from benchsuite.core.wording import Wording
from benchsuite.load.client import link
from benchsuite.load.client.target import Recorder
from benchsuite.load.client.websocket import socket as websocket
from benchsuite.load.client.websocket.records import Message
from benchsuite.load.client.websocket.socket import WebSocket
from benchsuite.load.client.websocket.sockets import Sockets
from benchsuite.load.client.websocket.wire import Inbox, Wire
from tests.unit.load.parent.test_driver import JOB


def message(number, size=0):
    return Message(f"{number}".encode().ljust(size), is_text=True, moment=float(number))


def filled(count, *, size=0, held=False):
    """An inbox after so many messages, and those that had to make room."""
    gone = []
    inbox = Inbox(gone.append)
    inbox.held = held
    for number in range(count):
        inbox.add(message(number, size))
    return inbox, gone


DATA = bytes(range(256)) * 4096


class Watcher:
    """Stands for one of libev's."""

    callback: Callable[[], None] | None = None
    closed = False

    def start(self, callback):
        assert self.callback is None
        self.callback = callback

    def stop(self):
        self.callback = None

    def close(self):
        self.closed = True


class Ends:
    """Both ends of a connection that holds little."""

    def __init__(self, monkeypatch):
        self.ours, self.theirs = socket.socketpair()
        self.ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        self.ours.setblocking(False)
        self.theirs.setblocking(False)
        self.watcher = Watcher()
        self.wire = a_wire(monkeypatch, {})
        self.wire._plain, self.wire._writable = self.ours, self.watcher

    def heard(self):
        try:
            return self.theirs.recv(2**20)
        except BlockingIOError:
            return b""

    def heard_to_the_end(self):
        """Reads while the connection, woken as the hub would wake it, has something to say."""
        said = bytearray()
        while self.watcher.callback is not None:
            said += self.heard()
            self.watcher.callback()
        while more := self.heard():
            said += more
        return bytes(said)


@pytest.fixture
def ends(monkeypatch):
    both = Ends(monkeypatch)
    with both.ours, both.theirs:
        yield both


def test_what_the_kernel_takes_is_sent_at_once(ends):
    ends.wire._send(b"hello")
    assert ends.watcher.callback is None
    assert ends.heard() == b"hello"


def test_what_it_does_not_take_follows_in_order(ends):
    ends.wire._send(DATA)
    assert ends.watcher.callback is not None
    ends.wire._send(b"the next")
    assert ends.heard_to_the_end() == DATA + b"the next"
    ends.wire._send(b"and at once again")
    assert ends.heard() == b"and at once again"


def test_a_call_too_many_sends_nothing_twice(ends):
    ends.wire._send(DATA)
    for _ in range(3):
        ends.watcher.callback()
    assert ends.heard_to_the_end() == DATA


def test_a_connection_that_dies_takes_the_rest_with_it(ends):
    ends.wire._send(DATA)
    ends.theirs.close()
    ends.watcher.callback()
    assert ends.watcher.callback is None, "the loop would call it for ever"
    ends.wire._send(b"to nobody")
    assert ends.watcher.callback is None


def test_closed_it_goes_on_with_nothing(ends):
    ends.wire._send(DATA)
    ends.wire.drop()
    assert ends.watcher.callback is None
    assert ends.watcher.closed


def test_a_journeys_header_takes_the_place_of_ours_in_any_case(monkeypatch):
    given = {}
    monkeypatch.setattr(websocket, "Wire", lambda *_, **options: given.update(options))
    owner = SimpleNamespace(
        target=SimpleNamespace(job=replace(JOB, run_header=""), dialect=None),
        wording=Wording("http://shop", {}, keep_alive=True),
        cookies=SimpleNamespace(header_line="Cookie: a=b\r\n"),
        sockets=SimpleNamespace(meant={}),
        recorder=Recorder(),
    )
    options = {"number": 1, "keep": False, "name": "", "subprotocols": (), "deflate": False}
    WebSocket(owner, "/ws/", headers={"origin": "https://other"}, **options)
    assert given["headers"] == {
        "User-Agent": "benchsuite",
        "Cookie": "a=b",
        "origin": "https://other",
    }


def a_wire(monkeypatch, headers):
    monkeypatch.setattr(link, "waiting", lambda: SimpleNamespace(deadlines={}))
    target = SimpleNamespace(context=None, host="shop", job=JOB)
    ignored = dict.fromkeys(("on_end", "on_gone", "on_overflow"), lambda *_: None)
    return Wire(target, "/ws/", headers=headers, subprotocols=(), deflate=False, **ignored)


def test_a_journeys_host_is_the_only_one(monkeypatch):
    sent = []
    monkeypatch.setattr(Wire, "_reach", lambda self: None)
    monkeypatch.setattr(Wire, "_until", lambda self, awaited: None)
    monkeypatch.setattr(Wire, "_send", lambda self, data=b"": sent.append(data))
    wire = a_wire(monkeypatch, {"host": "tenant.shop", "X-Team": "red"})
    answered = SimpleNamespace(status_code=101)
    wire._response = answered
    wire.open()
    lines = sent[0].decode().lower().split("\r\n")
    assert [line for line in lines if line.startswith("host:")] == ["host: tenant.shop"]
    assert "x-team: red" in lines


def shaken(monkeypatch, answer):
    """What is left of a handshake that gets this answer before the connection ends."""
    wire = a_wire(monkeypatch, {})
    wire._hear(answer)
    assert wire._response is None
    wire._hear_end("closed")
    return wire


def test_an_answer_without_a_length_ends_with_the_connection(monkeypatch):
    wire = shaken(monkeypatch, b"HTTP/1.1 403 Access denied\r\n\r\nno")  # as Daphne refuses
    assert (wire._response.status_code, wire.ending) == (403, None)
    wire = shaken(monkeypatch, b"HTTP/1.1 403 Access denied\r\nContent-Length: 3\r\n\r\nno")
    assert (wire._response, wire.ending and wire.ending.kind) == (None, Kind.RESET)


def test_values(golden):
    golden.values()


def test_nobody_waits_for_a_subscriber_that_ended_with_its_handshake():
    gone: Any = WebSocket.__new__(WebSocket)
    gone._subscription, gone._rest, gone._sockets = None, None, Sockets()
    gone._records = SimpleNamespace(name="/ws/", index=lambda *_: 0)
    gone._wire = SimpleNamespace(ending=Kind.RESET, inbox=[])
    assert not gone.subscribe().group.members
