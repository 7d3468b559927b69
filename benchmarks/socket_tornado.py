"""A WebSocket client of another make, Tornado's: it knows its messages by their text, and counts.

    python -m benchmarks.socket_tornado --port 8123 --path /echo --connections 6 --seconds 5

Each connection says one thing, waits until it has heard that, and says the next; after so many it
is closed, and another opened. Prints JSON.
"""

import argparse
import asyncio
import json
from collections import Counter
from dataclasses import dataclass, field
from time import monotonic

from tornado.websocket import WebSocketClientConnection, websocket_connect

MESSAGES = 50
"""On each connection."""
FILLER = "x" * 16


@dataclass
class Book:
    """What all connections have seen."""

    counts: Counter[str] = field(default_factory=Counter)
    times: list[float] = field(default_factory=list)


class Talker:
    """One user, whose connections come one after the other."""

    def __init__(self, number: int, options: argparse.Namespace, book: Book) -> None:
        self._number = number
        self._url = f"ws://127.0.0.1:{options.port}{options.path}"
        self._timeout_s = options.timeout
        self._book = book
        self._said: set[str] = set()
        self._heard: set[str] = set()

    async def live(self, until: float) -> None:
        while monotonic() < until:
            connection = await websocket_connect(self._url)
            self._book.counts["connections"] += 1
            if await self._talk(connection, until):
                connection.close()
                while (message := await connection.read_message()) is not None:
                    self._judge(str(message))

    async def _talk(self, connection: WebSocketClientConnection, until: float) -> bool:
        """Whether the connection is still of use."""
        for _ in range(MESSAGES):
            if monotonic() >= until:
                break
            text = f"{self._number:08x}{len(self._said):08x}{FILLER}"
            self._said.add(text)
            start = monotonic()
            await connection.write_message(text)
            self._book.counts["sent"] += 1
            while text not in self._heard:
                left = start + self._timeout_s - monotonic()
                try:
                    message = await asyncio.wait_for(connection.read_message(), left)
                except TimeoutError:
                    message = None
                if message is None:
                    self._book.counts["lost"] += 1
                    connection.close()
                    return False
                self._judge(str(message))
            self._book.times.append(monotonic() - start)
        return True

    def _judge(self, message: str) -> None:
        what = "right" if message in self._said else "by itself"
        if message in self._heard:
            what = "copies"
        elif message in self._said:
            self._heard.add(message)
        self._book.counts[what] += 1


async def talk(options: argparse.Namespace) -> Book:
    book = Book()
    # the server treats its first connection well, as ours checks the journey with that
    (await websocket_connect(f"ws://127.0.0.1:{options.port}{options.path}")).close()
    until = monotonic() + options.seconds
    users = [Talker(number, options, book) for number in range(options.connections)]
    await asyncio.gather(*(one.live(until) for one in users))
    return book


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--path", required=True)
    parser.add_argument("--connections", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--timeout", type=float, default=1.0)
    book = asyncio.run(talk(parser.parse_args()))
    print(json.dumps({"counts": book.counts, "times": book.times}))


if __name__ == "__main__":
    main()
