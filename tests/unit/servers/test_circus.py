"""Circus: what it starts, what it is told, and that none is missing that could be started."""

import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchsuite.core.specs import ServerSpec
from benchsuite.servers.base import Place
from tests.unit.servers.test_base import APPLICATION
from tests.unit.servers.test_builtin import CIRCUSES, PROGRAMS, adapter_class

DAPHNE, GUNICORN, UVICORN = map(
    adapter_class, ("circus-daphne", "circus-gunicorn-sync", "circus-uvicorn")
)


def made(cls, folder=Path("/run/1"), **spec):
    return cls(ServerSpec(server=cls.name, **spec), APPLICATION, Place(folder=folder))


def ini(adapter):
    files = adapter.config_files("127.0.0.1", 8123)
    assert list(files) == ["circus.ini"]
    return files["circus.ini"].splitlines()


@pytest.mark.parametrize("name", CIRCUSES)
def test_facts_are_those_of_the_server_that_it_starts(name):
    one, started = adapter_class(name), adapter_class(name).started
    assert name == f"circus-{started.name}"
    for fact in ("interface", "keeps_alive", "websocket", "finishes_in_flight", "one_at_a_time"):
        assert getattr(one, fact) == getattr(started, fact)
    assert one.max_processes is None
    assert set(one.options) - {"backlog"} == set(started.options) - {"backlog"}


def test_what_it_is_told(golden):
    """It is not to be found on the network, and any folder is named as it is."""

    def told(name, folder="/run/1", **spec):
        return "\n".join(filter(None, ini(made(adapter_class(name), Path(folder), **spec))))

    golden.cases(told, replace=PROGRAMS)


def test_values(golden):
    golden.values()


@pytest.mark.parametrize("run", [(), ("BENCHSUITE_RUN",)])
def test_the_end_of_a_young_process_ends_circus_in_a_run_alone(run, monkeypatch):
    hook = pytest.importorskip("benchsuite.servers.launchers.circus_hook")
    ended = []
    monkeypatch.setattr(hook.os, "kill", lambda *told: ended.append(told))
    monkeypatch.delenv("BENCHSUITE_RUN", raising=False)
    for name in run:
        monkeypatch.setenv(name, "feed")
    young = {7: SimpleNamespace(started=time.time())}
    watcher = SimpleNamespace(processes=young, is_stopping=lambda: False)
    assert hook.before_reap(watcher, None, "", process_pid=7)
    assert len(ended) == len(run)
