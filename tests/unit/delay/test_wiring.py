"""Names and addresses of the wires into a private network."""

import uuid
from ipaddress import IPv4Address, IPv4Network

import pytest

from benchsuite.core.exceptions import UnavailableError
from benchsuite.delay.netem import Wire
from benchsuite.delay.wiring import BLOCK, OURS, routes, stale, wires

MARKER = "a-marker-of-a-run"

ROUTES = """\
Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
bs0123456789\t000012C6\t00000000\t0001\t0\t0\t0\tFCFFFFFF\t0\t0\t0
"""


def pair(marker: str = MARKER, taken: list[IPv4Network] | None = None) -> tuple[Wire, Wire]:
    return wires(marker, taken or [], to_clients_s=0.1, to_services_s=0.2)


def test_a_wire_for_clients_and_one_for_services() -> None:
    clients, services = pair()
    assert (clients.inside, clients.delay_s) == ("clients", 0.1)
    assert (services.inside, services.delay_s) == ("services", 0.2)


def test_both_ends_of_a_wire_are_in_a_network_of_four() -> None:
    nets = set()
    for wire in pair():
        outside, inside = IPv4Address(wire.outside_address), IPv4Address(wire.inside_address)
        network = IPv4Network((int(outside) - 1, 30))
        assert list(network.hosts()) == [outside, inside]
        assert network.subnet_of(BLOCK)
        nets.add(network)
    assert len(nets) == 2


def test_follow_from_the_marker() -> None:
    assert pair() == pair()
    others = [pair(uuid.uuid4().hex)[0] for _ in range(20)]
    assert len({wire.outside for wire in others}) == 20
    assert len({wire.outside_address for wire in others}) > 15, "16 384 places, and 20 of them"


def test_names_are_legal_and_known_again() -> None:
    for wire in pair():
        assert len(wire.outside) <= 15
        assert OURS.fullmatch(wire.outside)
    macs = [mac for wire in pair() for mac in (wire.outside_mac, wire.inside_mac)]
    assert len(set(macs)) == 4
    for mac in macs:
        first = int(mac[:2], 16)
        assert (first & 1, first & 2) == (0, 2), "of one interface, given by nobody"


def test_addresses_that_are_taken_are_left() -> None:
    first = IPv4Address(pair()[0].outside_address)
    taken = IPv4Network((int(first) - 1, 30))
    moved = pair(taken=[taken])
    assert all(IPv4Address(wire.outside_address) not in taken for wire in moved)
    assert moved[0].outside == pair()[0].outside


def test_no_address_left() -> None:
    with pytest.raises(UnavailableError, match="in use here"):
        pair(taken=[BLOCK])


def test_routes() -> None:
    assert routes(ROUTES) == [IPv4Network("192.0.2.0/24"), IPv4Network("198.18.0.0/30")]


def test_stale() -> None:
    dead, living, new = (f"bs{digit * 10}0" for digit in "123")
    links = [
        {"ifname": dead, "ifalias": "dead"},
        {"ifname": living, "ifalias": "living"},
        {"ifname": new},
        {"ifname": "bs-of-others", "ifalias": "dead"},
        {"ifname": "vethabc", "ifalias": "dead"},
        {},
    ]
    assert stale(links, lambda owner: owner == "dead") == [dead]
