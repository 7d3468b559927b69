"""Private networks, really made: who reaches whom, and that nothing of them stays."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.integration.delay_network import scene
from tests.needs import needs

pytestmark = [pytest.mark.alone, needs("private-network", "iproute2")]

WITHIN_S = 0.002


@pytest.fixture(scope="module")
def reached(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return scene("reach", tmp_path_factory.mktemp("reach"))


def test_server_inside_is_reached(reached: dict[str, Any]) -> None:
    assert reached["page"] == 200
    assert reached["inside_reaches_itself"]


def test_services_are_carried(reached: dict[str, Any]) -> None:
    assert reached["inside_reaches_carried"]
    assert reached["carried"] == "at your service"


def test_nothing_else_is_reached_from_inside(reached: dict[str, Any]) -> None:
    assert not reached["inside_reaches_our_loopback"]
    assert not reached["inside_reaches_our_port"]


def test_wires_do_not_delay_by_themselves(reached: dict[str, Any]) -> None:
    """A wrong neighbour or a lost packet would cost a second."""
    assert set(reached["accuracies"]) == {"clients", "services"}
    assert all(0 < error_s < 10 * WITHIN_S for error_s in reached["accuracies"].values())


def test_nothing_is_left_of_it(reached: dict[str, Any]) -> None:
    assert reached["wires"] == 2
    assert reached["wires_afterwards"] == []
    assert reached["processes_afterwards"] == []


def test_as_a_run_uses_it(tmp_path: Path) -> None:
    seen = scene("facade", tmp_path)
    assert seen["row"] == "a row"
    assert seen["clients"]
    assert seen["wrapped"] == "server"
    assert seen["processes"] == ["carrier-0"]
    assert 1024 < seen["free_port"] < 65536
    assert seen["json"]["by"] == "netem"
    assert seen["json"]["reason"] == "of the test"
    assert set(seen["json"]["wires"]) == {"clients", "services"}


def test_netem_delays_or_says_why_not(tmp_path: Path) -> None:
    """On a kernel that has it, this is its test."""
    seen = scene("delayed_by_netem", tmp_path)
    if seen["ok"]:
        assert seen["errors"] == {
            "clients": pytest.approx(0.0, abs=WITHIN_S),
            "services": pytest.approx(0.0, abs=WITHIN_S),
        }
    else:
        assert seen["reason"].startswith("this kernel has no netem (")
        assert "tc qdisc add dev clients root netem" in seen["message"]
        assert seen["message"].endswith("take --delay-by=proxy.")
        assert seen["wires_afterwards"] == []
        assert seen["processes_afterwards"] == []


@pytest.mark.parametrize("how", ["killed", "killed_unguarded"])
def test_killed_parent_leaves_nothing(how: str, tmp_path: Path) -> None:
    seen = scene(how, tmp_path)
    assert seen["wires_before"] == 2
    assert seen["processes_before"] >= 3
    assert seen["processes_gone"]
    assert seen["wires_gone"]


def test_wires_of_dead_runs_are_cut(tmp_path: Path) -> None:
    assert scene("swept", tmp_path)["left"] == ["bs11111111110", "stranger"]


def test_two_networks_at_once(tmp_path: Path) -> None:
    first, second = scene("occupied", tmp_path)["addresses"]
    assert first != second


def test_this_machine_has_no_wire_of_ours() -> None:
    said = subprocess.check_output(["ip", "link", "show", "type", "veth"], text=True)
    assert ": bs" not in said
