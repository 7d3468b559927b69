"""What a connection sends, when the kernel takes it and when it doesn't."""

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from benchsuite.load.client.websocket.transport import Outbox

DATA = bytes(range(256)) * 4096


class Watcher:
    """Stands for one of libev's."""

    def __init__(self) -> None:
        self.callback: Callable[[], None] | None = None
        self.closed = False

    def start(self, callback: Callable[[], None]) -> None:
        assert self.callback is None
        self.callback = callback

    def stop(self) -> None:
        self.callback = None

    def close(self) -> None:
        self.closed = True


class Loop:
    def __init__(self) -> None:
        self.watcher = Watcher()

    def io(self, file: int, events: int) -> Watcher:
        return self.watcher


class Ends:
    """Both ends of a connection that holds little."""

    def __init__(self) -> None:
        self.ours, self.theirs = socket.socketpair()
        self.ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        self.ours.setblocking(False)
        self.theirs.setblocking(False)
        self.watcher = (loop := Loop()).watcher
        self.outbox = Outbox(self.ours, loop)

    def heard(self) -> bytes:
        try:
            return self.theirs.recv(2**20)
        except BlockingIOError:
            return b""

    def heard_to_the_end(self) -> bytes:
        """Reads while the outbox, woken as the hub would wake it, has something to say."""
        said = bytearray()
        while self.watcher.callback is not None:
            said += self.heard()
            self.watcher.callback()
        while more := self.heard():
            said += more
        return bytes(said)


@pytest.fixture
def ends() -> Iterator[Ends]:
    both: Any = Ends()
    with both.ours, both.theirs:
        yield both


def test_what_the_kernel_takes_is_sent_at_once(ends: Ends) -> None:
    ends.outbox.send(b"hello")
    assert ends.watcher.callback is None
    assert ends.heard() == b"hello"


def test_what_it_does_not_take_follows_in_order(ends: Ends) -> None:
    ends.outbox.send(DATA)
    assert ends.watcher.callback is not None
    ends.outbox.send(b"the next")
    assert ends.heard_to_the_end() == DATA + b"the next"
    ends.outbox.send(b"and at once again")
    assert ends.heard() == b"and at once again"


def test_a_call_too_many_sends_nothing_twice(ends: Ends) -> None:
    ends.outbox.send(DATA)
    for _ in range(3):
        assert ends.watcher.callback is not None
        ends.watcher.callback()
    assert ends.heard_to_the_end() == DATA


def test_a_connection_that_dies_takes_the_rest_with_it(ends: Ends) -> None:
    ends.outbox.send(DATA)
    ends.theirs.close()
    assert ends.watcher.callback is not None
    ends.watcher.callback()
    assert ends.watcher.callback is None, "the loop would call it for ever"
    ends.outbox.send(b"to nobody")
    assert ends.watcher.callback is None


def test_closed_it_goes_on_with_nothing(ends: Ends) -> None:
    ends.outbox.send(DATA)
    ends.outbox.close()
    assert ends.watcher.callback is None
    assert ends.watcher.closed
