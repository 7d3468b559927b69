"""The program of the prober: asks one page now and then, and writes down how long it took.

    python -S -c "…; main()" REQUEST OUTPUT

It is a client of its own that shares nothing with the load generator, so that each can be held
against the other. It imports nothing but the standard library. `probes` starts it.
"""

import http.client
import io
import json
import random
import select
import signal
import socket
import ssl
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn, TextIO

RUN_HEADER = "X-Benchsuite-Run"

BLOCK_BYTES = 65_536

JITTER = 0.5
"""Pauses vary by this share, so that nothing periodic is always met at the same moment."""


class Prober:
    """One client with at most one connection."""

    def __init__(self, request: dict[str, object]) -> None:
        self._host = str(request["host"])
        self._port = int(str(request["port"]))
        self._path = str(request["path"])
        self._token = str(request["token"])
        self._context = _context(str(request["tls"]))
        self._timeout_s = float(str(request["timeout_s"]))
        self._keep_alive = bool(request["keep_alive"])
        headers: Any = request["headers"]
        self._headers: dict[str, str] = dict(headers)
        self._status = request["status"]
        """The right one; None for any below 400."""
        if not self._keep_alive:
            self._headers["Connection"] = "close"
        self._connection: http.client.HTTPConnection | None = None

    def ask(self, *, prompt: bool = False) -> bool:
        """Whether the page was answered, rightly and by the server of this run.

        `prompt` acknowledges whatever comes at once, where the kernel may wait with it.
        """
        try:
            if self._connection is None or _has_ended(self._connection):
                self.close()
                self._connection = self._new_connection()
            answers: Any = _prompt_answer if prompt else http.client.HTTPResponse
            self._connection.response_class = answers
            self._connection.request("GET", self._path, headers=self._headers)
            answer = self._connection.getresponse()
            while answer.read(BLOCK_BYTES):
                pass  # a body may be longer than memory
        except (OSError, http.client.HTTPException, ValueError):  # a length may be no number
            self.close()
            return False
        if not self._keep_alive or answer.will_close:
            self.close()
        right = answer.status < 400 if self._status is None else answer.status == self._status
        return right and answer.getheader(RUN_HEADER) == self._token

    def _new_connection(self) -> http.client.HTTPConnection:
        if self._context is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout_s)
        return http.client.HTTPSConnection(
            self._host, self._port, timeout=self._timeout_s, context=self._context
        )

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class _Prompt(io.RawIOBase):
    """What comes from a socket, acknowledged as soon as it is there."""

    def __init__(self, arriving: socket.socket) -> None:
        self._arriving = arriving
        self._raw = arriving.makefile("rb", buffering=0)

    def makefile(self, *_: object) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int | None:  # type: ignore[override]
        arriving = self._arriving
        if not (isinstance(arriving, ssl.SSLSocket) and arriving.pending()):
            select.select([arriving], [], [], arriving.gettimeout())
            # Holds until the next segments: it is set anew for each.
            arriving.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


def _prompt_answer(arriving: socket.socket, *args: Any, **named: Any) -> http.client.HTTPResponse:
    return http.client.HTTPResponse(_Prompt(arriving), *args, **named)  # type: ignore[arg-type]


@contextmanager
def within(limit_s: float) -> Iterator[None]:
    """Ends the block with a TimeoutError: sockets know only of a limit for each of their steps."""

    def end(number: int, frame: object) -> NoReturn:
        raise TimeoutError

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, limit_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def probe(request: dict[str, object], output: TextIO) -> NoReturn:
    """Asks until it is killed; a line for each: when meant, sent, finished (all monotonic
    seconds), and 1 for the right answer.
    """
    prober = Prober(request)
    timeout_s = float(str(request["timeout_s"]))
    least_pause_s = float(str(request["least_pause_s"]))
    most_share = float(str(request["most_share"]))
    draw = random.Random(int(str(request["seed"])))
    due = time.monotonic()
    while True:
        time.sleep(max(0.0, due - time.monotonic()))
        sent = time.monotonic()
        right = False
        with suppress(TimeoutError), within(timeout_s):
            right = prober.ask()
        finished = time.monotonic()
        output.write(f"{due:.7f} {sent:.7f} {finished:.7f} {int(right)}\n")
        output.flush()
        pause_s = max(least_pause_s, (finished - sent) / most_share)
        due = max(due + pause_s * draw.uniform(1 - JITTER, 1 + JITTER), finished)


def _has_ended(connection: http.client.HTTPConnection) -> bool:
    """Whether the server has closed the connection since its last answer.

    With TLS it may also have said something else: then a new connection is made without need.
    """
    return connection.sock is None or bool(select.select([connection.sock], [], [], 0)[0])


def _context(tls: str) -> ssl.SSLContext | None:
    """For `tls` "" (plain HTTP), "verified" or "unverified"."""
    if not tls:
        return None
    context = ssl.create_default_context()
    if tls == "unverified":
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def main() -> None:
    request = json.loads(Path(sys.argv[1]).read_text())
    with open(sys.argv[2], "w", encoding="ascii") as output:
        probe(request, output)
