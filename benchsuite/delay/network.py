"""A private network for a server, in which the kernel delays what the server sends.

It has two wires: clients use one, the server reaches its services over the other. The network lives
as long as a process in it, so nothing is left behind when all are killed.
"""

import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchsuite.core.exceptions import UnavailableError
from benchsuite.delay import netem, wiring
from benchsuite.delay.accuracy import Accuracy, accuracy, round_trips
from benchsuite.delay.address import Address, DelayedAddress, delayed
from benchsuite.delay.netem import Wire
from benchsuite.system import owner
from benchsuite.system.interrupts import held_back
from benchsuite.system.isolated import python
from benchsuite.system.process import Process
from benchsuite.system.readiness import wait_until_ready
from benchsuite.system.starting import running

READY_S = 20.0
GRACE_S = 2.0
LISTENING = re.compile(r"^listening on port (\d+)$", re.MULTILINE)

VISIT = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=5).close()
except ConnectionResetError:  # the route is open, but the service is not up
    pass
"""

FREE_PORT = """
import socket, sys
with socket.socket() as listener:
    listener.bind((sys.argv[1], 0))
    print(listener.getsockname()[1])
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateNetwork:
    """A network that is up, with the requested services."""

    holder: Process  #: The process that keeps it alive.
    address: str  #: Where a server in it must listen to be reached from here.
    carried: Mapping[Address, DelayedAddress]
    """A service's address here → the proxy by which it is reached from inside."""
    wires: tuple[Wire, Wire]
    accuracies: Mapping[str, Accuracy]
    """Name of the wire ("clients", "services") → the accuracy of its delay."""

    def wrapped(self, argv: Sequence[str]) -> list[str]:
        """The command line that starts a program in this network."""
        return [*netem.entering(self.holder.pid), *argv]

    def free_port(self) -> int:
        """A port inside that nobody listens on now; only a process inside can tell."""
        program = [sys.executable, "-I", "-S", "-c", FREE_PORT, self.address]
        return int(netem.output(self.wrapped(program)))

    def to_json(self) -> dict[str, Any]:
        return {
            "by": "netem",
            "wires": {
                wire.inside: {
                    "delay_s": wire.delay_s,
                    "accuracy": self.accuracies[wire.inside].to_json(),
                }
                for wire in self.wires
            },
        }


@contextmanager
def private_network(
    *,
    to_clients_s: float,
    to_services_s: float,
    services: Collection[Address],
    folder: Path,
    marker: str,
    env: Mapping[str, str],
    on_cpus: Collection[int] | None = None,
) -> Iterator[PrivateNetwork]:
    """A private network while the block runs; processes in it reach only the `services`.

    Data sent from inside to clients and services is delayed. The services are reached through
    proxies without delay at this end of their wire, so they may listen on loopback.

    Raises UnavailableError when it can't be created or a firewall blocks it; check
    `netem.available()` first.
    """
    with ExitStack() as stack:
        sweep()
        wires = wiring.wires(
            marker,
            wiring.routes(Path("/proc/net/route").read_text()),
            to_clients_s=to_clients_s,
            to_services_s=to_services_s,
        )
        holder = stack.enter_context(
            running(
                [
                    netem.program("unshare"),
                    "--net",
                    "--",
                    *python("benchsuite.delay.echo", packages=True),
                ],
                name="private-network",
                log=folder / "private-network.log",
                env=env,
                grace_s=GRACE_S,
                marker=marker,
                on_cpus=on_cpus,
            )
        )
        wait_until_ready(holder, lambda: _port(holder) is not None, timeout_s=READY_S)
        _run(netem.opening(holder.pid))
        for wire in wires:
            with held_back():
                stack.callback(_remove, wire.outside)
                for command in netem.connecting(wire, holder.pid, owner.name()):
                    _run(command)
        accuracies = {wire.inside: _measured(wire, _port(holder)) for wire in wires}
        carried = {
            service: stack.enter_context(
                delayed(
                    service,
                    delay_s=0.0,
                    direction="to_server",
                    name=f"carrier-{number}",
                    folder=folder,
                    marker=marker,
                    env=env,
                    on_cpus=on_cpus,
                    host=wires[1].outside_address,
                    measured=False,
                )
            )
            for number, service in enumerate(services)
        }
        network = PrivateNetwork(
            holder=holder,
            address=wires[0].inside_address,
            carried=carried,
            wires=wires,
            accuracies=accuracies,
        )
        for way in carried.values():
            _visit(network, way)
        yield network


def sweep() -> None:
    """Removes the wires of dead runs, which exist only if a process of the run survived."""
    for name in wiring.stale(netem.wires_here(), owner.has_ended):
        _remove(name)


def _port(holder: Process) -> int | None:
    said = LISTENING.search(holder.log.read_text(errors="replace"))
    return int(said[1]) if said else None


def _measured(wire: Wire, port: int | None) -> Accuracy:
    assert port is not None
    try:
        times = round_trips(wire.inside_address, port)
    except OSError as error:
        raise UnavailableError(
            f"Nothing passes the wire to {wire.inside} of the private network ({error}); allow "
            "198.18.0.0/15 in this machine's firewall, or take --delay-by=proxy."
        ) from error
    return accuracy(times, wire.delay_s)


def _visit(network: PrivateNetwork, way: DelayedAddress) -> None:
    """Connects from inside, so that a firewall is reported at once."""
    program = [sys.executable, "-I", "-S", "-c", VISIT, way.host, str(way.port)]
    if said := netem.complaint(network.wrapped(program)):
        host, port = way.upstream
        raise UnavailableError(
            f"{host}:{port} can't be reached from the private network ({said}); allow "
            "198.18.0.0/15 in this machine's firewall, or take --delay-by=proxy."
        )


def _remove(device: str) -> None:
    netem.complaint(netem.removing(device))  # it may have vanished with its other end's network


def _run(argv: Sequence[str]) -> None:
    if said := netem.complaint(argv):
        raise UnavailableError(
            f"The private network can't be created: {' '.join(argv)} says {said!r}; take "
            "--delay-by=proxy."
        )
