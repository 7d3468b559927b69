"""A server whose service times are known: it waits as programmed and logs what it really did.

    python -P benchmarks/responder.py --port 8123 --times constant:1.5ms --log times.bin

One process, one epoll loop, HTTP/1.1 with keep-alive, no Django. Answers are due a programmed time
after the whole request was read; a timerfd wakes the loop within tens of microseconds, because the
timeout of epoll itself is rounded to milliseconds. SIGTERM ends it and writes the log: float64
triples (whole request read, answer written, programmed time), CLOCK_MONOTONIC seconds, as
`times()` reads them back.

Programmed times: `constant:1.5ms`, `bimodal:5ms,50ms,0.1` (the share of the second),
`pareto:1ms,1.5,200ms` (scale, shape, and the limit above which nothing is drawn), `none` (answers
at once).
"""

import argparse
import gc
import heapq
import os
import random
import select
import signal
import socket
from array import array
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from benchsuite.system.timers import TimerFd

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RUN_HEADER = "X-Benchsuite-Run"
BODY = b"OK"
END_OF_HEAD = b"\r\n\r\n"
CLOSE = b"\r\nconnection: close"
BLOCK_BYTES = 65_536
BACKLOG = 4096
MAX_EVENTS = 256
DECK = 1000

Draw = Callable[[], float]
"""Gives the service time of the next request, in seconds."""


def draws(text: str, seed: int) -> Draw:
    """The generator that `--times` describes; raises ValueError for any other text."""
    kind, _, rest = text.partition(":")
    parts = rest.split(",") if rest else []
    chance = _deck(random.Random(seed))
    if kind == "none" and not parts:
        return lambda: 0.0
    if kind == "constant" and len(parts) == 1:
        constant = seconds(parts[0])
        return lambda: constant
    if kind == "bimodal" and len(parts) == 3:
        low, high, share = seconds(parts[0]), seconds(parts[1]), float(parts[2])
        return lambda: high if chance() < share else low
    if kind == "pareto" and len(parts) == 3:
        scale, shape, limit = seconds(parts[0]), float(parts[1]), seconds(parts[2])
        return lambda: min(limit, scale / (1.0 - chance()) ** (1.0 / shape))
    raise ValueError(
        f"{text!r} is no programmed time; write constant:1.5ms, bimodal:5ms,50ms,0.1, "
        "pareto:1ms,1.5,200ms or none"
    )


def _deck(generator: random.Random) -> Draw:
    """Numbers below 1, dealt from shuffled decks of equally spaced ones.

    So a share comes out exactly, and a percentile beside it is not a matter of luck.
    """
    cards: list[float] = []

    def dealt() -> float:
        if not cards:
            cards.extend((place + 0.5) / DECK for place in range(DECK))
            generator.shuffle(cards)
        return cards.pop()

    return dealt


def seconds(text: str) -> float:
    """1.5ms or 0.2s in seconds."""
    for suffix, factor in (("ms", 1e-3), ("us", 1e-6), ("s", 1.0)):
        if text.endswith(suffix):
            return float(text.removesuffix(suffix)) * factor
    raise ValueError(f"{text!r} is no time; write 1.5ms, 200us or 2s")


def times(log: Path) -> "NDArray[np.float64]":
    """The log as an array of rows (read, written, programmed)."""
    import numpy as np

    return np.fromfile(log).reshape(-1, 3)


class Peer:
    """One connection."""

    __slots__ = ("busy", "closing", "received", "socket")

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        self.received = b""
        self.busy = False
        """Whether an answer is due; a request that is already behind it waits."""
        self.closing = False
        """Whether the client wants the connection closed after the answer."""


class Responder:
    """The loop: reads requests, and writes each answer when it is due."""

    def __init__(self, listener: socket.socket, draw: Draw, run_header: str) -> None:
        self.log = array("d")
        self._listener = listener
        self._draw = draw
        named = f"{RUN_HEADER}: {run_header}\r\n" if run_header else ""
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {len(BODY)}\r\n"
        self._answer = f"{head}{named}\r\n".encode() + BODY
        self._epoll = select.epoll()
        self._timer = TimerFd()
        self._peers: dict[int, Peer] = {}
        self._due: list[tuple[float, int, float, float, Peer]] = []
        """Heap of (moment, number, read, programmed, peer)."""
        self._number = 0
        self._alarm = 0.0
        """The moment for which the timer is set."""

    def run(self, wake: int) -> None:
        """Serves until the file descriptor `wake` becomes readable."""
        for fd in (self._listener.fileno(), self._timer.file, wake):
            self._epoll.register(fd, select.EPOLLIN)
        while True:
            for fd, _ in self._epoll.poll(-1, MAX_EVENTS):
                if fd == self._timer.file:
                    self._timer.clear()
                elif fd == self._listener.fileno():
                    self._accept()
                elif fd == wake:
                    return
                elif (peer := self._peers.get(fd)) is not None:
                    self._receive(peer)
            self._answer_due()

    def _accept(self) -> None:
        with suppress(BlockingIOError):
            while True:
                connected, _ = self._listener.accept()
                connected.setblocking(False)
                connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._peers[connected.fileno()] = Peer(connected)
                self._epoll.register(connected.fileno(), select.EPOLLIN)

    def _receive(self, peer: Peer) -> None:
        try:
            block = peer.socket.recv(BLOCK_BYTES)
        except BlockingIOError:
            return
        except ConnectionError:
            block = b""
        if not block:
            self._close(peer)
            return
        peer.received += block
        self._begin(peer, monotonic())

    def _begin(self, peer: Peer, read: float) -> None:
        """Plans the answer to a request that is there as a whole; requests have no body."""
        head, end, rest = peer.received.partition(END_OF_HEAD)
        if peer.busy or not end:
            return
        peer.received = rest
        peer.busy = True
        peer.closing = CLOSE in head.lower()
        programmed = self._draw()
        self._number += 1
        heapq.heappush(self._due, (read + programmed, self._number, read, programmed, peer))

    def _answer_due(self) -> None:
        due = self._due
        while due and due[0][0] <= monotonic():
            _, _, read, programmed, peer = heapq.heappop(due)
            try:
                peer.socket.send(self._answer)
            except OSError:  # the client has gone, and its request had no answer
                self._close(peer)
                continue
            self.log.extend((read, monotonic(), programmed))
            peer.busy = False
            if peer.closing:
                self._close(peer)
            elif peer.received:
                self._begin(peer, monotonic())
        if due and due[0][0] != self._alarm:
            self._alarm = due[0][0]
            self._timer.arm(self._alarm)

    def _close(self, peer: Peer) -> None:
        self._peers.pop(peer.socket.fileno(), None)
        peer.socket.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--times", default="constant:1.5ms")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--log", type=Path, required=True)
    options = parser.parse_args()
    try:
        draw = draws(options.times, options.seed)
    except ValueError as error:
        parser.error(f"argument --times: {error}")
    woken, wake = socket.socketpair()
    for end in (woken, wake):
        end.setblocking(False)
    signal.set_wakeup_fd(wake.fileno())
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    with socket.create_server((options.host, options.port), backlog=BACKLOG) as listener:
        listener.setblocking(False)
        responder = Responder(listener, draw, os.environ.get("BENCHSUITE_RUN", ""))
        gc.disable()
        responder.run(woken.fileno())
    with options.log.open("wb") as file:
        responder.log.tofile(file)


if __name__ == "__main__":
    main()
