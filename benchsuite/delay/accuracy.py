"""How accurate a delay is, from timed messages through it to an echo server and back."""

import math
import select
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from statistics import median

from benchsuite.stats.summary import samples_needed

ECHO_LIMIT_S = 15.0  #: How long it waits for its client, and then for each message.


@contextmanager
def echo(host: str = "127.0.0.1") -> Iterator[int]:
    """Serves one connection in a thread; yields the port."""
    with socket.create_server((host, 0)) as listener:
        listener.settimeout(ECHO_LIMIT_S)
        thread = threading.Thread(target=_serve_one, args=(listener,), name="echo", daemon=True)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def _serve_one(listener: socket.socket) -> None:
    with suppress(OSError):
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(ECHO_LIMIT_S)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while data := connection.recv(65536):
                connection.sendall(data)


MESSAGES = math.ceil(samples_needed(99) / 100) * 100  #: Enough for a 99th percentile.
PAUSE_S = 0.002  #: Between two messages: low load, ten times their own transit.
MESSAGE_BYTES = 8
LIMIT_S = 10.0  #: How much longer than planned a measurement may take.


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """Measured before use; errors are round trips minus the delay, so they include the cost of the
    transit itself."""

    messages: int
    median_error_s: float
    p99_error_s: float
    worst_error_s: float
    ceiling_per_s: float | None = None
    """Round trips a second that would take a whole CPU, at the cost measured here; under load each
    costs less. None if no CPU time was seen."""

    def to_json(self) -> dict[str, float | None]:
        return asdict(self)


def accuracy(round_trips_s: list[float], delay_s: float, cpu_s: float | None = None) -> Accuracy:
    """From the times of all messages; `cpu_s` is the CPU time of the proxy."""
    errors = sorted(one - delay_s for one in round_trips_s)
    return Accuracy(
        messages=len(errors),
        median_error_s=median(errors),
        p99_error_s=errors[math.ceil(0.99 * len(errors)) - 1],
        worst_error_s=errors[-1],
        ceiling_per_s=len(errors) / cpu_s if cpu_s else None,
    )


def round_trips(host: str, port: int, messages: int = MESSAGES) -> list[float]:
    """Seconds of each message's round trip to an echo server; raises OSError or TimeoutError.

    Messages are sent at even intervals without waiting for each other, so a long delay takes no
    longer to measure than a short one.
    """
    with socket.create_connection((host, port), timeout=LIMIT_S) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(bytes(MESSAGE_BYTES))  # excludes the time to connect
        _receive(connection, MESSAGE_BYTES)
        sent: list[float] = []
        arrived: list[float] = []
        received_bytes = 0
        begin = time.monotonic()
        deadline = begin + messages * PAUSE_S + LIMIT_S
        while len(arrived) < messages:
            next_at = begin + len(sent) * PAUSE_S if len(sent) < messages else deadline
            pause_s = max(0.0, next_at - time.monotonic())
            if select.select([connection], [], [], pause_s)[0]:
                now = time.monotonic()
                received_bytes += len(_receive(connection, 1, 65536))
                arrived += [now] * (received_bytes // MESSAGE_BYTES - len(arrived))
            elif len(sent) < messages:
                sent.append(time.monotonic())
                connection.sendall(bytes(MESSAGE_BYTES))
            else:
                raise TimeoutError(f"{messages - len(arrived)} of {messages} did not come back")
    return [end - start for start, end in zip(sent, arrived, strict=True)]


def _receive(connection: socket.socket, least: int, most: int = MESSAGE_BYTES) -> bytes:
    data = b""
    while len(data) < least:
        block = connection.recv(most)
        if not block:
            raise ConnectionResetError("the connection was closed")
        data += block
    return data
