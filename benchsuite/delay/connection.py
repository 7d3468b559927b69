"""One connection through the proxy: two endpoints and a pipe for each direction."""

import asyncio
from time import monotonic
from typing import Protocol

from benchsuite.delay.pipe import Endpoint, Pipe
from benchsuite.delay.timer import Timer


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
