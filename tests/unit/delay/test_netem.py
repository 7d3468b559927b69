"""The commands that make a private network, word by word."""

import pytest

from benchsuite.delay import netem
from benchsuite.delay.netem import LIMIT_PACKETS, Wire, connecting, delaying, opening

WIRE = Wire(
    outside="bs01234567890",
    inside="clients",
    outside_address="198.18.0.1",
    inside_address="198.18.0.2",
    outside_mac="02:00:00:00:00:00",
    inside_mac="02:00:00:00:00:01",
    delay_s=0.1,
)


@pytest.fixture(autouse=True)
def bare_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(netem, "program", lambda name: name)


def test_connecting() -> None:
    commands = [" ".join(command) for command in connecting(WIRE, 42, "an owner")]
    enter = "nsenter --net=/proc/42/ns/net --"
    assert commands == [
        "ip link add name bs01234567890 address 02:00:00:00:00:00 type veth "
        "peer name clients address 02:00:00:00:00:01 netns 42",
        "ip link set bs01234567890 alias an owner",
        "ip address add 198.18.0.1/30 dev bs01234567890",
        "ip link set bs01234567890 up",
        "ip neighbour replace 198.18.0.2 lladdr 02:00:00:00:00:01 dev bs01234567890 nud permanent",
        f"{enter} ip address add 198.18.0.2/30 dev clients",
        f"{enter} ip link set clients up",
        f"{enter} ip neighbour replace 198.18.0.1 lladdr 02:00:00:00:00:00 dev clients "
        "nud permanent",
        f"{enter} tc qdisc add dev clients root netem limit {LIMIT_PACKETS} delay 100000us",
    ]


def test_a_wire_without_a_delay_needs_no_netem() -> None:
    wire = Wire(
        **{
            name: getattr(WIRE, name)
            for name in (
                *("outside", "inside", "outside_address", "inside_address"),
                *("outside_mac", "inside_mac"),
            )
        },
        delay_s=0.0,
    )
    assert not [command for command in connecting(wire, 42, "") if "tc" in command]


@pytest.mark.parametrize(
    ("delay_s", "written"), [(0.0005, "500us"), (0.2, "200000us"), (60.0, "60000000us")]
)
def test_delays_are_written_in_microseconds(delay_s: float, written: str) -> None:
    assert delaying("eth0", delay_s)[-1] == written


def test_queue_holds_more_than_a_server_can_send_meanwhile() -> None:
    assert LIMIT_PACKETS >= 60 * 10_000, "packets are lost that the delay should only hold"


def test_opening() -> None:
    assert " ".join(opening(7)) == "nsenter --net=/proc/7/ns/net -- ip link set lo up"


def test_missing_program_is_told_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(netem, "program", lambda name: name if name == "tc" else f"/bin/{name}")
    found = netem.available()
    assert (found.ok, found.reason) == (False, "there is no program tc")
    assert found.command == "apt install iproute2"


@pytest.mark.parametrize(
    ("fails", "reason"),
    [
        ("true", "only root may create a network for a server"),
        ("veth", "this kernel has no veth (it said so)"),
        ("netem", "this kernel has no netem (it said so)"),
        ("nothing", ""),
    ],
)
def test_what_is_tried(monkeypatch: pytest.MonkeyPatch, fails: str, reason: str) -> None:
    monkeypatch.setattr(netem, "program", lambda name: f"/bin/{name}")
    monkeypatch.setattr(netem, "complaint", lambda argv: "it said so" if fails in argv else "")
    found = netem.available()
    assert found.reason == reason
    assert found.ok is (not reason)
    assert bool(found.command) is bool(reason)
