"""The measured consumers in real servers, with the channel layers of a run."""

import os
import secrets
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest
from websockets.sync.client import ClientConnection, connect

from benchsuite.core.specs import LayerSpec, ServerSpec
from benchsuite.isolation.instructions import Instructions
from benchsuite.pythons.importing import project_folders
from benchsuite.servers import BUILTIN
from benchsuite.servers.base import Application, Place, ServerAdapter
from benchsuite.services.base import Service
from benchsuite.services.redis import Redis
from benchsuite.system.network import free_port
from benchsuite.system.process import running, wait_until_ready
from benchsuite.telemetry.prober.answer import answers_as
from tests.needs import audited, needs

HOST = "127.0.0.1"
ROOT = Path(__file__).parents[2]
NAMES = ["daphne", "uvicorn", "hypercorn", "granian-asgi", "gunicorn-uvicorn", "gunicorn-asgi"]
TOLD_BY_HEADER = [name for name in NAMES if name != "granian-asgi"]
MESSAGES = ["é\u2028🌍", bytes(range(256)) * 400]
SUBSCRIBERS = 4
IDLE_S = 7.0
WAIT_S = 10.0


def adapter_class(name: str) -> type[ServerAdapter]:
    module, _, attribute = BUILTIN[name].rpartition(".")
    found: type[ServerAdapter] = getattr(import_module(module), attribute)
    return found


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with (
        tempfile.TemporaryDirectory(prefix="bst-") as folder,
        Redis(folder=Path(folder), marker=uuid.uuid4().hex, by="tcp", env=dict(os.environ)) as one,
    ):
        yield one


@dataclass(frozen=True)
class Served:
    """A server that was started."""

    port: int
    token: str


@contextmanager
def served(name: str, folder: Path, backend: str, url: str = "") -> Iterator[Served]:
    """The server, as a run starts it, with the layer of that run."""
    token, port, instructions = secrets.token_hex(16), free_port(HOST), folder / "instructions.json"
    Instructions(
        settings_module="tests.integration.settings_smallest",
        token=token,
        folder=str(folder),
        needs_target_app=True,
        layer=LayerSpec(backend=backend).path,
        layer_url=url,
    ).write(instructions)
    adapter = adapter_class(name)(ServerSpec(server=name), Application(), Place(folder=folder))
    env = {
        **os.environ,
        **adapter.env(),
        "BENCHSUITE_RUN": token,
        "BENCHSUITE_INSTRUCTIONS": str(instructions),
        "DJANGO_SETTINGS_MODULE": "benchsuite.isolation.settings",
        "PYTHONPATH": os.pathsep.join([str(ROOT), *project_folders()]),
    }
    with running(
        adapter.argv(HOST, port),
        name=name,
        log=folder / "server.log",
        env=env,
        stop_signal=adapter.stop_signal,
        grace_s=adapter.grace_s,
        marker=token,
    ) as process:
        address = f"http://{HOST}:{port}/"
        wait_until_ready(process, lambda: answers_as(address, token), timeout_s=60.0)
        yield Served(port, token)


def opened(stack: ExitStack, server: Served, consumer: str) -> ClientConnection:
    url = f"ws://{HOST}:{server.port}/bench/ws/{consumer}/"
    return stack.enter_context(connect(url, compression=None, proxy=None, ping_interval=None))


@pytest.mark.parametrize("name", audited(NAMES, "daphne", "uvicorn"))
def test_every_consumer_answers_in_every_server(name, tmp_path):
    with served(name, tmp_path, "memory") as server, ExitStack() as stack:
        for twin in ("", "_sync"):
            for kind in ("echo", "echo_layer"):
                connection = opened(stack, server, f"{kind}{twin}")
                for message in MESSAGES:
                    connection.send(message)
                    assert connection.recv(WAIT_S) == message
            members = [opened(stack, server, f"broadcast{twin}") for _ in range(SUBSCRIBERS)]
            for message in MESSAGES:
                members[0].send(message)
                for member in members:
                    assert member.recv(WAIT_S) == message
            idle = opened(stack, server, f"idle{twin}")
            idle.send("hello")
            with pytest.raises(TimeoutError):
                idle.recv(0.3)


@pytest.mark.parametrize("name", audited(TOLD_BY_HEADER, "daphne", "uvicorn"))
def test_the_answer_to_the_handshake_tells_the_run(name, tmp_path):
    with served(name, tmp_path, "memory") as server, ExitStack() as stack:
        response = opened(stack, server, "echo").response
        assert response is not None
        assert response.headers["X-Benchsuite-Run"] == server.token


@pytest.mark.audit
@needs("redis", "redis-py", "channels-redis")
@pytest.mark.parametrize("backend", ["redis", "redis-pubsub"])
def test_an_idle_connection_outlives_the_reads_of_its_layer(backend, service, tmp_path):
    with served("uvicorn", tmp_path, backend, service.url) as server, ExitStack() as stack:
        members = [opened(stack, server, kind) for kind in ("idle", "echo", "broadcast")]
        with pytest.raises(TimeoutError):
            members[-1].recv(IDLE_S)
        for member in members[1:]:
            member.send("still there")
            assert member.recv(WAIT_S) == "still there"
        assert members[0].ping().wait(WAIT_S)
