"""What every front of the system has in common: options, refusals, limits, availability."""

import re
import resource
import subprocess
from pathlib import Path

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.fronts.base import FrontPlace
from benchsuite.fronts.haproxy import Haproxy
from benchsuite.fronts.nginx import Nginx
from benchsuite.fronts.program import COMMON, ProgramFront, filled, make_certificate
from benchsuite.fronts.swarm import Swarm
from benchsuite.system import network, programs


class Plain(ProgramFront):
    name = "plain-front"
    program = "plainfront"
    package = "plain-front-light"
    least_version = (1, 10)
    template = "nginx.conf"
    balances = {"round_robin": "rr"}
    complaint = re.compile("(.*)")
    options = {**COMMON, "depth": 1}

    def argv(self):
        return [self.executable()]

    def check_argv(self):
        return [self.executable(), "-t"]

    def values(self, host, port, upstreams):
        return {"servers": len(upstreams)}


def plain(place=None, **options):
    return Plain(options, place)


def installed(monkeypatch, version, path="/x"):
    monkeypatch.setattr(programs, "find_program", lambda name: path)
    monkeypatch.setattr(programs, "program_version", lambda name, *asked: version)


def test_a_template_of_ones_own_takes_the_place_of_ours(tmp_path):
    path = own(tmp_path, "@{host}:@{port} @{servers} @{connect_s} @{timeout_s} @{folder}")
    place = FrontPlace(folder=Path("/run"))
    files = plain(place, config=str(path)).config_files("127.0.0.1", 80, [("h", 1), ("h", 2)])
    assert files == {"nginx.conf": "127.0.0.1:80 2 75 3600 /run"}


def limited(monkeypatch, hard):
    monkeypatch.setattr(resource, "getrlimit", lambda which: (64, hard))


@pytest.mark.parametrize(
    ("hard", "clients"),
    [(resource.RLIM_INFINITY, 10_000), (20_064, 10_000), (20_000, 9968), (1024, 480)],
)
def test_it_takes_as_many_clients_as_open_files_allow(monkeypatch, hard, clients):
    limited(monkeypatch, hard)
    adapter = plain(connections=10_000)
    adapter.ensure_possible(1)
    assert adapter.clients == clients
    if hard != resource.RLIM_INFINITY:  # the most that a load may open, through a front
        network.check_descriptors(clients, ends=2)
    limited(monkeypatch, 1024)
    with pytest.raises(UsageError, match="limited to 1024"):
        network.check_descriptors(481, ends=2)


def test_availability(monkeypatch, golden):
    def available(version, path="/x"):
        installed(monkeypatch, version, path)
        return Plain.available(), Plain.version(), Plain.executable()

    golden.cases(available)


def test_any_openssl_makes_the_certificate(monkeypatch, tmp_path):
    """-noenc is unknown before version 3."""
    installed(monkeypatch, "1.1.1")
    asked = []

    def run(command, **given):
        asked.extend(command)
        for word in ("-keyout", "-out"):
            with Path(command[command.index(word) + 1]).open("a") as file:
                file.write(f"{word}\n")
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", run)
    make_certificate(tmp_path / "front.pem", "127.0.0.1")
    assert "-nodes" in asked
    assert (tmp_path / "front.pem").read_text() == "-keyout\n-out\n"
    assert [one.name for one in tmp_path.iterdir()] == ["front.pem"]


def own(folder, text):
    path = folder / "own.conf"
    path.write_text(text)
    return path


def test_fills_in_values_and_leaves_the_programs_own_signs_alone(tmp_path):
    path = own(tmp_path, "listen @{port}; set $host @named; location @failed {}")
    assert filled(path, {"port": 80}) == "listen 80; set $host @named; location @failed {}"


def test_a_placeholder_for_nothing_is_refused_with_the_known_ones(tmp_path):
    path = own(tmp_path, "listen @{prot};")
    with pytest.raises(UsageError, match=r"placeholder 'prot'; .* There are: host, port"):
        filled(path, {"port": 80, "host": "h"})
    with pytest.raises(UsageError, match=f"template {tmp_path} can't be read"):
        filled(tmp_path, {})


def test_cpus_that_it_uses_are_what_its_option_says(tmp_path):
    """A configuration of the user's own may say something else."""
    assert (Nginx({}).parallel, Nginx({"processes": 3}).parallel) == (1, 3)
    assert Haproxy({"threads": 4}).parallel == 4
    assert Nginx({"config": str(own(tmp_path, ""))}).parallel is None
    assert Swarm({"image": "shop"}).parallel is None


def test_values(golden):
    golden.values()
