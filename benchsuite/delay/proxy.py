"""A proxy that delays what one side sends: a program of its own.

    python -m benchsuite.delay.proxy --to-server 0.1 127.0.0.1:5432

`--to-server` and `--to-client` are seconds, one way each. Once it listens it prints a line,
`listening on 127.0.0.1:40123 with asyncio`. SIGTERM ends it. It forwards any protocol: HTTP,
WebSockets, PostgreSQL. As with PostgreSQL's clients, a host that begins with a slash is a Unix
socket: `/run/redis.sock:0`. `benchsuite.delay.delayer` starts it.
"""

import argparse
import asyncio
import gc
import resource
import signal
import socket
import sys
from collections.abc import Callable
from importlib import metadata

from benchsuite.delay.connection import Connection, Timer, is_socket

BACKLOG = 4096


class Proxy:
    """What all connections share."""

    def __init__(
        self, timer: Timer, *, to_server_s: float, to_client_s: float, upstream: tuple[str, int]
    ) -> None:
        self.timer = timer
        self.to_server_s = to_server_s
        self.to_client_s = to_client_s
        self.upstream = upstream
        self.connections: set[Connection] = set()
        self._told: set[str] = set()

    def tell(self, problem: str) -> None:
        if problem not in self._told:
            self._told.add(problem)
            print(problem, file=sys.stderr, flush=True)  # noqa: T201 - its log

    def opened(self, connection: Connection) -> None:
        self.connections.add(connection)

    def closed(self, connection: Connection) -> None:
        self.connections.discard(connection)


async def serve(options: argparse.Namespace, loop_name: str) -> None:
    loop = asyncio.get_running_loop()
    stopping = asyncio.Event()
    for signum in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(signum, stopping.set)
    timer = Timer(loop)
    proxy = Proxy(
        timer,
        to_server_s=options.to_server,
        to_client_s=options.to_client,
        upstream=_resolved(*options.upstream),
    )
    host, port = options.listen
    if is_socket(host):
        listener = await loop.create_unix_server(
            lambda: Connection(proxy).client, host, backlog=BACKLOG
        )
    else:
        listener = await loop.create_server(
            lambda: Connection(proxy).client, host, port, backlog=BACKLOG
        )
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


def raise_file_limit() -> None:
    """Raises the limit of open files as far as allowed: each connection needs two."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def loop_factory(wanted: str) -> tuple[Callable[[], asyncio.AbstractEventLoop], str]:
    """A factory of event loops, and their name with version."""
    if wanted != "asyncio":
        try:
            import uvloop
        except ImportError:
            if wanted == "uvloop":
                raise
        else:
            return uvloop.new_event_loop, f"uvloop {metadata.version('uvloop')}"
    return asyncio.new_event_loop, "asyncio"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="benchsuite.delay.proxy", description="Delays what one side sends."
    )
    parser.add_argument("upstream", type=_address, metavar="HOST:PORT")
    parser.add_argument("--listen", type=_address, default=("127.0.0.1", 0), metavar="HOST:PORT")
    parser.add_argument("--to-server", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--to-client", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--loop", choices=("auto", "asyncio", "uvloop"), default="auto")
    options = parser.parse_args()
    raise_file_limit()
    factory, name = loop_factory(options.loop)
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(serve(options, name))


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    return host, int(port)


def _resolved(host: str, port: int) -> tuple[str, int]:
    """The IP address, so that no connection needs a look-up."""
    if is_socket(host):
        return host, port
    address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][4]
    return str(address[0]), port


if __name__ == "__main__":
    main()
