"""When what comes in at one end goes out at the other, with a clock and sockets of the test's."""

import asyncio
import os
import socket
from argparse import Namespace
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

from benchsuite.delay import proxy
from benchsuite.delay.proxy import Connection, Endpoint, Proxy


class Clock:
    """A clock that is set by hand, and the alarm that goes by it."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.now = 100.0
        self.calls: list[tuple[float, Callable[[], None]]] = []

    def at(self, moment, call):
        self.calls.append((moment, call))

    def go_to(self, moment):
        self.now = moment
        due = [call for call in self.calls if call[0] <= moment]
        self.calls = [call for call in self.calls if call[0] > moment]
        for _, call in due:
            call()


class Transport:
    """Remembers what was done with it."""

    family = socket.AF_INET

    def __init__(self):
        self.done: list[object] = []
        self.options: list[tuple[int, int, object]] = []
        self.closing = False
        self.write = self.done.append
        self.write_eof = partial(self.done.append, "end")
        self.pause_reading = partial(self.done.append, "pause")
        self.resume_reading = partial(self.done.append, "resume")

    def is_closing(self):
        return self.closing

    def get_extra_info(self, name):
        assert name == "socket"
        return self

    def setsockopt(self, level, name, value):
        self.options.append((level, name, value))

    def abort(self):
        self.done.append("abort")
        self.closing = True


clock = Clock()


class Line:
    """A sender and a receiver with their sockets, and what was told of their connection."""

    def __init__(self, clock, delay_s=0.1, *, begins_at=0.0, connected=True):
        self.heard: list[str] = []
        connection: Any = SimpleNamespace(
            timer=clock,
            made=lambda endpoint: None,
            end_forwarded=lambda: self.heard.append("end"),
            abort=lambda: self.heard.append("reset"),
        )
        self.source, self.sink = Endpoint(connection, 0.0), Endpoint(connection, delay_s)
        self.source.peer, self.sink.peer = self.sink, self.source
        self.sink.begins_at = begins_at
        self.sender, self.receiver = Transport(), Transport()
        self.source.connection_made(cast(asyncio.Transport, self.sender))
        if connected:
            self.connect()

    def connect(self):
        self.sink.connection_made(cast(asyncio.Transport, self.receiver))
        self.sink.flush()

    @property
    def received(self):
        """What reached the receiver; of long data the length."""
        done: list[Any] = self.receiver.done
        return [part if len(part) < 99 else len(part) for part in done]


def test_values(golden, monkeypatch):
    """Connections that are made, used, ended and reset."""
    monkeypatch.setattr(proxy, "monotonic", lambda: clock.now)
    golden.values()


def test_of_a_names_addresses_the_first_is_kept_that_takes_a_connection(monkeypatch, capsys):
    asked = []

    async def connect(loop, made, host, port):
        asked.append(host)
        if host != "127.0.0.1":
            raise ConnectionRefusedError("refused")

    monkeypatch.setattr(asyncio.BaseEventLoop, "create_connection", connect)
    for addresses in (["::1", "127.0.0.1"], ["::1"]):
        known = [(0, 0, 0, "", (one, 5432)) for one in addresses]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, known=known, **__: known)
        options = Namespace(upstream=("localhost", 5432), to_server=0.1, to_client=0.0)
        shared = Proxy(cast(Any, clock), options)
        for _ in range(2):
            asyncio.run(Connection(shared)._reach())
    assert asked == ["::1", "127.0.0.1", "127.0.0.1", "::1", "::1"]
    assert capsys.readouterr().err == "::1:5432 can't be reached: refused\n"


def test_an_end_that_nobody_takes_any_more_stops_no_others(monkeypatch):
    monkeypatch.setattr(proxy, "monotonic", lambda: clock.now)
    clock.reset()
    line = Line(clock)
    line.receiver.write_eof = lambda: os.close(-1)  # an OSError
    line.source.eof_received()
    clock.go_to(100.1)
    assert line.sink.ended
