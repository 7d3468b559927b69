"""Servers of another time, really built and started: the target answers, and nothing is left."""

import http.client
import math
import re
import threading
import time
from contextlib import closing, contextmanager

import psutil
import pytest
from django.utils.module_loading import import_string

from benchsuite.core.specs import RunSpec, ServerSpec
from benchsuite.pythons.building import build
from benchsuite.pythons.interpreter import Interpreter
from benchsuite.runner import assembly
from benchsuite.runner.planning import resolve
from benchsuite.runner.running_system import TARGET, WORKERS
from benchsuite.servers.heritage import BUILTIN
from benchsuite.servers.heritage.adapters import Heritage
from benchsuite.system import reaper
from benchsuite.system.network import ensure_port_free
from tests.integration.left_behind import eventually, processes_with
from tests.needs import needs

pytestmark = [pytest.mark.audit, needs("python2.7")]

CLASSES: dict[str, type[Heritage]] = {name: import_string(path) for name, path in BUILTIN.items()}
SECONDS = re.compile(rb"\d\.\d{4}")


class Served:
    """A server of another time that was started for a test."""

    def __init__(self, found, adapter, token):
        self.found = found
        self.adapter = adapter
        self.token = token
        self.address = found.base_url.removeprefix("http://")
        self.ended_in_s = 0.0

    def connect(self):
        return http.client.HTTPConnection(self.address, timeout=20)

    def get(self, path):
        with closing(self.connect()) as connection:
            return self.read(connection, path)

    def read(self, connection, path):
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        assert (answer.status, answer.getheader("X-Benchsuite-Run")) == (200, self.token)
        return body


@contextmanager
def started(name, cache, *, processes=None, python="", options=None):
    """As a run starts it, with all that belongs to it; answers when the block begins."""
    available = CLASSES[name].available()
    if not available.ok:
        pytest.fail(f"{name}: {available.reason}; {available.command}")
    server = ServerSpec(server=name, processes=processes, python=python, options=options or {})
    plan = resolve(RunSpec(server=server)).under(build(CLASSES[name].recipe(python), cache))
    with assembly.started(plan) as (found, token):
        folder = found.members[-1].process.log.parent
        served = Served(found, plan.server_at(folder / "server-0", {}), token)
        yield served
        stopping = time.monotonic()
    served.ended_in_s = time.monotonic() - stopping
    assert processes_with(token) == []


def holds_a_connection(pids):
    """Whether one of the processes has accepted it: what waits in a listen queue has no owner."""
    return any(
        connection.status == psutil.CONN_ESTABLISHED
        for pid in pids
        for connection in psutil.Process(pid).net_connections()
    )


@pytest.mark.parametrize("name", BUILTIN)
def test_serves_its_target_with_as_many_processes_as_asked_for(name, cache):
    several = CLASSES[name].max_processes is None
    with started(name, cache, processes=2 if several else None) as served:
        assert served.get("/bench/plain/") == b"OK"
        if "bench_app" in served.adapter.answers:
            assert SECONDS.fullmatch(served.get("/"))
            assert SECONDS.fullmatch(served.get("/bench/bench_app/"))
        else:
            assert served.get("/") == b"OK"
        wanted = served.adapter.expected_processes()
        assert eventually(lambda: len(served.found.pids(TARGET)) == wanted), (
            f"{wanted} processes were expected: {served.found.pids(TARGET)}"
        )
        assert len(served.found.pids(WORKERS)) == len(served.adapter.companion_processes())
        versions = [one.version for one in served.found.programs if one.part == TARGET]
        assert versions == [CLASSES[name].version()]
    port = int(served.address.partition(":")[2])
    ensure_port_free("127.0.0.1", port)


@pytest.mark.parametrize("name", BUILTIN)
def test_keeps_connections_as_declared_and_stops_in_time_with_a_request_in_flight(
    name, cache, monkeypatch
):
    monkeypatch.setattr(assembly, "GRACE_S", math.inf)  # what the server itself needs is tested
    bodies: list[bytes | None] = []

    def ask(served):
        try:
            bodies.append(served.get("/slow/"))
        except (OSError, http.client.HTTPException):
            bodies.append(None)

    with started(name, cache) as served:
        with closing(served.connect()) as connection:
            served.read(connection, "/bench/plain/")
            # http.client drops its socket when the server closes or says that it will.
            assert (connection.sock is not None) == served.adapter.keeps_alive
        client = threading.Thread(target=ask, args=(served,))
        client.start()
        assert eventually(lambda: holds_a_connection(served.found.pids(TARGET)))
        time.sleep(0.4)  # from the connection until its request is read
    client.join(timeout=30)
    assert (bodies == [b"OK"]) == served.adapter.finishes_in_flight
    assert served.ended_in_s < served.adapter.grace_s


@pytest.mark.parametrize("name", [one for one in BUILTIN if "chaussette" in one])
def test_the_second_version_of_the_application_gives_a_page(name, cache):
    with started(name, cache, options={"bench": "second"}) as served:
        assert served.get("/").startswith(b"<HTML>")
        assert SECONDS.fullmatch(served.get("/bench/bench_app/"))


def test_several_workers_answer_through_one_layer(cache):
    with started("heritage-channels0-redis", cache, options={"workers": 3}) as served:
        assert served.get("/") == b"OK"
        assert len(served.found.pids(WORKERS)) == 3
        assert "redis" in served.found.parts


def test_shared_memory_is_there_while_it_runs_and_gone_afterwards(cache):
    with started("heritage-channels0-ipc", cache) as served:
        prefix = served.adapter.shared_memory()
        assert len(reaper.memory_left_by(prefix)) == 4
    assert reaper.memory_left_by(prefix) == []


@needs("python3.6")
def test_channels_runs_under_the_other_python_too(cache):
    with started("heritage-channels0-ipc", cache, python="3.6") as served:
        assert served.get("/") == b"OK"
        assert served.adapter.python.version.startswith("3.6.")


def test_every_environment_is_what_its_pins_say(cache):
    for one in {adapter.target: adapter for adapter in CLASSES.values()}.values():
        python: Interpreter = build(one.recipe(""), cache)
        assert {name: python.installed(name) for name in one.pins().versions} == one.pins().versions
