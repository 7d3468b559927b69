"""Bare WebSocket clients: what a library does with the same messages, without all the rest.

    python -m benchmarks.socket_bare asyncio|epoll --port 8123 --connections 2000 --rate 2000 \
        --seconds 10

Each connection sends a message at its own moments and waits for its echo; nothing is checked, and
nothing is recorded but the times. `asyncio`: the client of `websockets`, a task a connection, as
people use it. `epoll`: one loop over the sans-I/O layer of the same library, which is the least
that its framing can cost. Prints JSON: messages, CPU seconds of the process, p50 and p99 in
seconds of service time, over the seconds after the first.
"""

import argparse
import asyncio
import json
import select
import socket
from array import array
from collections.abc import Iterator
from statistics import quantiles
from time import monotonic, process_time
from typing import Any

from websockets.asyncio.client import connect
from websockets.client import ClientProtocol
from websockets.uri import parse_uri

MESSAGE = b"x" * 32
BLOCK_BYTES = 65_536
LEAD_S = 1.0
"""After the last connection is open, until the first message; and after it, until counting."""
OPENING = 50
"""Connections that are made at the same time."""


class Counted:
    """What is printed at the end; counting begins a second after the first message."""

    def __init__(self, begin: float, seconds: float) -> None:
        self.begin = begin
        self.from_moment = begin + LEAD_S
        self.until = self.from_moment + seconds
        self.times = array("d")
        self._cpu_s = 0.0

    def start(self) -> None:
        self._cpu_s = process_time()

    def add(self, start: float, finish: float) -> None:
        if self.from_moment <= finish < self.until:
            self.times.append(finish - start)

    def print(self) -> None:
        cut = quantiles(self.times, n=100)
        said = {
            "messages": len(self.times),
            "cpu_s": process_time() - self._cpu_s,
            "p50_s": cut[49],
            "p99_s": cut[98],
        }
        print(json.dumps(said))


def moments(counted: Counted, options: argparse.Namespace, place: int) -> Iterator[float]:
    """When this connection sends: the schedule of all, divided in turn."""
    number = place
    while (moment := counted.begin + number / options.rate) < counted.until:
        yield moment
        number += options.connections


async def talk(connection: Any, counted: Counted, at: Iterator[float]) -> None:
    for moment in at:
        await asyncio.sleep(max(0.0, moment - monotonic()))
        start = monotonic()
        await connection.send(MESSAGE)
        await connection.recv()
        counted.add(start, monotonic())


async def by_asyncio(options: argparse.Namespace) -> None:
    gate = asyncio.Semaphore(OPENING)

    async def opened() -> Any:
        async with gate:
            return await connect(
                f"ws://127.0.0.1:{options.port}/", compression=None, ping_interval=None
            )

    connections = await asyncio.gather(*(opened() for _ in range(options.connections)))
    counted = Counted(monotonic() + LEAD_S, options.seconds)
    asyncio.get_running_loop().call_at(
        asyncio.get_running_loop().time() + counted.from_moment - monotonic(), counted.start
    )
    async with asyncio.TaskGroup() as group:
        for place, connection in enumerate(connections):
            group.create_task(talk(connection, counted, moments(counted, options, place)))
    counted.print()
    for connection in connections:
        connection.transport.abort()


class Talker:
    """One connection of the epoll loop."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.protocol = ClientProtocol(parse_uri(f"ws://127.0.0.1:{port}/"))
        self.protocol.send_request(self.protocol.connect())
        self.socket.sendall(b"".join(self.protocol.data_to_send()))
        while not self.protocol.events_received():
            self.protocol.receive_data(self.socket.recv(BLOCK_BYTES))
        self.socket.setblocking(False)
        self.start = 0.0

    def send(self) -> None:
        self.start = monotonic()
        self.protocol.send_binary(MESSAGE)
        self.socket.send(b"".join(self.protocol.data_to_send()))

    def receive(self) -> bool:
        """Whether the echo is there."""
        self.protocol.receive_data(self.socket.recv(BLOCK_BYTES))
        return bool(self.protocol.events_received())


def by_epoll(options: argparse.Namespace) -> None:
    talkers = [Talker(options.port) for _ in range(options.connections)]
    ready = select.epoll()
    by_fd = {one.socket.fileno(): one for one in talkers}
    for fd in by_fd:
        ready.register(fd, select.EPOLLIN)
    counted = Counted(monotonic() + LEAD_S, options.seconds)
    number, due, counting = 0, counted.begin, False
    while (now := monotonic()) < counted.until:
        if not counting and now >= counted.from_moment:
            counted.start()
            counting = True
        while due <= now:
            talkers[number % options.connections].send()
            number += 1
            due = counted.begin + number / options.rate
        for fd, _ in ready.poll(max(0.0, due - monotonic()), 256):
            one = by_fd[fd]
            if one.receive():
                counted.add(one.start, monotonic())
    counted.print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("loop", choices=["asyncio", "epoll"])
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--connections", type=int, required=True)
    parser.add_argument("--rate", type=float, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    options = parser.parse_args()
    if options.loop == "epoll":
        by_epoll(options)
    else:
        asyncio.run(by_asyncio(options))


if __name__ == "__main__":
    main()
