"""Addresses through which the parties of a run are reached with a delay."""

import re
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, unquote, urlsplit

from benchsuite.core.exceptions import StartError, UsageError
from benchsuite.core.specs.layer import is_by_sentinel
from benchsuite.core.specs.server import MAX_DELAY_S, DelaySpec
from benchsuite.delay.accuracy import Accuracy, accuracy, echo, round_trips
from benchsuite.delay.connection import is_socket
from benchsuite.system.process import Process, running, wait_until_ready
from benchsuite.system.programs import isolated_python

PORT = 6379


def address_of_redis(url: str) -> tuple[str, int]:
    """Host and port; of a Unix socket its path, and 0.

    Raises UsageError for a Redis that is not reached where its URL says, or not under another name.
    """
    if is_by_sentinel(url):
        raise UsageError(
            "--delay-to-layer delays one Redis, and the Sentinels of --layer-url name another one "
            "whenever they like; give the URL of the Redis itself."
        )
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

LISTENING = re.compile(r"^listening on (?P<host>.+):(?P<port>\d+) with (?P<loop>.+)$", re.M)


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
            "accuracy": self.accuracy and self.accuracy.to_json(),
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

    Raises UsageError for a delay that is negative or above 60 s, StartError when the proxy does not
    start.
    """
    if not 0 <= delay_s <= MAX_DELAY_S:
        raise UsageError(f"A delay must be from 0 to {MAX_DELAY_S:g} s, and is {delay_s:g} s.")

    @contextmanager
    def proxy(
        upstream: Address, name: str, log: str, listen: Address
    ) -> Iterator[tuple[Process, re.Match[str]]]:
        with running(
            command(upstream, delay_s=delay_s, direction=direction, listen=listen, loop=loop),
            name=name,
            log=folder / log,
            env=env,
            grace_s=GRACE_S,
            marker=marker,
            on_cpus=on_cpus,
        ) as process:
            wait_until_ready(process, lambda: _said(process) is not None, timeout_s=READY_S)
            reply = _said(process)
            assert reply is not None
            yield process, reply

    exactness = None
    if measured:
        with (
            echo() as echo_port,
            proxy((HOST, echo_port), name, f"{name}-echo.log", (HOST, 0)) as (
                process,
                reply,
            ),
        ):
            exactness = _measured(process, int(reply["port"]), delay_s)
    with proxy(upstream, name, f"{name}.log", (host, port or 0)) as (process, reply):
        yield DelayedAddress(
            host=reply["host"],
            port=int(reply["port"]),
            process=process,
            upstream=upstream,
            direction=direction,
            delay_s=delay_s,
            loop=reply["loop"],
            accuracy=exactness,
        )


def command(
    upstream: Address,
    *,
    delay_s: float,
    direction: Direction,
    listen: Address,
    loop: Loop = "auto",
) -> list[str]:
    """The command line of a proxy; pure."""
    return [
        *isolated_python("benchsuite.delay.proxy", packages=True),
        *("--to-server" if direction == "to_server" else "--to-client", f"{delay_s:g}"),
        *("--listen", f"{listen[0]}:{listen[1]}", "--loop", loop),
        f"{upstream[0]}:{upstream[1]}",
    ]


def _said(process: Process) -> re.Match[str] | None:
    """The proxy's line about where it listens; a port that answers would prove nothing."""
    return LISTENING.search(process.log.read_text(errors="replace"))


def _measured(process: Process, port: int, delay_s: float) -> Accuracy:
    before = _cpu_s(process.pid)
    try:
        times = round_trips(HOST, port)
    except OSError as error:
        what = f"{process.name} forwards nothing: {error}"
        raise StartError(what, process.log_tail()) from error
    return accuracy(times, delay_s, _cpu_s(process.pid) - before)


def _cpu_s(pid: int) -> float:
    """CPU time of a process, to the nanosecond (clock_getcpuclockid(3) makes such numbers)."""
    return time.clock_gettime((~pid << 3) | 2)


@contextmanager
def delayer(
    spec: DelaySpec,
    *,
    database: Address | None,
    layer: Address | None = None,
    folder: Path,
    marker: str,
    env: Mapping[str, str],
    on_cpus: Collection[int] | None = None,
) -> Iterator["Delayer"]:
    """Delays by `spec` while the block runs.

    `database` and `layer` are where the database and the channel layer's Redis listen; None for a
    file, or none. Enter the block before the server starts, so that it ends after the server.
    Raises StartError.
    """
    with ExitStack() as stack:
        start = LaunchOptions(folder=folder, marker=marker, env=env, on_cpus=on_cpus)
        yield Delayer(spec, start, stack, database=database, layer=layer)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchOptions:
    """How programs of a run are started."""

    folder: Path
    marker: str
    env: Mapping[str, str] = field(repr=False)
    on_cpus: Collection[int] | None


class Delayer:
    """A proxy for each delayed direction of one server."""

    database: Address | None
    """Where the server reaches its database; None without one over TCP."""
    layer: Address | None
    """Where the server and its workers reach the Redis of the channel layer; None without one that
    is known."""

    def __init__(
        self,
        spec: DelaySpec,
        start: LaunchOptions,
        stack: ExitStack,
        *,
        database: Address | None,
        layer: Address | None,
    ) -> None:
        self._spec = spec
        self._start = start
        self._stack = stack
        self._proxies: dict[str, DelayedAddress] = {}
        self.database = self._to("database", database, spec.to_database_s)
        self.layer = self._to("layer", layer, spec.to_layer_s)

    def clients(self, server: Address) -> Address:
        """Where clients reach the server. Call it once; the server need not listen yet."""
        if not self._spec.to_clients_s:
            return server
        return self._proxy("delay-to-clients", server, "to_client", self._spec.to_clients_s)

    def processes(self) -> Mapping[str, Process]:
        """Proxies by name: their CPU time is neither the server's nor the load's."""
        return {name: proxy.process for name, proxy in self._proxies.items()}

    def to_json(self) -> dict[str, Any]:
        """What delays, and how accurate it is."""
        return {"proxies": {name: proxy.to_json() for name, proxy in self._proxies.items()}}

    def _to(self, service: str, address: Address | None, delay_s: float) -> Address | None:
        """Where the server reaches a service."""
        if address is None or not delay_s:
            return address
        return self._proxy(f"delay-to-{service}", address, "to_server", delay_s)

    def _proxy(self, name: str, upstream: Address, direction: Direction, delay_s: float) -> Address:
        # In the run's own folder, by a name so short that where Redis's socket fits, it does, too.
        own = str(self._start.folder / "late.sock") if is_socket(upstream[0]) else HOST
        proxy = self._stack.enter_context(
            delayed(
                upstream,
                delay_s=delay_s,
                direction=direction,
                name=name,
                folder=self._start.folder,
                marker=self._start.marker,
                env=self._start.env,
                on_cpus=self._start.on_cpus,
                host=own,
            )
        )
        self._proxies[name] = proxy
        return proxy.host, proxy.port
