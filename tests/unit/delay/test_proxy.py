"""When what comes in at one end goes out at the other, with a clock and sockets of the test's."""

import asyncio
import socket
import struct
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from benchsuite.delay import proxy
from benchsuite.delay.proxy import HELD_BYTES, Connection, Endpoint


class Clock:
    """A clock that is set by hand, and the alarm that goes by it."""

    def __init__(self) -> None:
        self.now = 100.0
        self.calls: list[tuple[float, Callable[[], None]]] = []

    def at(self, moment: float, call: Callable[[], None]) -> None:
        self.calls.append((moment, call))

    def go_to(self, moment: float) -> None:
        self.now = moment
        due = [call for call in self.calls if call[0] <= moment]
        self.calls = [call for call in self.calls if call[0] > moment]
        for _, call in due:
            call()


class Transport:
    """Remembers what was done with it."""

    family = socket.AF_INET

    def __init__(self) -> None:
        self.done: list[object] = []
        self.options: list[tuple[int, int, object]] = []
        self.closing = False

    def is_closing(self) -> bool:
        return self.closing

    def get_extra_info(self, name: str) -> "Transport":
        assert name == "socket"
        return self

    def setsockopt(self, level: int, name: int, value: object) -> None:
        self.options.append((level, name, value))

    def write(self, data: bytes) -> None:
        self.done.append(data)

    def write_eof(self) -> None:
        self.done.append("end")

    def pause_reading(self) -> None:
        self.done.append("pause")

    def resume_reading(self) -> None:
        self.done.append("resume")

    def abort(self) -> None:
        self.done.append("abort")
        self.closing = True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    one = Clock()
    monkeypatch.setattr(proxy, "monotonic", lambda: one.now)
    return one


class Line:
    """A sender and a receiver with their sockets, and what was told of their connection."""

    def __init__(
        self,
        clock: Clock,
        delay_s: float = 0.1,
        *,
        begins_at: float = 0.0,
        connected: bool = True,
    ) -> None:
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

    def connect(self) -> None:
        self.sink.connection_made(cast(asyncio.Transport, self.receiver))
        self.sink.flush()

    @property
    def received(self) -> list[object]:
        return self.receiver.done


def test_each_piece_is_late_by_itself(clock: Clock) -> None:
    line = Line(clock)
    line.source.data_received(b"one")
    clock.go_to(100.06)
    line.source.data_received(b"two")
    clock.go_to(100.0999)
    assert line.received == []
    clock.go_to(100.1)
    assert line.received == [b"one"]
    clock.go_to(100.16)
    assert line.received == [b"one", b"two"]


def test_nothing_is_late_without_a_delay(clock: Clock) -> None:
    line = Line(clock, 0.0)
    line.source.data_received(b"one")
    assert line.received == [b"one"]
    assert clock.calls == []


def test_counts_from_when_the_connection_would_have_been_made(clock: Clock) -> None:
    line = Line(clock, begins_at=100.1, connected=False)
    line.source.data_received(b"one")
    clock.go_to(100.19)
    line.connect()
    assert line.received == []
    clock.go_to(100.2)
    assert line.received == [b"one"]


def test_the_server_is_reached_when_it_would_have_accepted(clock: Clock) -> None:
    """The SYN, its reply, and the client's next packet."""
    owner: Any = SimpleNamespace(timer=clock, to_server_s=0.1, to_client_s=0.03, connections=set())
    Connection(owner).client.connection_made(cast(asyncio.Transport, Transport()))
    ((moment, _),) = clock.calls
    assert moment == pytest.approx(100.0 + 0.1 + 0.03 + 0.1)


def test_waits_for_the_sink(clock: Clock) -> None:
    line = Line(clock, connected=False)
    line.source.data_received(b"one")
    line.source.eof_received()
    clock.go_to(101.0)
    assert line.received == []
    line.connect()
    assert line.received == [b"one", "end"]


def test_without_a_delay_nothing_overtakes_what_waits_for_the_sink(clock: Clock) -> None:
    line = Line(clock, 0.0, connected=False)
    line.source.data_received(b"one")
    line.connect()
    line.source.data_received(b"two")
    assert line.received == [b"one", b"two"]


def test_end_comes_after_the_bytes_and_leaves_the_other_direction(clock: Clock) -> None:
    line = Line(clock)
    line.source.data_received(b"one")
    clock.go_to(100.05)
    assert line.source.eof_received() is True, "asyncio would close the connection"
    clock.go_to(100.1)
    assert line.received == [b"one"]
    assert not line.sink.ended
    clock.go_to(100.15)
    assert line.received == [b"one", "end"]
    assert line.sink.ended
    assert line.heard == ["end"]


def test_reset_comes_after_the_bytes(clock: Clock) -> None:
    line = Line(clock)
    line.source.data_received(b"one")
    line.source.connection_lost(ConnectionResetError())
    assert line.heard == []
    clock.go_to(100.1)
    assert line.received == [b"one"]
    assert line.heard == ["reset"]


def test_what_was_closed_by_us_is_no_reset(clock: Clock) -> None:
    line = Line(clock)
    line.source.connection_lost(None)
    clock.go_to(101.0)
    assert line.heard == []


def test_sender_waits_while_too_much_is_under_way(clock: Clock) -> None:
    line = Line(clock)
    half = bytes(HELD_BYTES // 2)
    line.source.data_received(half)
    clock.go_to(100.05)
    line.source.data_received(half)
    assert line.sender.done == []
    line.source.data_received(b"x")
    line.source.data_received(b"y")
    assert line.sender.done == ["pause"]
    clock.go_to(100.1)
    assert line.sender.done == ["pause"], "more than half of it is still under way"
    clock.go_to(100.15)
    assert line.sender.done == ["pause", "resume"]
    assert line.received == [half, half, b"x", b"y"]


def test_slow_receiver_is_waited_for(clock: Clock) -> None:
    line = Line(clock, 0.0)
    line.sink.pause_writing()
    line.source.data_received(b"one")
    line.source.data_received(bytes(HELD_BYTES))
    assert line.received == []
    assert line.sender.done == ["pause"]
    line.sink.resume_writing()
    assert line.received == [b"one", bytes(HELD_BYTES)]
    assert line.sender.done == ["pause", "resume"]


def test_lost_receiver_holds_nothing(clock: Clock) -> None:
    line = Line(clock)
    line.source.data_received(bytes(HELD_BYTES + 1))
    line.sink.connection_lost(None)
    assert line.sender.done == ["pause", "resume"]
    line.source.data_received(bytes(HELD_BYTES + 1))
    clock.go_to(101.0)
    assert line.sender.done == ["pause", "resume"]
    assert line.received == []


def test_reset_is_made_by_not_lingering(clock: Clock) -> None:
    line = Line(clock)
    line.sink.reset()
    line.sink.reset()
    linger: Any = line.receiver.options[-1][2]
    assert struct.unpack("ii", linger) == (1, 0)
    assert line.received == ["abort"]
