"""A proxy that delays what one side sends: a program of its own.

    python -m benchsuite.delay.proxy --to-server 0.1 127.0.0.1:5432

`--to-server` and `--to-client` are seconds, one way each. Once it listens it prints a line,
`listening on 127.0.0.1:40123 with asyncio`. SIGTERM ends it. It forwards any protocol: HTTP,
WebSockets, PostgreSQL. As with PostgreSQL's clients, a host that begins with a slash is a Unix
socket: `/run/redis.sock:0`. `benchsuite.delay.delayer` starts it.

Its timer rings to some hundredths of a millisecond: with an event loop's own a page that asks its
database eight times would be late eight times.
"""

import argparse
import asyncio
import gc
import heapq
import itertools
import resource
import signal
import socket
import struct
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from importlib import metadata
from time import monotonic
from typing import cast

from benchsuite.system.timers import TimerFd

BACKLOG = 4096
HELD_BYTES = 4 * 2**20
"""Bytes in transit in one direction of a connection before its sender has to wait."""
LINGER_0 = struct.pack("ii", 1, 0)  #: With this as SO_LINGER a socket is closed by a reset.


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


Act = Callable[[asyncio.Transport], None]  #: Forwards something to a socket that is connected.


class Endpoint(asyncio.Protocol):
    """The client's or the server's socket, and what is on its way there from its peer: bytes, then
    maybe an end or a reset, each forwarded in order when it is due.
    """

    peer: "Endpoint"
    begins_at = 0.0  #: Before that nothing could have been sent to it: there was no connection.

    def __init__(self, connection: "Connection", delay_s: float) -> None:
        self.ended = False  #: Whether the end has been forwarded to it.
        self._connection = connection
        self._delay_s = delay_s
        self._transport: asyncio.Transport | None = None
        self._queue: deque[tuple[float, Act, int]] = deque()
        """When it is due, what to do, and its bytes."""
        self._held_bytes = 0
        self._paused = False  #: Whether its peer has to wait.
        self._blocked = False  #: Whether it can't take more for now.
        self._lost = False

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
        self._connection.made(self)

    def data_received(self, data: bytes) -> None:
        self.peer.take(data)

    def eof_received(self) -> bool:
        self.peer.put(self.peer.end)
        return True  # the other direction goes on

    def pause_writing(self) -> None:
        self._blocked = True

    def resume_writing(self) -> None:
        self._blocked = False
        self.flush()

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost = True
        self._queue.clear()
        self._held_bytes = 0
        self._resume()
        if exc is not None:
            self.peer.put(lambda _: self._connection.abort())

    def reset(self) -> None:
        """Closes so that the other side sees a reset."""
        if (transport := self.transport) is not None:
            with suppress(OSError):  # it has just gone
                connected: socket.socket = transport.get_extra_info("socket")
                connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_0)
            transport.abort()

    def take(self, data: bytes) -> None:
        transport = self.transport
        if not self._delay_s and not self._queue and not self._blocked and transport is not None:
            transport.write(data)
            return
        self.put(lambda connected: connected.write(data), len(data))
        if self._held_bytes > HELD_BYTES and not self._paused:
            self._paused = True
            if self.peer.transport is not None:
                self.peer.transport.pause_reading()

    def put(self, act: Act, held_bytes: int = 0) -> None:
        if self._lost:
            return
        due = max(monotonic(), self.begins_at) + self._delay_s
        self._queue.append((due, act, held_bytes))
        self._held_bytes += held_bytes
        self._connection.timer.at(due, self.flush)

    def flush(self) -> None:
        """Forwards what is due; also to be called once it is connected."""
        queue = self._queue
        while queue and not self._blocked and (transport := self.transport) is not None:
            due, act, held_bytes = queue[0]
            if due > monotonic():
                break
            queue.popleft()
            self._held_bytes -= held_bytes
            act(transport)
        if self._held_bytes <= HELD_BYTES // 2:
            self._resume()

    def end(self, transport: asyncio.Transport) -> None:
        with suppress(OSError):  # it has just gone
            transport.write_eof()
        self.ended = True
        self._connection.end_forwarded()

    def _resume(self) -> None:
        if self._paused:
            self._paused = False
            if self.peer.transport is not None:
                self.peer.transport.resume_reading()


class Connection:
    """A client's connection and the one to the server.

    In a network with these delays `connect()` returns after both, because the SYN is delayed by one
    and its reply by the other; the server accepts when the client's next packet arrives. Here the
    client's `connect()` has already returned, so nothing flows before that moment, and the proxy
    connects to the server when it would have accepted.
    """

    def __init__(self, proxy: "Proxy") -> None:
        self.timer = proxy.timer
        self.client = Endpoint(self, proxy.to_client_s)
        self.server = Endpoint(self, proxy.to_server_s)
        self.client.peer, self.server.peer = self.server, self.client
        self._proxy = proxy
        self._task: asyncio.Task[None] | None = None
        self._over = False

    def made(self, endpoint: Endpoint) -> None:
        proxy = self._proxy
        if endpoint is self.client:
            proxy.connections.add(self)
            self.server.begins_at = monotonic() + proxy.to_server_s + proxy.to_client_s
            proxy.timer.at(self.server.begins_at + proxy.to_server_s, self._connect)
        elif self._over:
            self.server.reset()
        else:
            self.server.flush()

    def end_forwarded(self) -> None:
        if self.client.ended and self.server.ended:
            self._finish()
            for endpoint in (self.client, self.server):
                if endpoint.transport is not None:  # closes once all data has been sent
                    endpoint.transport.close()

    def abort(self) -> None:
        """Resets both connections now."""
        self._finish()
        self.client.reset()
        self.server.reset()

    def _finish(self) -> None:
        self._over = True
        self._proxy.connections.discard(self)

    def _connect(self) -> None:
        if not self._over:
            self._task = asyncio.get_running_loop().create_task(self._reach())

    async def _reach(self) -> None:
        proxy, loop, problem = self._proxy, asyncio.get_running_loop(), ""
        for host in proxy.hosts:
            try:
                if is_socket(host):
                    await loop.create_unix_connection(lambda: self.server, host)
                else:
                    await loop.create_connection(lambda: self.server, host, proxy.port)
            except OSError as error:
                problem = f"{host}:{proxy.port} can't be reached: {error}"
            else:
                proxy.hosts = [host]
                return
        if problem not in proxy.logged:
            proxy.logged.add(problem)
            print(problem, file=sys.stderr, flush=True)  # noqa: T201 - its log
        self.abort()


class Proxy:
    def __init__(self, timer: Timer, options: argparse.Namespace) -> None:
        self.timer = timer
        self.to_server_s: float = options.to_server
        self.to_client_s: float = options.to_client
        host, self.port = options.upstream
        self.hosts = [host]  #: Each is tried until one takes a connection: `localhost` is ::1, too.
        if not is_socket(host):  # so that no connection needs a look-up
            addresses = socket.getaddrinfo(host, self.port, type=socket.SOCK_STREAM)
            self.hosts = [str(address[0]) for *_, address in addresses]
        self.connections: set[Connection] = set()
        self.logged: set[str] = set()  #: Problems that the log has.


def is_socket(host: str) -> bool:
    """Whether it is the path of a Unix socket, which has no port."""
    return host.startswith("/")


async def serve(options: argparse.Namespace, loop_name: str) -> None:
    loop = asyncio.get_running_loop()
    stopping = asyncio.Event()
    for signum in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(signum, stopping.set)
    timer = Timer(loop)
    proxy = Proxy(timer, options)
    host, port = options.listen

    def accepted() -> Endpoint:
        return Connection(proxy).client

    if is_socket(host):
        listener = await loop.create_unix_server(accepted, host, backlog=BACKLOG)
    else:
        listener = await loop.create_server(accepted, host, port, backlog=BACKLOG)
        host, port = listener.sockets[0].getsockname()[:2]
    gc.collect()
    gc.freeze()  # current objects stay: no collection need check them
    print(f"listening on {host}:{port} with {loop_name}", flush=True)  # noqa: T201 - its log
    await stopping.wait()
    listener.close()
    for connection in list(proxy.connections):
        connection.abort()
    timer.close()
    await asyncio.sleep(0)


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    return host, int(port)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="benchsuite.delay.proxy", description="Delays what one side sends."
    )
    parser.add_argument("upstream", type=_address, metavar="HOST:PORT")
    parser.add_argument("--listen", type=_address, default=("127.0.0.1", 0), metavar="HOST:PORT")
    parser.add_argument("--to-server", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--to-client", type=float, default=0.0, metavar="SECONDS")
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # each connection needs two
    factory: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop
    name = "asyncio"
    with suppress(ImportError):
        import uvloop

        factory, name = uvloop.new_event_loop, f"uvloop {metadata.version('uvloop')}"
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(serve(options, name))


if __name__ == "__main__":
    main()
