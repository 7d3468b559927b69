"""Things done with private networks, in a network that is not this machine's own.

    unshare --map-root-user --net python -m tests.integration.delay_network SCENE FOLDER

Prints what was seen as JSON. In there one is root, whoever one is outside, and nothing that goes
wrong touches the machine's own network.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from benchsuite.core.exceptions import UnavailableError
from benchsuite.core.specs.delay import DelaySpec
from benchsuite.delay import netem
from benchsuite.delay.choice import Method
from benchsuite.delay.delayer import delayer
from benchsuite.delay.network import PrivateNetwork, private_network, sweep
from benchsuite.system import owner
from benchsuite.system.guard import guarded
from benchsuite.system.readiness import wait_until_ready
from benchsuite.system.starting import running
from tests.integration.delay_servers import connect, receive_all, server
from tests.integration.left_behind import eventually, processes_with

MODULE = "tests.integration.delay_network"
MARKER = "a-marker-of-a-network"
IN_A_NETWORK = ("unshare", "--map-root-user", "--net")
LONGEST_S = 60

VISIT = "import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 5)"
PAGES = "import sys; from http.server import test; from http.server import *; " + (
    "test(SimpleHTTPRequestHandler, bind=sys.argv[1], port=int(sys.argv[2]))"
)


def scene(name: str, folder: Path, prefix: tuple[str, ...] = IN_A_NETWORK) -> dict[str, Any]:
    """What a scene has seen."""
    done = subprocess.run(
        [*prefix, sys.executable, "-X", "dev", "-m", MODULE, name, str(folder)],
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


def our_wires() -> list[str]:
    said = subprocess.check_output(["ip", "-json", "link", "show", "type", "veth"])
    return [one["ifname"] for one in json.loads(said or b"[]") if "ifname" in one]


@contextmanager
def network(
    folder: Path, *services: tuple[str, int], marker: str = MARKER, **delays: float
) -> Iterator[PrivateNetwork]:
    with private_network(
        **{"to_clients_s": 0.0, "to_services_s": 0.0, **delays},
        services=services,
        folder=folder,
        marker=marker,
        env=dict(os.environ),
    ) as one:
        yield one


def reach(folder: Path) -> dict[str, Any]:
    """Who reaches whom."""
    with ExitStack() as stack:
        service = stack.enter_context(
            server(lambda connection: connection.sendall(b"at your service"))
        )
        inner = stack.enter_context(network(folder, service))
        port = stack.enter_context(pages(inner, folder))
        carrier = inner.carried[service]

        def visits(host: str, port: int) -> bool:
            argv = inner.wrapped([sys.executable, "-c", VISIT, host, str(port)])
            return subprocess.run(argv, capture_output=True, check=False).returncode == 0

        seen = {
            "page": urlopen(f"http://{inner.address}:{port}/").status,
            "inside_reaches_carried": visits(carrier.host, carrier.port),
            "inside_reaches_itself": visits(inner.address, port),
            "inside_reaches_our_loopback": visits("127.0.0.1", service[1]),
            "inside_reaches_our_port": visits(carrier.host, service[1]),
            "carried": _said_by(carrier.host, carrier.port),
            "wires": len(our_wires()),
            "accuracies": {name: one.median_error_s for name, one in inner.accuracies.items()},
        }
    return {
        **seen,
        "wires_afterwards": our_wires(),
        "processes_afterwards": processes_with(MARKER),
    }


@contextmanager
def pages(inner: PrivateNetwork, folder: Path) -> Iterator[int]:
    """A web server in the private network, started as a run starts it."""
    port = 8000

    def answers() -> bool:
        try:
            return bool(urlopen(f"http://{inner.address}:{port}/", timeout=5).status == 200)
        except OSError:
            return False

    with running(
        inner.wrapped([sys.executable, "-S", "-c", PAGES, inner.address, str(port)]),
        name="pages",
        log=folder / "pages.log",
        env=dict(os.environ),
        cwd=folder,
        marker=MARKER,
        grace_s=1,
    ) as process:
        wait_until_ready(process, answers, timeout_s=20)
        yield port


def _said_by(host: str, port: int) -> str:
    with connect((host, port)) as connection:
        return receive_all(connection).decode()


def facade(folder: Path) -> dict[str, Any]:
    """What a run would do."""
    choice = Method(by="netem", reason="of the test")
    with (
        server(lambda connection: connection.sendall(b"a row")) as service,
        delayer(
            DelaySpec(by="netem"),
            choice,
            database=service,
            folder=folder,
            marker=MARKER,
            env=dict(os.environ),
        ) as late,
    ):
        there = late.database()
        assert there is not None
        return {
            "row": _said_by(*there),
            "clients": late.clients(80) == (late.server_host, 80),
            "wrapped": late.wrapped(["server"])[-1],
            "processes": sorted(late.processes()),
            "free_port": late.free_port(),
            "json": json.loads(json.dumps(late.to_json())),
        }


def delayed_by_netem(folder: Path) -> dict[str, Any]:
    """Really delays where the kernel can; elsewhere, how that is told, and what is left."""
    there = netem.available()
    try:
        with network(folder, to_clients_s=0.1, to_services_s=0.2) as inner:
            errors = {name: one.median_error_s for name, one in inner.accuracies.items()}
        return {"ok": there.ok, "errors": errors}
    except UnavailableError as error:
        return {
            "ok": there.ok,
            "reason": there.reason,
            "message": str(error),
            "wires_afterwards": our_wires(),
            "processes_afterwards": processes_with(MARKER),
        }


def killed(folder: Path) -> dict[str, Any]:
    """The parent of a network with a server in it is killed."""
    return _killed(folder, "victim")


def killed_unguarded(folder: Path) -> dict[str, Any]:
    """And its guard with it."""
    return _killed(folder, "victim_unguarded")


def _killed(folder: Path, victim: str) -> dict[str, Any]:
    argv = [sys.executable, "-m", MODULE, victim, str(folder)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "ready\n"
        before = len(our_wires()), len(processes_with(MARKER))
        parent.send_signal(signal.SIGKILL)
    return {
        "wires_before": before[0],
        "processes_before": before[1],
        "processes_gone": eventually(lambda: not processes_with(MARKER)),
        "wires_gone": eventually(lambda: not our_wires()),
    }


def victim(_: Path) -> dict[str, Any]:
    run = Path(tempfile.mkdtemp(prefix="benchsuite-"))  # the guard removes it
    with guarded(MARKER, run):
        return victim_unguarded(run)


def victim_unguarded(folder: Path) -> dict[str, Any]:
    service = ("127.0.0.1", 9)
    with network(folder, service) as inner, pages(inner, folder):
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        time.sleep(LONGEST_S)
    return {}


def swept(folder: Path) -> dict[str, Any]:
    """Wires of a dead run are cut, those of the living and of strangers stay."""
    dead = owner.name().rsplit(":", 2)[0] + ":999999999:1"
    aliases = {"bs00000000000": dead, "bs11111111110": owner.name()}
    for name in (*aliases, "stranger"):
        subprocess.run(["ip", "link", "add", "name", name, "type", "veth"], check=True)
    for name, alias in aliases.items():
        subprocess.run(["ip", "link", "set", name, "alias", alias], check=True)
    sweep()
    return {"left": sorted(set(our_wires()) & {*aliases, "stranger"})}


def occupied(folder: Path) -> dict[str, Any]:
    """Two networks at once don't get in each other's way."""
    with network(folder) as first, network(folder, marker="another-marker") as second:
        return {"addresses": [first.address, second.address]}


SCENES: dict[str, Callable[[Path], dict[str, Any]]] = {
    one.__name__: one
    for one in (
        *(reach, facade, delayed_by_netem, killed, killed_unguarded),
        *(victim, victim_unguarded, swept, occupied),
    )
}


def main() -> None:
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    sys.stdout.write(json.dumps(SCENES[sys.argv[1]](Path(sys.argv[2]))))


if __name__ == "__main__":
    main()
