"""Servers outside Django: exact command lines, what they refuse, what they lack."""

import pytest

from benchsuite import conf
from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.specs import RunSpec, ServerSpec, WorkloadSpec
from benchsuite.runner import planning, preflight
from benchsuite.servers.base import Application
from benchsuite.servers.peers import PEERS, adapters
from benchsuite.servers.peers.adapters import PROGRAMS
from benchsuite.system import programs


def make(name, processes=None, threads=None, **options):
    spec = ServerSpec(server=name, processes=processes, threads=threads, options=options)
    return conf.server_class(name)(spec, Application())


@pytest.fixture
def found(monkeypatch):
    """Every program is at /usr/bin, in version 20."""
    monkeypatch.setattr(programs, "find_program", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(programs, "program_version", lambda *words: "20.1")


@pytest.mark.usefixtures("found")
def test_command_line(golden):
    golden.cases(
        lambda name, **sizes: " ".join(make(name, **sizes).argv("127.0.0.1", 8123)),
        replace={str(PROGRAMS): "PROGRAMS"},
    )
    for name in PEERS:
        assert any((PROGRAMS / word).is_file() for word in make(name).argv("127.0.0.1", 8123))


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
        adapters.build()


def test_values(golden):
    golden.values()
