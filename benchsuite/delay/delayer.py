"""One interface to both ways to delay: it gives a run addresses and command lines."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from benchsuite.core.specs.delay import NETEM, DelaySpec
from benchsuite.delay.address import HOST, Address, DelayedAddress, Direction, delayed
from benchsuite.delay.choice import Method
from benchsuite.delay.connection import is_socket
from benchsuite.delay.network import PrivateNetwork, private_network
from benchsuite.system.ports import free_port
from benchsuite.system.process import Process


class Delayer(Protocol):
    """Delays what one server sends to its database, channel layer and clients."""

    server_host: str
    """Where the server must listen; not on loopback with netem, so ALLOWED_HOSTS needs it."""

    def free_port(self) -> int:
        """A port of `server_host` that nobody listens on now."""

    def database(self) -> Address | None:
        """Where the server reaches its database, which may differ even when only clients are
        delayed; None without one over TCP.
        """

    def layer(self) -> Address | None:
        """Where the server and its workers reach the Redis of the channel layer; None without one
        that is known.
        """

    def wrapped(self, argv: Sequence[str]) -> list[str]:
        """The command line that starts the server."""

    def clients(self, port: int) -> Address:
        """Where clients reach the server on this port of `server_host`. Call it once; the server
        need not listen yet.
        """

    def processes(self) -> Mapping[str, Process]:
        """Proxies by name: their CPU time is neither the server's nor the load's."""

    def to_json(self) -> dict[str, Any]:
        """What delays, why it was chosen, and how accurate it is."""


@contextmanager
def delayer(
    spec: DelaySpec,
    choice: Method,
    *,
    database: Address | None,
    layer: Address | None = None,
    folder: Path,
    marker: str,
    env: Mapping[str, str],
    on_cpus: Collection[int] | None = None,
) -> Iterator[Delayer]:
    """Delays by `spec`, with the chosen delayer, while the block runs.

    `database` and `layer` are where the database and the channel layer's Redis listen; None for a
    file, or none. Enter the block before the server starts, so that it ends after the server.
    Raises StartError, and UnavailableError like `private_network`.
    """
    with ExitStack() as stack:
        start = LaunchOptions(folder=folder, marker=marker, env=env, on_cpus=on_cpus)
        if choice.by == NETEM:
            network = stack.enter_context(
                private_network(
                    to_clients_s=spec.to_clients_s,
                    to_services_s=spec.to_database_s,
                    services=[database] if database else [],
                    folder=folder,
                    marker=marker,
                    env=env,
                    on_cpus=on_cpus,
                )
            )
            yield NetemDelayer(network, choice, database)
        else:
            yield ProxyDelayer(spec, choice, start, stack, database=database, layer=layer)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchOptions:
    """How programs of a run are started."""

    folder: Path
    marker: str
    env: Mapping[str, str] = field(repr=False)
    on_cpus: Collection[int] | None


class ProxyDelayer:
    """A proxy for each delayed direction."""

    server_host = HOST

    def __init__(
        self,
        spec: DelaySpec,
        choice: Method,
        start: LaunchOptions,
        stack: ExitStack,
        *,
        database: Address | None,
        layer: Address | None,
    ) -> None:
        self._spec = spec
        self._choice = choice
        self._start = start
        self._stack = stack
        self._proxies: dict[str, DelayedAddress] = {}
        self._database = self._to("database", database, spec.to_database_s)
        self._layer = self._to("layer", layer, spec.to_layer_s)

    def free_port(self) -> int:
        return free_port(self.server_host)

    def database(self) -> Address | None:
        return self._database

    def layer(self) -> Address | None:
        return self._layer

    def wrapped(self, argv: Sequence[str]) -> list[str]:
        return list(argv)

    def clients(self, port: int) -> Address:
        server = (self.server_host, port)
        if not self._spec.to_clients_s:
            return server
        return self._proxy("delay-to-clients", server, "to_client", self._spec.to_clients_s)

    def processes(self) -> Mapping[str, Process]:
        return {name: proxy.process for name, proxy in self._proxies.items()}

    def to_json(self) -> dict[str, Any]:
        proxies = {name: proxy.to_json() for name, proxy in self._proxies.items()}
        return {"by": self._choice.by, "reason": self._choice.reason, "proxies": proxies}

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


class NetemDelayer:
    """A private network in which everything sent is delayed."""

    def __init__(self, network: PrivateNetwork, choice: Method, database: Address | None) -> None:
        self.server_host = network.address
        self._network = network
        self._choice = choice
        self._database = database

    def free_port(self) -> int:
        return self._network.free_port()

    def database(self) -> Address | None:
        if self._database is None:
            return None
        carrier = self._network.carried[self._database]
        return carrier.host, carrier.port

    def layer(self) -> Address | None:
        return None

    def wrapped(self, argv: Sequence[str]) -> list[str]:
        return self._network.wrapped(argv)

    def clients(self, port: int) -> Address:
        return self.server_host, port

    def processes(self) -> Mapping[str, Process]:
        carriers = [carrier.process for carrier in self._network.carried.values()]
        return {process.name: process for process in carriers}

    def to_json(self) -> dict[str, Any]:
        return {**self._network.to_json(), "reason": self._choice.reason}
