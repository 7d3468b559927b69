"""Whether the kernel can delay packets here (tc-netem), and the commands for it."""

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchsuite.servers.base import Available

PROGRAMS = {
    "ip": "apt install iproute2",
    "tc": "apt install iproute2",
    "nsenter": "apt install util-linux",
    "unshare": "apt install util-linux",
}
SYSTEM_PATHS = "/usr/sbin:/sbin:/usr/bin:/bin"  #: Where Debian keeps them, not on users' paths.

TRY_S = 10.0

LIMIT_PACKETS = 1_000_000
"""netem drops what exceeds its queue; a busy server sends more than its default of 1000 packets in
200 ms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """A veth pair: what is sent into one network interface comes out of the other."""

    outside: str  #: The interface of this machine's network.
    inside: str  #: The interface of the private network.
    outside_address: str
    inside_address: str
    outside_mac: str
    inside_mac: str
    delay_s: float  #: Of what is sent from inside.


def program(name: str) -> str:
    """Its path, or its bare name if not installed."""
    return shutil.which(name) or shutil.which(name, path=SYSTEM_PATHS) or name


def entering(pid: int) -> list[str]:
    """The start of a command line that runs in the network of that process.

    Not `ip netns exec`, which hides the control groups from what it starts.
    """
    return [program("nsenter"), f"--net=/proc/{pid}/ns/net", "--"]


def connecting(wire: Wire, pid: int, alias: str) -> list[list[str]]:
    """The commands that connect this network with that of a process; pure except for paths.

    The inner end is created inside the process's network, so that both ends vanish with it. The
    neighbour tables are filled, because ARP replies would be delayed too.
    """
    ip, inside = program("ip"), entering(pid)
    made = ["name", wire.outside, "address", wire.outside_mac, "type", "veth"]
    peer = ["name", wire.inside, "address", wire.inside_mac, "netns", str(pid)]
    commands = [
        [ip, "link", "add", *made, "peer", *peer],
        [ip, "link", "set", wire.outside, "alias", alias],
    ]
    for start, device, address, other, other_mac in (
        ([], wire.outside, wire.outside_address, wire.inside_address, wire.inside_mac),
        (inside, wire.inside, wire.inside_address, wire.outside_address, wire.outside_mac),
    ):
        neighbour = [ip, "neighbour", "replace", other, "lladdr", other_mac, "dev", device]
        commands += [
            [*start, ip, "address", "add", f"{address}/30", "dev", device],
            [*start, ip, "link", "set", device, "up"],
            [*start, *neighbour, "nud", "permanent"],
        ]
    if wire.delay_s:
        commands.append([*inside, *delaying(wire.inside, wire.delay_s)])
    return commands


def opening(pid: int) -> list[str]:
    """The command that sets up loopback in the process's network; pure except for paths."""
    return [*entering(pid), program("ip"), "link", "set", "lo", "up"]


def delaying(device: str, delay_s: float) -> list[str]:
    """The command that delays everything sent from an interface; pure except for the path."""
    netem = ["netem", "limit", str(LIMIT_PACKETS), "delay", f"{round(delay_s * 1e6)}us"]
    return [program("tc"), "qdisc", "add", "dev", device, "root", *netem]


def removing(device: str) -> list[str]:
    return [program("ip"), "link", "delete", device]


def available() -> Available:
    """Whether machine, kernel and user allow netem; tested in a temporary network."""
    for name, command in PROGRAMS.items():
        if not os.path.isabs(program(name)):
            return Available(False, f"there is no program {name}", command)
    unshare, ip = program("unshare"), program("ip")
    if complaint([unshare, "--net", "true"]):
        return Available(False, "only root may create a network for a server", "run it as root")
    veth = [ip, *("link", "add", "name", "veth0"), *("type", "veth", "peer", "name", "veth1")]
    if said := complaint([unshare, "--net", *veth]):
        return Available(False, f"this kernel has no veth ({said})", "modprobe veth")
    if said := complaint([unshare, "--net", *delaying("lo", 0.001)]):
        return Available(False, f"this kernel has no netem ({said})", "modprobe sch_netem")
    return Available(True)


def wires_here() -> list[dict[str, Any]]:
    """All veth interfaces of this machine's network, from `ip -json link`."""
    argv = [program("ip"), "-json", "link", "show", "type", "veth"]
    found: list[dict[str, Any]] = json.loads(output(argv) or "[]")
    return found


def output(argv: Sequence[str]) -> str:
    """The output of a command that should not fail."""
    return subprocess.run(
        argv, capture_output=True, text=True, timeout=TRY_S, check=True
    ).stdout.strip()


def complaint(argv: Sequence[str]) -> str:
    """The error of a command that fails; empty if it succeeds."""
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, errors="replace", timeout=TRY_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return ""
    said = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
    return said[-1].removeprefix("Error: ").rstrip(".")
