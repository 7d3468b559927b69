"""The program of the prober: asks one page now and then, at the pace that it is told.

    python -S -c "…; main()" REQUEST PACE OUTPUT

It imports nothing but the standard library. `probes` starts it and reads what it writes:

    asked NUMBER CONNECTION DUE BEGUN      monotonic seconds
    ended NUMBER SECONDS OUTCOME           one of those below; nothing while it is under way
"""

import http.client
import io
import json
import random
import re
import select
import signal
import socket
import ssl
import sys
import threading
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from benchsuite.system.network import client_context

RUN_HEADER = "X-Benchsuite-Run"  #: Of every answer of a run's application: its token.
BLOCK_BYTES = 65_536
SHOWN_BYTES = 40
FAREWELL = re.compile(rb"HTTP/1\.[01] 408 ")  #: Said before an idle connection is closed.
RIGHT, WRONG, LOST, HUNG = "right", "wrong", "lost", "hung"
"""What became of a request: the page, another answer of HTTP, none of HTTP (refused, broken off),
or none in time."""


class Client:
    """One client with at most one connection."""

    def __init__(self, request: dict[str, object]) -> None:
        self._host = str(request["host"])
        self._port = int(str(request["port"]))
        self._message = str(request["message"]).encode("latin-1")
        self._token = str(request["token"])
        self._context = client_context(self._host) if request["tls"] else None
        self._timeout_s = float(str(request["timeout_s"]))
        self._keep_alive = bool(request["keep_alive"])
        self._status = request["status"]  #: The right one; None for any below 400.
        self._connection: socket.socket | None = None

    def connect(self) -> str:
        """HUNG or LOST; empty when there is a connection."""
        try:
            self._connected()
        except OSError as error:
            return HUNG if isinstance(error, TimeoutError) else LOST
        return ""

    def ask(self, *, prompt: bool = False) -> str:
        """What became of the page; right is an answer of this run with the wanted status, after
        which nothing comes. `prompt` acknowledges at once, where the kernel may wait with it.
        """
        try:
            connection = self._connected()
            came = _Arriving(connection, prompt=prompt)
            connection.sendall(self._message)
            answer = _Answer(came, method="GET")  # type: ignore[arg-type]
            answer.begin()
            while answer.read(BLOCK_BYTES):
                pass  # a body may be longer than memory
            if answer.length or came.surplus:
                raise ConnectionError("the answer ended early, or more came after its end")
        except (OSError, http.client.HTTPException, ValueError) as error:  # no number as a length
            self.close()
            return HUNG if isinstance(error, TimeoutError) else LOST
        if not self._keep_alive or answer.will_close:
            self.close()
        right = answer.status < 400 if self._status is None else answer.status == self._status
        is_ours = not self._token or answer.getheader(RUN_HEADER) == self._token
        return RIGHT if right and is_ours else WRONG

    def give_up(self) -> None:
        """Whoever waits for an answer waits no more; from another thread."""
        connection = self._connection
        if connection is not None:
            with suppress(OSError):
                socket.socket.shutdown(connection, socket.SHUT_RDWR)  # TLS must not say good-bye

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connected(self) -> socket.socket:
        kept = self._connection
        unasked = b"" if kept is None else _unasked(kept)
        if kept is not None and unasked is None:
            return kept
        self.close()
        if unasked and FAREWELL.match(unasked) is None:
            raise ConnectionError(unasked)
        made = socket.create_connection((self._host, self._port), timeout=self._timeout_s)
        self._connection = made
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._context is not None:
            self._connection = made = self._context.wrap_socket(made, server_hostname=self._host)
        return made


class _Arriving(io.RawIOBase):
    """What comes from a socket; `prompt`: acknowledged as soon as it is there."""

    def __init__(self, arriving: socket.socket, *, prompt: bool) -> None:
        self.surplus = b""  #: What had come after the end of the answer.
        self.over = False  #: Whether the answer is complete: nothing more is waited for.
        self._prompt = prompt
        self._arriving = arriving
        self._raw = arriving.makefile("rb", buffering=0)

    def makefile(self, *_: object) -> io.BufferedReader:
        return _Buffered(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int | None:  # type: ignore[override]
        arriving = self._arriving
        if self.over:
            surplus = _unasked(arriving) or b""
            buffer[: len(surplus)] = surplus
            return len(surplus)
        if self._prompt and not (isinstance(arriving, ssl.SSLSocket) and arriving.pending()):
            select.select([arriving], [], [], arriving.gettimeout())
            # Holds until the next segments: it is set anew for each.
            arriving.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Buffered(io.BufferedReader):
    """`http.client` closes it at the end of each answer, with whatever it has read beyond that."""

    def close(self) -> None:
        raw: Any = self.raw
        if not self.closed and not raw.over:
            raw.over = True
            with suppress(OSError, ValueError):  # a connection that has ended has no more to say
                raw.surplus = self.peek(1)
        super().close()


class _Answer(http.client.HTTPResponse):
    """One answer, after those that only announce it."""

    def _read_status(self) -> tuple[str, int, str]:
        """`http.client` itself knows 100 alone."""
        while True:
            version, status, reason = super()._read_status()  # type: ignore[misc]
            if not 101 < status < 200:
                return version, status, reason
            http.client.parse_headers(self.fp)


def _unasked(arriving: socket.socket) -> bytes | None:
    """How what the server sent meanwhile begins; empty when it closed, None when it did neither."""
    limit_s = arriving.gettimeout()
    arriving.setblocking(False)
    try:
        return arriving.recv(SHOWN_BYTES)
    except (BlockingIOError, ssl.SSLWantReadError):
        return None
    except OSError:
        return b""
    finally:
        arriving.settimeout(limit_s)


JITTER = 0.5  #: Pauses vary by this share, so that nothing periodic is always met.
RESTING = 2  #: Connections that wait to be asked again.
LONGEST_SLEEP_S = 0.25  #: The pace may change meanwhile.
LAST_S = 1.0  #: How long it waits at its end for answers, so that the target is asked no more.
GRACE_S = 0.1  #: A socket that waits ends by itself; one that gets a byte now and then does not.


class UnderWay(NamedTuple):
    begun: float
    until: float  #: Then it is given up.
    client: Client


class Connection(NamedTuple):
    number: int
    client: Client
    is_known: bool = False  #: Whether it has had its first answer.


class Prober:
    """Asks a page over connections that come and go, each of them twice.

    Only two are open that wait for no answer, because a server may have few to give.
    """

    def __init__(self, request: dict[str, object], output: TextIO) -> None:
        self._request = request
        self._keeps = bool(request["keep_alive"])
        self._output = output
        self._under_way: dict[int, UnderWay] = {}
        self._kept: list[Connection] = []  #: The one that rests longest first.
        self._asked, self._connections = count(1), count(1)  #: Their numbers.
        self._lock = threading.Lock()

    def ask(self, due: float, *, patience_s: float, at_once: int) -> None:
        """In a thread of its own; not at all while as many as `at_once` wait."""
        now = time.monotonic()
        with self._lock:
            under_way = list(self._under_way.items())
        for number, request in under_way:
            if now > request.until and self._end(number, now - request.begun, HUNG):
                request.client.give_up()
        with self._lock:
            if len(self._under_way) >= at_once:
                return
            if len(self._kept) < RESTING:
                client = Client({**self._request, "timeout_s": patience_s})
                connection = Connection(next(self._connections), client)
            else:
                connection = self._kept.pop(0)
            number, begun = next(self._asked), time.monotonic()
            until = begun + patience_s + GRACE_S
            self._under_way[number] = UnderWay(begun, until, connection.client)
            self._write(f"asked {number} {connection.number} {due:.7f} {begun:.7f}")
        threading.Thread(target=self._answer, args=(number, connection), daemon=True).start()

    def _answer(self, number: int, connection: Connection) -> None:
        client = connection.client
        begun = time.monotonic()
        outcome = ""
        if not connection.is_known and self._keeps:
            # Users made theirs long ago. One that is not to be had counts all the same.
            outcome = client.connect()
            begun = begun if outcome else time.monotonic()
        outcome = outcome or client.ask()
        in_time = self._end(number, time.monotonic() - begun, outcome)
        keeps = in_time and self._keeps and outcome in (RIGHT, WRONG)
        if keeps and not connection.is_known:
            with self._lock:
                if len(self._kept) < RESTING:
                    self._kept.append(connection._replace(is_known=True))
                    return
        client.close()

    def _end(self, number: int, seconds: float, outcome: str) -> bool:
        """Whether it was under way till now."""
        with self._lock:
            if self._under_way.pop(number, None) is None:
                return False
            self._write(f"ended {number} {seconds:.7f} {outcome}")
            return True

    def finish(self) -> None:
        """Waits for what is under way; what isn't answered in time stays without an end."""
        until = time.monotonic() + LAST_S
        while self._under_way and time.monotonic() < until:
            time.sleep(LAST_S / 100)
        with self._lock:
            self._under_way.clear()

    def _write(self, line: str) -> None:
        self._output.write(f"{line}\n")
        self._output.flush()


def probe(request: dict[str, object], pace: Path, output: TextIO) -> None:
    """Asks until SIGTERM, at the pace that the file then tells, and lets what is under way end."""
    end = {signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, end)  # of its threads, too

    prober = Prober(request, output)
    draw = random.Random(int(str(request["seed"])))
    before = time.monotonic()
    stretch = 0.0
    while True:
        orders = json.loads(pace.read_text())
        pause_s = orders.pop("pause_s")
        due = before + pause_s * stretch
        left_s = due - time.monotonic()
        is_later = left_s > LONGEST_SLEEP_S
        if signal.sigtimedwait(end, LONGEST_SLEEP_S / 2 if is_later else max(0.0, left_s)):
            return prober.finish()
        if is_later:
            continue
        prober.ask(due, **orders)
        before = max(due, time.monotonic() - pause_s * (1 - JITTER))
        stretch = draw.uniform(1 - JITTER, 1 + JITTER)


def main() -> None:
    request = json.loads(Path(sys.argv[1]).read_text())
    with open(sys.argv[3], "w", encoding="ascii") as output:
        probe(request, Path(sys.argv[2]), output)
