"""Addresses through which the parties of a run are reached with a delay."""

import re
from collections.abc import Collection, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import quote, unquote, urlsplit

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs.server import DelaySpec
from benchsuite.delay.proxy import is_socket
from benchsuite.system.process import Process, running, wait_until_ready
from benchsuite.system.programs import isolated_python

PORT = 6379


def address_of_redis(url: str) -> tuple[str, int]:
    """Host and port; of a Unix socket its path, and 0. Raises UsageError for a Redis that is not
    reached where its URL says, or not under another name.
    """
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return unquote(parts.path), 0
    if parts.scheme == "redis":
        with suppress(ValueError):  # a wrong port
            return parts.hostname or "localhost", parts.port or PORT
    raise UsageError(
        "--delay-to-layer needs one Redis, by neither TLS nor Sentinels; give --layer-url as "
        "redis://HOST:PORT/0."
    )


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

HOST = "127.0.0.1"
READY_S = 20.0
GRACE_S = 2.0

LISTENING = re.compile(r"^listening on (?P<host>.+):(?P<port>\d+) with (?P<loop>.+)$", re.M)


def command(upstream: Address, delay_s: float, direction: Direction, listen: str) -> list[str]:
    program = isolated_python("benchsuite.delay.proxy", packages=True)
    delay = [f"--{direction.replace('_', '-')}", f"{delay_s:g}"]
    return [*program, *delay, "--listen", listen, f"{upstream[0]}:{upstream[1]}"]


@dataclass(kw_only=True)
class Delayer:
    """A proxy for each delayed direction of one server, in a block that begins before the server
    starts, so that it ends after it. Raises StartError.
    """

    spec: DelaySpec
    database: Address | None
    """Where the database listens or, in the block, is reached by the server; None without TCP."""
    layer: Address | None = None
    """The same of the channel layer's Redis, for server and workers; None without a known one."""
    folder: Path
    marker: str
    env: Mapping[str, str] = field(repr=False)
    on_cpus: Collection[int] | None = None
    processes: dict[str, Process] = field(default_factory=dict, init=False)
    """Proxies by name: their CPU time is neither the server's nor the load's."""
    _facts: dict[str, Any] = field(default_factory=dict, init=False)  #: Of each, to be stored.
    _stack: ExitStack = field(default_factory=ExitStack, init=False)

    def __enter__(self) -> Self:
        with ExitStack() as self._stack:
            if self.database and self.spec.to_database_s:
                self.database = self.proxy("database", self.database, self.spec.to_database_s)
            if self.layer and self.spec.to_layer_s:
                self.layer = self.proxy("layer", self.layer, self.spec.to_layer_s)
            self._stack = self._stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def clients(self, server: Address) -> Address:
        """Where clients reach the server. Call it once; the server need not listen yet."""
        delay_s = self.spec.to_clients_s
        return self.proxy("clients", server, delay_s) if delay_s else server

    def to_json(self) -> dict[str, Any]:
        return {"proxies": self._facts}

    def proxy(self, whom: str, upstream: Address, delay_s: float) -> Address:
        """Where a proxy listens until the block is left: a free port in front of `upstream`, which
        need not listen yet. What is sent to them is delayed, one way. Raises StartError.
        """
        name = f"delay-to-{whom}"
        direction: Direction = "to_client" if whom == "clients" else "to_server"
        # In the run's own folder, by a name so short that where Redis's socket fits, it does, too.
        host = str(self.folder / "late.sock") if is_socket(upstream[0]) else HOST
        process = self.processes[name] = self._stack.enter_context(
            running(
                command(upstream, delay_s, direction, f"{host}:0"),
                name=name,
                log=self.folder / f"{name}.log",
                env=self.env,
                grace_s=GRACE_S,
                marker=self.marker,
                on_cpus=self.on_cpus,
            )
        )

        def reply() -> re.Match[str] | None:
            """Its line about where it listens: a port that answers would prove nothing."""
            return LISTENING.search(process.log.read_text(errors="replace"))

        wait_until_ready(process, lambda: reply() is not None, timeout_s=READY_S)
        listening = reply()
        assert listening is not None
        self._facts[name] = {
            "by": "proxy",
            "direction": direction,
            "delay_s": delay_s,
            "loop": listening["loop"],  # "uvloop 0.22.1" or "asyncio"
        }
        return listening["host"], int(listening["port"])
