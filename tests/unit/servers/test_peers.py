"""Servers outside Django: exact command lines, what they refuse, what they lack."""

import json
from importlib import import_module

import pytest

from benchsuite import conf
from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.specs import RunSpec, ServerSpec, WorkloadSpec
from benchsuite.runner import planning, preflight
from benchsuite.servers.base import Application
from benchsuite.servers.peers import PEERS, packages
from benchsuite.servers.peers.packages import PROGRAMS
from benchsuite.system import programs

NODE = ("peer-ws", "peer-socketio")


def make(name, processes=None, threads=None, **options):
    spec = ServerSpec(server=name, processes=processes, threads=threads, options=options)
    return conf.server_class(name)(spec, Application())


@pytest.fixture
def found(monkeypatch):
    """Every program is at /usr/bin, in version 20."""
    monkeypatch.setattr(programs, "find_program", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(programs, "program_version", lambda *words: "20.1")


@pytest.mark.parametrize("name", PEERS)
def test_is_found_under_its_name(name):
    adapter = conf.server_class(name)
    assert adapter.name == name
    assert adapter.websocket
    assert not adapter.serves_project


@pytest.mark.usefixtures("found")
def test_command_line(golden):
    golden.cases(
        lambda name, **sizes: " ".join(make(name, **sizes).argv("127.0.0.1", 8123)),
        replace={str(PROGRAMS): "PROGRAMS"},
    )
    for name in PEERS:
        assert any((PROGRAMS / word).is_file() for word in make(name).argv("127.0.0.1", 8123))


def test_threads_reach_puma_and_the_channels(found):
    adapter = make("peer-actioncable", threads=9)
    assert adapter.env()["BENCHSUITE_THREADS"] == "9"


@pytest.mark.parametrize("name", PEERS)
def test_two_processes_are_refused(name):
    with pytest.raises(UsageError, match=f"{name} runs 1 process, not the 2 asked for; a peer"):
        make(name, processes=2)


@pytest.mark.parametrize("name", NODE)
def test_node_has_no_threads(name):
    with pytest.raises(UsageError, match=r"its number of threads to .*; Node has one event loop"):
        make(name, threads=2)


@pytest.mark.parametrize("name", PEERS)
def test_has_a_dialect_that_exists(name):
    dialect = conf.server_class(name).dialect
    if dialect:
        module, _, attribute = dialect.rpartition(".")
        assert getattr(import_module(module), attribute)("/bench/ws/echo/").address


def refused(server, workload="ws_echo", **options):
    spec = RunSpec(
        server=ServerSpec(server=server), workload=WorkloadSpec(workload=workload, options=options)
    )
    with pytest.raises(UsageError) as caught:
        preflight.check(planning.resolve(spec))
    return str(caught.value)


def test_what_is_missing_is_told(monkeypatch, tmp_path, golden):
    monkeypatch.setenv("BENCHSUITE_CACHE", str(tmp_path))
    monkeypatch.setattr(programs, "find_program", lambda name: f"/usr/bin/{name}")

    def available(name, version):
        monkeypatch.setattr(programs, "program_version", lambda *words: version)
        return conf.server_class(name).available()

    golden.cases(available)
    monkeypatch.setattr(programs, "program_version", lambda *words: None)
    with pytest.raises(UnavailableError, match="Node is not installed; try: apt install"):
        packages.build()


def test_the_lock_pins_what_is_asked_for():
    wanted = json.loads((PROGRAMS / "package.json").read_text())["dependencies"]
    locked = json.loads((PROGRAMS / "package-lock.json").read_text())["packages"]
    assert {name: locked[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert all("integrity" in one for name, one in locked.items() if name)


def test_values(golden):
    golden.values()
