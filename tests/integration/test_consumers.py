"""The measured consumers in real servers, with the channel layers of a run."""

import os
import secrets
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path

import pytest

from benchsuite.conformance.connection import Connection, Silent
from benchsuite.conformance.frames import Opcode
from benchsuite.conformance.peer import Peer
from benchsuite.core.specs import LayerSpec, ServerSpec
from benchsuite.isolation.instructions import Instructions
from benchsuite.pythons.importing import project_folders
from benchsuite.servers import BUILTIN
from benchsuite.servers.base import Application, Place, ServerAdapter
from benchsuite.services.base import Service
from benchsuite.services.redis import Redis
from benchsuite.system.ports import free_port
from benchsuite.system.readiness import wait_until_ready
from benchsuite.system.starting import running
from benchsuite.telemetry.prober.answer import answers_as
from tests.needs import needs

HOST = "127.0.0.1"
ROOT = Path(__file__).parents[2]
NAMES = ["daphne", "uvicorn", "hypercorn", "granian-asgi", "gunicorn-uvicorn", "gunicorn-asgi"]
TOLD_BY_HEADER = [name for name in NAMES if name != "granian-asgi"]
PAYLOADS = [(Opcode.TEXT, "é\u2028🌍".encode()), (Opcode.BINARY, bytes(range(256)) * 400)]
SUBSCRIBERS = 4
IDLE_S = 7.0


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


@contextmanager
def served(name: str, folder: Path, backend: str, url: str = "") -> Iterator[Peer]:
    """The server, as a run starts it, with the layer of that run."""
    token, port, instructions = secrets.token_hex(16), free_port(HOST), folder / "instructions.json"
    Instructions(
        settings_module="benchsuite.conformance.settings",
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
        yield Peer(HOST, port, "/bench/ws/", token)


def opened(stack: ExitStack, peer: Peer, consumer: str) -> Connection:
    own = Peer(peer.host, peer.port, f"{peer.path}{consumer}/", peer.token)
    return stack.enter_context(own.open())


@pytest.mark.parametrize("name", NAMES)
def test_every_consumer_answers_in_every_server(name, tmp_path):
    with served(name, tmp_path, "memory") as peer, ExitStack() as stack:
        for twin in ("", "_sync"):
            for kind in ("echo", "echo_layer"):
                one = opened(stack, peer, f"{kind}{twin}")
                for opcode, payload in PAYLOADS:
                    one.send(opcode, payload)
                    one.echoed(opcode, payload)
            members = [opened(stack, peer, f"broadcast{twin}") for _ in range(SUBSCRIBERS)]
            for opcode, payload in PAYLOADS:
                members[0].send(opcode, payload)
                for member in members:
                    member.echoed(opcode, payload)
            idle = opened(stack, peer, f"idle{twin}")
            idle.send(Opcode.TEXT, b"hello")
            with pytest.raises(Silent):
                idle.frame(0.3)


@pytest.mark.parametrize("name", TOLD_BY_HEADER)
def test_the_answer_to_the_handshake_tells_the_run(name, tmp_path):
    with served(name, tmp_path, "memory") as peer, ExitStack() as stack:
        one = opened(stack, peer, "echo")
        assert one.answer.header("x-benchsuite-run") == peer.token


@needs("redis", "redis-py", "channels-redis")
@pytest.mark.parametrize("backend", ["redis", "redis-pubsub"])
def test_an_idle_connection_outlives_the_reads_of_its_layer(backend, service, tmp_path):
    with served("uvicorn", tmp_path, backend, service.url) as peer, ExitStack() as stack:
        members = [opened(stack, peer, kind) for kind in ("idle", "echo", "broadcast")]
        with pytest.raises(Silent):
            members[-1].frame(IDLE_S)
        for member in members[1:]:
            member.send(Opcode.TEXT, b"still there")
            member.echoed(Opcode.TEXT, b"still there")
        members[0].send(Opcode.PING, b"")
        found = members[0].frame(pongs=True)
        assert found is not None
        assert found.opcode == Opcode.PONG
