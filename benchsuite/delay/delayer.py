"""What a run asks of added latency: where each party is reached through a proxy."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchsuite.core.specs.server import DelaySpec
from benchsuite.delay.address import HOST, Address, DelayedAddress, Direction, delayed
from benchsuite.delay.connection import is_socket
from benchsuite.system.process import Process


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
