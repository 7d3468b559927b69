"""Circus: what it starts, what it is told, and that none is missing that could be started."""

from pathlib import Path

import pytest

from benchsuite.core.specs import ServerSpec
from benchsuite.servers import BUILTIN
from benchsuite.servers.base import Application, Place
from benchsuite.servers.circus import Circus
from tests.unit.servers.test_builtin import adapter_class

APPLICATION = Application(wsgi="shop.wsgi:application", asgi="shop.asgi:application")
DAPHNE, GUNICORN, UVICORN = map(
    adapter_class, ("circus-daphne", "circus-gunicorn-sync", "circus-uvicorn")
)
DRIVEN = [name for name in BUILTIN if name.startswith("circus-")]


def made(cls, folder: Path = Path("/run/1"), **spec) -> Circus:
    return cls(ServerSpec(server=cls.name, **spec), APPLICATION, Place(folder=folder))


def ini(adapter: Circus) -> list[str]:
    files = adapter.config_files("127.0.0.1", 8123)
    assert list(files) == ["circus.ini"]
    return files["circus.ini"].splitlines()


@pytest.mark.parametrize("name", DRIVEN)
def test_facts_are_those_of_the_server_that_it_starts(name):
    one, started = adapter_class(name), adapter_class(name).started
    assert name == f"circus-{started.name}"
    for fact in ("interface", "keeps_alive", "websocket", "finishes_in_flight", "one_at_a_time"):
        assert getattr(one, fact) == getattr(started, fact)
    assert one.max_processes is None
    assert set(one.options) - {"backlog"} == set(started.options) - {"backlog"}


def test_it_listens_and_starts_one_server_for_each_process():
    adapter = made(DAPHNE, processes=3, options={"backlog": 64})
    lines = ini(adapter)
    assert "host = 127.0.0.1" in lines
    assert "port = 8123" in lines
    assert "backlog = 64" in lines
    assert "numprocesses = 3" in lines
    command = " ".join([*adapter.python.module("daphne"), "-v", "0", "--fd"])
    assert f"cmd = {command} '$(circus.sockets.web)' shop.asgi:application" in lines


def test_sizes_and_options_are_those_of_each_server():
    (command,) = [
        line
        for line in ini(made(GUNICORN, processes=2, options={"timeout_s": 90}))
        if line.startswith("cmd = ")
    ]
    assert "--bind 'fd://$(circus.sockets.web)'" in command
    assert "--workers 1 " in command
    assert "--timeout 90" in command


def test_it_is_not_to_be_found_on_the_network():
    assert "multicast_endpoint =" in ini(made(UVICORN))


def test_any_other_folder_is_named_as_it_is():
    folder = r"""/it's ä "b" 100% $x ${y} \z;#"""
    assert f"endpoint = ipc://{folder}/circus.endpoint" in ini(made(UVICORN, Path(folder)))


def test_it_starts_every_server_that_takes_a_socket():
    taking = [name for name in BUILTIN if adapter_class(name).inherits]
    started = {adapter_class(name).started.name for name in DRIVEN}
    assert taking
    assert set(taking) <= started
    assert all(adapter_class(name).started.inherits for name in DRIVEN)


def test_values(golden):
    golden.values()
