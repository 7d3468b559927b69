"""One direction of a connection: bytes, then maybe an end or a reset, each forwarded when due."""

import asyncio
import socket
import struct
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Protocol, cast

HELD_BYTES = 4 * 2**20
"""Bytes in transit in one direction of a connection before its sender has to wait."""

LINGER_0 = struct.pack("ii", 1, 0)  #: With this as SO_LINGER a socket is closed by a reset.


class Alarm(Protocol):
    def at(self, moment: float, call: Callable[[], None]) -> None: ...


class Endpoint(asyncio.Protocol):
    """The client's or the server's socket, where one pipe starts and one ends."""

    incoming: "Pipe"
    outgoing: "Pipe"

    def __init__(self, made: Callable[[], None]) -> None:
        self._transport: asyncio.Transport | None = None
        self._made = made

    @property
    def transport(self) -> asyncio.Transport | None:
        """None before the connection is made and once it is lost."""
        transport = self._transport
        return None if transport is None or transport.is_closing() else transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        connected: socket.socket = transport.get_extra_info("socket")
        if connected.family != socket.AF_UNIX:
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._made()

    def data_received(self, data: bytes) -> None:
        self.incoming.take(data)

    def eof_received(self) -> bool:
        self.incoming.take_end()
        return True  # the other direction goes on

    def pause_writing(self) -> None:
        self.outgoing.block()

    def resume_writing(self) -> None:
        self.outgoing.unblock()

    def connection_lost(self, exc: Exception | None) -> None:
        self.outgoing.forget()
        if exc is not None:
            self.incoming.take_reset()

    def close(self) -> None:
        """Closes once all data has been sent."""
        if self.transport is not None:
            self.transport.close()

    def reset(self) -> None:
        """Closes so that the other side sees a reset."""
        transport = self.transport
        if transport is not None:
            with suppress(OSError):  # it has just gone
                connected: socket.socket = transport.get_extra_info("socket")
                connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_0)
            transport.abort()


class Pipe:
    """Forwards from source to sink after the delay, in order."""

    def __init__(
        self,
        alarm: Alarm,
        *,
        delay_s: float,
        begins_at: float,
        source: Endpoint,
        sink: Endpoint,
        on_end: Callable[[], None],
        on_reset: Callable[[], None],
    ) -> None:
        """`on_end` is called once the end was forwarded, `on_reset` to forward a reset.

        Before `begins_at` nothing could have been sent, because the connection was not made.
        """
        self.ended = False  #: Whether the end has been forwarded.
        self._alarm = alarm
        self._delay_s = delay_s
        self._begins_at = begins_at
        self._source = source
        self._sink = sink
        self._on_end = on_end
        self._on_reset = on_reset
        self._queue: deque[tuple[float, Callable[[], None], int]] = deque()
        """When it is due, what to do, and its bytes."""
        self._held_bytes = 0
        self._paused = False  #: Whether the source has to wait.
        self._blocked = False  #: Whether the sink can't take more for now.
        self._awaits = False  #: Whether the alarm is set.
        self._lost = False  #: Whether the sink is lost.

    def take(self, data: bytes) -> None:
        sink = self._sink.transport
        if not self._delay_s and not self._queue and not self._blocked and sink is not None:
            sink.write(data)
            return
        self._put(lambda: self._write(data), len(data))
        if self._held_bytes > HELD_BYTES and not self._paused:
            self._paused = True
            if self._source.transport is not None:
                self._source.transport.pause_reading()

    def take_end(self) -> None:
        self._put(self._end, 0)

    def take_reset(self) -> None:
        self._put(self._on_reset, 0)

    def block(self) -> None:
        self._blocked = True

    def unblock(self) -> None:
        self._blocked = False
        self.flush()

    def forget(self) -> None:
        """Drops everything, because the sink is lost."""
        self._lost = True
        self._queue.clear()
        self._held_bytes = 0
        self._resume()

    def flush(self) -> None:
        """Forwards what is due; also to be called once the sink is connected."""
        queue = self._queue
        while queue and not self._blocked and self._sink.transport is not None:
            due, act, held_bytes = queue[0]
            if due > monotonic():
                self._await(due)
                break
            queue.popleft()
            self._held_bytes -= held_bytes
            act()
        if self._held_bytes <= HELD_BYTES // 2:
            self._resume()

    def _put(self, act: Callable[[], None], held_bytes: int) -> None:
        if self._lost:
            return
        due = max(monotonic(), self._begins_at) + self._delay_s
        self._queue.append((due, act, held_bytes))
        self._held_bytes += held_bytes
        if len(self._queue) == 1:
            self._await(due)

    def _await(self, due: float) -> None:
        if not self._awaits:
            self._awaits = True
            self._alarm.at(due, self._ring)

    def _ring(self) -> None:
        self._awaits = False
        self.flush()

    def _write(self, data: bytes) -> None:
        if self._sink.transport is not None:
            self._sink.transport.write(data)

    def _end(self) -> None:
        if self._sink.transport is not None:
            self._sink.transport.write_eof()
        self.ended = True
        self._on_end()

    def _resume(self) -> None:
        if self._paused:
            self._paused = False
            if self._source.transport is not None:
                self._source.transport.resume_reading()
