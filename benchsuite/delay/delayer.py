"""Addresses through which the parties of a run are reached with a delay, and how accurate it is."""

import math
import re
import select
import socket
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Literal, Self
from urllib.parse import quote, unquote, urlsplit

from benchsuite.core.exceptions import StartError, UsageError
from benchsuite.core.specs.server import DelaySpec
from benchsuite.delay.proxy import is_socket
from benchsuite.stats.summary import samples_needed
from benchsuite.system.process import Process, running, wait_until_ready
from benchsuite.system.programs import isolated_python

PORT = 6379


def address_of_redis(url: str) -> tuple[str, int]:
    """Host and port; of a Unix socket its path, and 0.

    Raises UsageError for a Redis that is not reached where its URL says, or not under another name.
    """
    parts = urlsplit(url)
    if parts.scheme == "rediss":
        raise UsageError(
            "--delay-to-layer needs a proxy on 127.0.0.1, for which the certificate of a Redis by "
            "TLS does not hold; give --layer-url as redis://."
        )
    if parts.scheme == "unix":
        return unquote(parts.path), 0
    try:
        return parts.hostname or "localhost", parts.port or PORT
    except ValueError as error:
        raise UsageError(
            f"--layer-url has a wrong port ({error}); write redis://HOST:PORT/0."
        ) from None


def moved_redis_url(url: str, place: tuple[str, int]) -> str:
    """The same URL with that address in place of its own; user, password and database stay."""
    parts = urlsplit(url)
    host, port = place
    who, at, _ = parts.netloc.rpartition("@")
    where = quote(host) if parts.scheme == "unix" else f"{host}:{port}{parts.path}"
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{who}{at}{where}{query}"


Address = tuple[str, int]
"""Host and port; a host that begins with a slash is a Unix socket, and the port is 0."""

Direction = Literal["to_server", "to_client"]
Loop = Literal["auto", "asyncio", "uvloop"]
"""The event loop of the proxy; "auto" is uvloop where it is installed."""

HOST = "127.0.0.1"
READY_S = 20.0
GRACE_S = 2.0
ECHO_LIMIT_S = 15.0  #: How long the echo server waits for its client, and then for each message.
MESSAGES = math.ceil(samples_needed(99) / 100) * 100  #: Enough for a 99th percentile.
PAUSE_S = 0.002  #: Between two messages: low load, ten times their own transit.
MESSAGE_BYTES = 8
LIMIT_S = 10.0  #: How much longer than planned a measurement may take.

LISTENING = re.compile(r"^listening on (?P<host>.+):(?P<port>\d+) with (?P<loop>.+)$", re.M)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class DelayedAddress:
    """Where a proxy listens, and how accurate it is."""

    host: str
    port: int
    process: Process
    upstream: Address
    direction: Direction
    delay_s: float
    loop: str  #: The event loop of the proxy: "uvloop 0.22.1" or "asyncio".
    accuracy: Accuracy | None  #: None when it was not measured.

    def to_json(self) -> dict[str, Any]:
        return {
            "by": "proxy",
            "direction": self.direction,
            "delay_s": self.delay_s,
            "loop": self.loop,
            "accuracy": self.accuracy and asdict(self.accuracy),
        }


@contextmanager
def delayed(
    upstream: Address,
    *,
    delay_s: float,
    direction: Direction,
    name: str,
    folder: Path,
    marker: str,
    env: Mapping[str, str],
    on_cpus: Collection[int] | None = None,
    host: str = HOST,
    port: int | None = None,
    measured: bool = True,
    loop: Loop = "auto",
) -> Iterator[DelayedAddress]:
    """A proxy in front of `upstream` while the block runs.

    Data in `direction` is delayed by `delay_s`, one way; the other direction is not. `upstream`
    need not listen yet. The proxy listens on `port`, or on a free one. `measured` first determines
    the accuracy of an equal proxy before an echo server (by TCP), which takes about a second.
    Raises StartError when the proxy does not start.
    """

    @contextmanager
    def proxy(upstream: Address, log: str, listen: str) -> Iterator[tuple[Process, re.Match[str]]]:
        with running(
            command(upstream, delay_s, direction, listen, loop),
            name=name,
            log=folder / log,
            env=env,
            grace_s=GRACE_S,
            marker=marker,
            on_cpus=on_cpus,
        ) as process:
            # Its line about where it listens: a port that answers would prove nothing.
            wait_until_ready(process, lambda: _reply(process) is not None, timeout_s=READY_S)
            reply = _reply(process)
            assert reply is not None
            yield process, reply

    tried: Accuracy | None = None
    if measured:
        with (
            _echo() as echo_port,
            proxy((HOST, echo_port), f"{name}-echo.log", f"{HOST}:0") as (process, reply),
        ):
            before_s = _cpu_s(process.pid)
            try:
                round_trips_s = _round_trips(int(reply["port"]))
            except OSError as error:
                what = f"{name} forwards nothing: {error}"
                raise StartError(what, process.log_tail()) from error
            tried = accuracy(round_trips_s, delay_s, _cpu_s(process.pid) - before_s)
    with proxy(upstream, f"{name}.log", f"{host}:{port or 0}") as (process, reply):
        yield DelayedAddress(
            host=reply["host"],
            port=int(reply["port"]),
            process=process,
            upstream=upstream,
            direction=direction,
            delay_s=delay_s,
            loop=reply["loop"],
            accuracy=tried,
        )


def command(
    upstream: Address, delay_s: float, direction: Direction, listen: str, loop: Loop = "auto"
) -> list[str]:
    """The command line of a proxy; pure."""
    program = isolated_python("benchsuite.delay.proxy", packages=True)
    delay = [f"--{direction.replace('_', '-')}", f"{delay_s:g}"]
    return [*program, *delay, "--listen", listen, "--loop", loop, f"{upstream[0]}:{upstream[1]}"]


def _reply(process: Process) -> re.Match[str] | None:
    return LISTENING.search(process.log.read_text(errors="replace"))


@contextmanager
def _echo() -> Iterator[int]:
    """Serves one connection in a thread; yields the port."""

    def serve() -> None:
        with suppress(OSError), listener.accept()[0] as connection:
            connection.settimeout(ECHO_LIMIT_S)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while data := connection.recv(65536):
                connection.sendall(data)

    with socket.create_server((HOST, 0)) as listener:
        listener.settimeout(ECHO_LIMIT_S)
        thread = threading.Thread(target=serve, name="echo", daemon=True)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def accuracy(round_trips_s: list[float], delay_s: float, cpu_s: float | None = None) -> Accuracy:
    """From the times of all messages; `cpu_s` is the CPU time of the proxy."""
    errors = sorted(seconds - delay_s for seconds in round_trips_s)
    return Accuracy(
        messages=len(errors),
        median_error_s=median(errors),
        p99_error_s=errors[math.ceil(0.99 * len(errors)) - 1],
        worst_error_s=errors[-1],
        ceiling_per_s=len(errors) / cpu_s if cpu_s else None,
    )


def _cpu_s(pid: int) -> float:
    """CPU time of a process, to the nanosecond (clock_getcpuclockid(3) makes such numbers)."""
    return time.clock_gettime((~pid << 3) | 2)


def _round_trips(port: int) -> list[float]:
    """Seconds of each message's round trip to an echo server; raises OSError or TimeoutError.

    Messages are sent at even intervals without waiting for each other, so a long delay takes no
    longer to measure than a short one.
    """
    with socket.create_connection((HOST, port), timeout=LIMIT_S) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(bytes(MESSAGE_BYTES))  # excludes the time to connect
        _receive(connection)
        sent: list[float] = []
        arrived: list[float] = []
        received_bytes = 0
        begin = time.monotonic()
        deadline = begin + MESSAGES * PAUSE_S + LIMIT_S
        while len(arrived) < MESSAGES:
            next_at = begin + len(sent) * PAUSE_S if len(sent) < MESSAGES else deadline
            pause_s = max(0.0, next_at - time.monotonic())
            if select.select([connection], [], [], pause_s)[0]:
                now = time.monotonic()
                received_bytes += len(_receive(connection))
                arrived += [now] * (received_bytes // MESSAGE_BYTES - len(arrived))
            elif len(sent) < MESSAGES:
                sent.append(time.monotonic())
                connection.sendall(bytes(MESSAGE_BYTES))
            else:
                raise TimeoutError(f"{MESSAGES - len(arrived)} of {MESSAGES} did not come back")
    return [end - start for start, end in zip(sent, arrived, strict=True)]


def _receive(connection: socket.socket) -> bytes:
    block = connection.recv(65536)
    if not block:
        raise ConnectionResetError("the connection was closed")
    return block


@dataclass(kw_only=True)
class Delayer:
    """A proxy for each delayed direction of one server, while its block runs.

    Enter the block before the server starts, so that it ends after the server. Raises StartError.
    """

    spec: DelaySpec
    database: Address | None
    """Where the database listens and, inside the block, where the server reaches it; None without
    one over TCP."""
    layer: Address | None = None
    """The same of the channel layer's Redis, for the server and its workers; None without one that
    is known."""
    folder: Path
    marker: str
    env: Mapping[str, str] = field(repr=False)
    on_cpus: Collection[int] | None = None
    _proxies: dict[str, DelayedAddress] = field(default_factory=dict, init=False)
    _stack: ExitStack = field(default_factory=ExitStack, init=False)

    def __enter__(self) -> Self:
        with ExitStack() as self._stack:
            if self.database and self.spec.to_database_s:
                self.database = self._proxy("database", self.database, self.spec.to_database_s)
            if self.layer and self.spec.to_layer_s:
                self.layer = self._proxy("layer", self.layer, self.spec.to_layer_s)
            self._stack = self._stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def clients(self, server: Address) -> Address:
        """Where clients reach the server. Call it once; the server need not listen yet."""
        if not self.spec.to_clients_s:
            return server
        return self._proxy("clients", server, self.spec.to_clients_s)

    def processes(self) -> Mapping[str, Process]:
        """Proxies by name: their CPU time is neither the server's nor the load's."""
        return {name: proxy.process for name, proxy in self._proxies.items()}

    def to_json(self) -> dict[str, Any]:
        """What delays, and how accurate it is."""
        return {"proxies": {name: proxy.to_json() for name, proxy in self._proxies.items()}}

    def _proxy(self, whom: str, upstream: Address, delay_s: float) -> Address:
        # In the run's own folder, by a name so short that where Redis's socket fits, it does, too.
        own = str(self.folder / "late.sock") if is_socket(upstream[0]) else HOST
        proxy = delayed(
            upstream,
            delay_s=delay_s,
            direction="to_client" if whom == "clients" else "to_server",
            name=f"delay-to-{whom}",
            folder=self.folder,
            marker=self.marker,
            env=self.env,
            on_cpus=self.on_cpus,
            host=own,
        )
        self._proxies[f"delay-to-{whom}"] = address = self._stack.enter_context(proxy)
        return address.host, address.port
