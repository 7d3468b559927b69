"""Names and addresses of the wires into a private network: pure functions."""

import hashlib
import re
import socket
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from ipaddress import IPv4Network
from typing import Any

from benchsuite.core.exceptions import UnavailableError
from benchsuite.delay.netem import Wire

BLOCK = IPv4Network("198.18.0.0/15")
"""Reserved for network benchmarks (RFC 2544): no real host has these addresses."""

SHARE_BITS = 29  #: Each private network gets eight addresses, four for each wire.

OURS = re.compile(r"bs[0-9a-f]{10}[01]")  #: Names of our interfaces; Linux allows 15 characters.

DEFAULT_ROUTE = IPv4Network("0.0.0.0/0")


def wires(
    marker: str, taken: Sequence[IPv4Network], *, to_clients_s: float, to_services_s: float
) -> tuple[Wire, Wire]:
    """The wires to clients and services; names and addresses depend on the run's marker and on
    those already in use.

    Raises UnavailableError when all addresses are in use.
    """
    digest = hashlib.sha256(marker.encode()).hexdigest()
    share = _share(int(digest, 16), taken)
    clients = _wire(digest, share, 0, "clients", to_clients_s)
    return clients, _wire(digest, share, 1, "services", to_services_s)


def routes(text: str) -> list[IPv4Network]:
    """The networks that this machine has routes to, from /proc/net/route; not the default."""
    found = []
    for line in text.splitlines()[1:]:
        fields = line.split()
        address, mask = (
            socket.inet_ntoa(struct.pack("=L", int(fields[place], 16))) for place in (1, 7)
        )
        found.append(IPv4Network((address, mask)))
    return [network for network in found if network != DEFAULT_ROUTE]


def stale(links: Iterable[Mapping[str, Any]], has_ended: Callable[[str], bool]) -> list[str]:
    """Interfaces of dead runs in the output of `ip -json link`; `has_ended` judges the owner in
    their alias. One without an alias is just being created.
    """
    return [
        str(link["ifname"])
        for link in links
        if OURS.fullmatch(str(link.get("ifname", "")))
        and "ifalias" in link
        and has_ended(str(link["ifalias"]))
    ]


def _share(wanted: int, taken: Sequence[IPv4Network]) -> IPv4Network:
    shares = 2 ** (SHARE_BITS - BLOCK.prefixlen)
    for number in range(shares):
        first = BLOCK.network_address + 8 * ((wanted + number) % shares)
        share = IPv4Network((first, SHARE_BITS))
        if not any(share.overlaps(other) for other in taken):
            return share
    raise UnavailableError(
        f"All addresses of {BLOCK} are in use here, and a private network needs eight of them; "
        "take --delay-by=proxy."
    )


def _wire(digest: str, share: IPv4Network, number: int, inside: str, delay_s: float) -> Wire:
    first = share.network_address + 4 * number
    return Wire(
        outside=f"bs{digest[:10]}{number}",
        inside=inside,
        outside_address=str(first + 1),
        inside_address=str(first + 2),
        outside_mac=_mac(digest, 2 * number),
        inside_mac=_mac(digest, 2 * number + 1),
        delay_s=delay_s,
    )


def _mac(digest: str, number: int) -> str:
    """02 marks a locally administered address."""
    return ":".join(["02", *(digest[place : place + 2] for place in (0, 2, 4, 6)), f"{number:02x}"])
