"""What every front of the system has in common: options, refusals, limits, availability."""

import re
import resource
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import Option
from benchsuite.fronts.base import Address, FrontPlace
from benchsuite.fronts.program import COMMON, ProgramFront
from benchsuite.servers.base import Available
from benchsuite.system import network, programs
from tests.golden import Golden


class Plain(ProgramFront):
    name = "plain-front"
    program = "plainfront"
    package = "plain-front-light"
    least_version = (1, 10)
    template = "nginx.conf"
    balances = {"round_robin": "rr"}
    complaint = re.compile("(.*)")
    options = {**COMMON, "depth": 1}

    def argv(self) -> list[str]:
        return [self.executable()]

    def check_argv(self) -> list[str]:
        return [self.executable(), "-t"]

    def expected_processes(self) -> int:
        return 1

    def values(self, host: str, port: int, upstreams: Sequence[Address]) -> Mapping[str, object]:
        return {"servers": len(upstreams)}


def plain(place: FrontPlace | None = None, **options: Option) -> Plain:
    return Plain(options, place)


def installed(
    monkeypatch: pytest.MonkeyPatch, version: str | None, path: str | None = "/x"
) -> None:
    monkeypatch.setattr(programs, "find_program", lambda name: path)
    monkeypatch.setattr(programs, "program_version", lambda name, *asked: version)


def test_a_template_of_ones_own_takes_the_place_of_ours(tmp_path: Path) -> None:
    own = tmp_path / "own.conf"
    own.write_text("@{host}:@{port} @{servers} @{connect_s} @{timeout_s} @{folder}")
    place = FrontPlace(folder=Path("/run"))
    files = plain(place, config=str(own)).config_files("127.0.0.1", 80, [("h", 1), ("h", 2)])
    assert files == {"nginx.conf": "127.0.0.1:80 2 75 3600 /run"}


def limited(monkeypatch: pytest.MonkeyPatch, hard: int) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda which: (64, hard))


@pytest.mark.parametrize(
    ("hard", "clients"),
    [(resource.RLIM_INFINITY, 10_000), (20_064, 10_000), (20_000, 9968), (1024, 480)],
)
def test_it_takes_as_many_clients_as_open_files_allow(
    monkeypatch: pytest.MonkeyPatch, hard: int, clients: int
) -> None:
    limited(monkeypatch, hard)
    adapter = plain(connections=10_000)
    adapter.ensure_possible(1)
    assert adapter.clients == clients
    if hard != resource.RLIM_INFINITY:  # the most that a load may open, through a front
        network.check_descriptors(clients, ends=2)
    limited(monkeypatch, 1024)
    with pytest.raises(UsageError, match="limited to 1024"):
        network.check_descriptors(481, ends=2)


def test_is_available_where_it_is_new_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, "1.10.2-3+deb")
    assert Plain.available() == Available(True)
    assert Plain.version() == "1.10.2-3+deb"
    assert Plain.executable() == "/x"


@pytest.mark.parametrize(
    ("version", "path", "reason"),
    [
        (None, None, "plainfront is not installed"),
        (None, "/x", "plainfront does not print its version"),
        ("1.9.9", "/x", "plainfront 1.9.9 is older than 1.10"),
    ],
)
def test_says_why_it_is_not_and_the_command(
    monkeypatch: pytest.MonkeyPatch, version: str | None, path: str | None, reason: str
) -> None:
    installed(monkeypatch, version, path)
    assert Plain.available() == Available(False, reason, "apt install plain-front-light")
    assert Plain.executable() == (path or "plainfront")


def test_values(golden: Golden) -> None:
    golden.values()
