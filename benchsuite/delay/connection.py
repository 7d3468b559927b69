"""One connection through the proxy: two endpoints and a pipe for each direction.

Its timers ring to some hundredths of a millisecond: with an event loop's own a page that asks its
database eight times would be late eight times.
"""

import asyncio
import heapq
import itertools
from collections.abc import Callable
from time import monotonic
from typing import Protocol

from benchsuite.delay.pipe import Endpoint, Pipe
from benchsuite.system.timers import TimerFd


class Timer:
    """One timerfd for any number of calls; after `close()` there are no more."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = TimerFd()
        self._loop = loop
        self._closed = False
        self._loop.add_reader(self._timer.file, self._ring)
        self._calls: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        """Keeps calls of one moment in order, and callables from being compared."""

    def at(self, moment: float, call: Callable[[], None]) -> None:
        """Calls at that moment of `time.monotonic()`, soon when it has passed."""
        if self._closed:  # a connection that was accepted just before the end
            return
        heapq.heappush(self._calls, (moment, next(self._numbers), call))
        if self._calls[0][0] == moment:
            self._timer.arm(moment)

    def close(self) -> None:
        self._closed = True
        self._loop.remove_reader(self._timer.file)
        self._timer.close()
        self._calls.clear()

    def _ring(self) -> None:
        self._timer.clear()
        calls = self._calls
        while calls and calls[0][0] <= monotonic():
            heapq.heappop(calls)[2]()
        if calls:
            self._timer.arm(calls[0][0])


class Owner(Protocol):
    """What all connections through one proxy share."""

    timer: Timer
    to_server_s: float
    to_client_s: float
    upstream: tuple[str, int]

    def tell(self, problem: str) -> None:
        """Writes a problem to the log, once."""

    def opened(self, connection: "Connection") -> None:
        """Registers a new connection."""

    def closed(self, connection: "Connection") -> None:
        """Removes an ended connection."""


def is_socket(host: str) -> bool:
    """Whether it is the path of a Unix socket, which has no port."""
    return host.startswith("/")


class Connection:
    """A client's connection, the one to the server, and the two pipes between them.

    In a network with these delays `connect()` returns after both, because the SYN is delayed by one
    and its reply by the other; the server accepts when the client's next packet arrives. Here the
    client's `connect()` has already returned, so nothing flows before that moment, and the proxy
    connects to the server when it would have accepted.
    """

    def __init__(self, owner: Owner) -> None:
        self.client = Endpoint(self._accepted)
        self._server = Endpoint(self._connected)
        self._owner = owner
        self._task: asyncio.Task[None] | None = None
        self._over = False

    def abort(self) -> None:
        """Resets both connections now."""
        self._finish()
        self.client.reset()
        self._server.reset()

    def _accepted(self) -> None:
        owner, client, server = self._owner, self.client, self._server
        owner.opened(self)
        made_at = monotonic() + owner.to_server_s + owner.to_client_s
        client.incoming = server.outgoing = Pipe(
            owner.timer,
            delay_s=owner.to_server_s,
            begins_at=made_at,
            source=client,
            sink=server,
            on_end=self._pipe_ended,
            on_reset=self.abort,
        )
        server.incoming = client.outgoing = Pipe(
            owner.timer,
            delay_s=owner.to_client_s,
            begins_at=0.0,
            source=server,
            sink=client,
            on_end=self._pipe_ended,
            on_reset=self.abort,
        )
        owner.timer.at(made_at + owner.to_server_s, self._connect)

    def _connect(self) -> None:
        if not self._over:
            self._task = asyncio.get_running_loop().create_task(self._reach())

    async def _reach(self) -> None:
        host, port = self._owner.upstream
        loop = asyncio.get_running_loop()
        try:
            if is_socket(host):
                await loop.create_unix_connection(lambda: self._server, host)
            else:
                await loop.create_connection(lambda: self._server, host, port)
        except OSError as error:
            self._owner.tell(f"{host}:{port} can't be reached: {error}")
            self.abort()

    def _connected(self) -> None:
        if self._over:
            self._server.reset()
        else:
            self._server.outgoing.flush()

    def _pipe_ended(self) -> None:
        if self.client.incoming.ended and self.client.outgoing.ended:
            self._finish()
            self.client.close()
            self._server.close()

    def _finish(self) -> None:
        self._over = True
        self._owner.closed(self)
