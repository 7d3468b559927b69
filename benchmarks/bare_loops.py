"""Loops that only ask and parse: how much of our own rate goes to what stands around them.

    python -m benchmarks.bare_loops gevent|epoll|blocking URL --connections 10 --seconds 3

`gevent`: a greenlet a connection, gevent's sockets, httptools; no users, no checks, no samples.
`epoll`: one loop over raw sockets, no greenlets. `blocking`: one connection, no loop at all. Each
prints its requests a second.
"""

import argparse
import select
import socket
from collections.abc import Callable
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import httptools

REQUEST = b"GET / HTTP/1.1\r\nHost: target\r\nUser-Agent: bare\r\nAccept: */*\r\n\r\n"
BLOCK_BYTES = 65_536


class Answers:
    """Counts whole answers."""

    def __init__(self) -> None:
        self.whole = 0
        self.parser = httptools.HttpResponseParser(self)

    def on_message_complete(self) -> None:
        self.whole += 1


def ask_blocking(connected: Any, deadline: float) -> int:
    """One connection, asked again and again; the number of answers."""
    answers = Answers()
    feed, send, receive = answers.parser.feed_data, connected.sendall, connected.recv
    while monotonic() < deadline:
        send(REQUEST)
        wanted = answers.whole + 1
        while answers.whole < wanted:
            feed(receive(BLOCK_BYTES))
    return answers.whole


def blocking(address: tuple[str, int], connections: int, deadline: float) -> int:
    with socket.create_connection(address) as connected:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return ask_blocking(connected, deadline)


def epoll(address: tuple[str, int], connections: int, deadline: float) -> int:
    ready = select.epoll()
    sockets = [socket.create_connection(address) for _ in range(connections)]
    answers = [Answers() for _ in sockets]
    steps: dict[int, Callable[[], None]] = {}
    for connected, one in zip(sockets, answers, strict=True):
        connected.setblocking(False)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        ready.register(connected.fileno(), select.EPOLLIN)
        steps[connected.fileno()] = _step(connected, one)
        connected.send(REQUEST)
    while monotonic() < deadline:
        for fd, _ in ready.poll(1.0):
            steps[fd]()
    for connected in sockets:
        connected.close()
    return sum(one.whole for one in answers)


def _step(connected: socket.socket, answers: Answers) -> Callable[[], None]:
    feed, send, receive = answers.parser.feed_data, connected.send, connected.recv

    def step() -> None:
        before = answers.whole
        feed(receive(BLOCK_BYTES))
        if answers.whole > before:
            send(REQUEST)

    return step


def green(address: tuple[str, int], connections: int, deadline: float) -> int:
    import gevent
    from gevent import socket as green_socket

    def one() -> int:
        connected = green_socket.create_connection(address)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            return ask_blocking(connected, deadline)
        finally:
            connected.close()

    asking = [gevent.spawn(one) for _ in range(connections)]
    return sum(greenlet.get() for greenlet in asking)


LOOPS = {"gevent": green, "epoll": epoll, "blocking": blocking}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("loop", choices=LOOPS)
    parser.add_argument("url")
    parser.add_argument("--connections", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=3.0)
    options = parser.parse_args()
    parts = urlsplit(options.url)
    begin = monotonic()
    count = LOOPS[options.loop](
        (parts.hostname or "", parts.port or 80), options.connections, begin + options.seconds
    )
    print(count / (monotonic() - begin))


if __name__ == "__main__":
    main()
