"""One connection through the proxy: the client's, the one to the server, and two ways between."""

import asyncio
from time import monotonic
from typing import Protocol

from benchsuite.delay.pipe import End, Way
from benchsuite.delay.timer import Timer


class Road(Protocol):
    """What all connections through one proxy have in common."""

    timer: Timer
    to_server_s: float
    to_client_s: float
    upstream: tuple[str, int]

    def tell(self, problem: str) -> None:
        """Writes a problem to the log, once."""

    def entered(self, link: "Link") -> None:
        """A connection has begun."""

    def left(self, link: "Link") -> None:
        """A connection is over."""


class Link:
    """A client's connection, the one to the server, and the two ways between them.

    In a network with these delays `connect()` returns after both, because the SYN is late by one
    and its answer by the other; the server accepts when the client's first packet after that has
    arrived. Here the client's `connect()` has returned already, so nothing flows before that
    moment, and the server is connected to when it would have accepted.
    """

    def __init__(self, road: Road) -> None:
        self.client = End(self._accepted)
        self._server = End(self._connected)
        self._road = road
        self._task: asyncio.Task[None] | None = None
        self._over = False

    def abort(self) -> None:
        """Ends both connections now, by resets."""
        self._finish()
        self.client.reset()
        self._server.reset()

    def _accepted(self) -> None:
        road, client, server = self._road, self.client, self._server
        road.entered(self)
        made_at = monotonic() + road.to_server_s + road.to_client_s
        client.incoming = server.outgoing = Way(
            road.timer,
            delay_s=road.to_server_s,
            begins_at=made_at,
            source=client,
            sink=server,
            on_end=self._way_ended,
            on_reset=self.abort,
        )
        server.incoming = client.outgoing = Way(
            road.timer,
            delay_s=road.to_client_s,
            begins_at=0.0,
            source=server,
            sink=client,
            on_end=self._way_ended,
            on_reset=self.abort,
        )
        road.timer.at(made_at + road.to_server_s, self._connect)

    def _connect(self) -> None:
        if not self._over:
            self._task = asyncio.get_running_loop().create_task(self._reach())

    async def _reach(self) -> None:
        host, port = self._road.upstream
        loop = asyncio.get_running_loop()
        try:
            await loop.create_connection(lambda: self._server, host, port)
        except OSError as error:
            self._road.tell(f"{host}:{port} can't be reached: {error}")
            self.abort()

    def _connected(self) -> None:
        if self._over:
            self._server.reset()
        else:
            self._server.outgoing.flush()

    def _way_ended(self) -> None:
        if self.client.incoming.ended and self.client.outgoing.ended:
            self._finish()
            self.client.close()
            self._server.close()

    def _finish(self) -> None:
        self._over = True
        self._road.left(self)
