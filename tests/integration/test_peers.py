"""Servers outside Django, really started: they echo, tell the run, and leave nothing behind."""

import http.client
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.utils.module_loading import import_string
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from benchsuite import conf
from benchsuite.core.exceptions import StartError
from benchsuite.core.specs import ServerSpec
from benchsuite.load.client.websocket.dialects import Dialect
from benchsuite.servers.base import Application, Place, ServerAdapter
from benchsuite.servers.peers import packages
from benchsuite.system import programs
from benchsuite.system.network import ensure_port_free, free_port
from benchsuite.system.process import running, wait_until_ready
from benchsuite.telemetry.prober.answer import answers_as
from tests.integration.command import measured
from tests.needs import needs

pytestmark = pytest.mark.audit

HOST = "127.0.0.1"
WAIT_S = 10.0
NAMES = [
    pytest.param("peer-ws", marks=needs("node-peers")),
    pytest.param("peer-socketio", marks=needs("node-peers")),
    pytest.param("peer-actioncable", marks=needs("actioncable")),
]


@dataclass(frozen=True)
class Peer:
    """A server that was started."""

    port: int
    token: str

    def open(self, path: str, subprotocols: Sequence[str] = ()) -> ClientConnection:
        return connect(
            f"ws://{HOST}:{self.port}{path}",
            subprotocols=[Subprotocol(name) for name in subprotocols] or None,
            compression=None,
            proxy=None,
        )


@contextmanager
def started(name: str, folder: Path) -> Iterator[tuple[ServerAdapter, Peer]]:
    spec, place = ServerSpec(server=name), Place(folder=folder)
    adapter = conf.server_class(name)(spec, Application(), place)
    token, port = secrets.token_hex(8), free_port(HOST)
    with running(
        adapter.argv(HOST, port),
        name=name,
        log=folder / "server.log",
        env={**os.environ, **adapter.env(), "BENCHSUITE_RUN": token},
        cwd=folder,
        stop_signal=adapter.stop_signal,
        grace_s=adapter.grace_s,
        marker=token,
    ) as process:
        url = f"http://{HOST}:{port}/bench/plain/"
        wait_until_ready(process, lambda: answers_as(url, token), timeout_s=30.0)
        assert len(process.living()) == adapter.expected_processes()
        yield adapter, Peer(port, token)
    ensure_port_free(HOST, port)


def talk(peer: Peer, adapter: ServerAdapter, does: str, texts: list[str]) -> list[str]:
    """What comes back for each text, by the server's own protocol."""
    dialect: Dialect = import_string(adapter.dialect)(f"/bench/ws/{does}/")
    heard_texts = []
    with peer.open(dialect.address, dialect.subprotocols) as connection:
        assert connection.response is not None
        assert connection.response.headers["X-Benchsuite-Run"] == peer.token
        ready = False
        while not ready:
            heard = dialect.hear(received(connection))
            ready = heard.ready
            if heard.answer is not None:
                connection.send(heard.answer.decode())
        for text in texts:
            connection.send(dialect.say(text.encode()).decode())
            payload = None
            while payload is None:
                payload = dialect.hear(received(connection)).payload
            heard_texts.append(payload.decode())
    return heard_texts


def received(connection: ClientConnection) -> bytes:
    message = connection.recv(WAIT_S)
    return message.encode() if isinstance(message, str) else message


@pytest.mark.parametrize("name", NAMES)
def test_answers_http_and_says_back_what_it_hears_in_its_own_protocol(name, tmp_path):
    texts = ["hello", 'Grüße, "世界" 🌍\n', "x" * 10_000]
    with started(name, tmp_path) as (adapter, peer):
        with closing(http.client.HTTPConnection(HOST, peer.port, timeout=10)) as connection:
            connection.request("GET", "/")
            answer = connection.getresponse()
            assert (answer.status, answer.read()) == (200, b"OK")
            assert answer.getheader("X-Benchsuite-Run") == peer.token
        for does in ("echo", "broadcast") if adapter.dialect else ():
            assert talk(peer, adapter, does, texts) == texts


@needs("node-peers")
def test_ws_broadcasts_to_all_subscribers_and_idles(tmp_path):
    with started("peer-ws", tmp_path) as (_, peer):
        room = "/bench/ws/broadcast/"
        with peer.open(room) as speaker, peer.open(room) as listener:
            speaker.send(b"\x00hello")
            assert [member.recv(WAIT_S) for member in (speaker, listener)] == [b"\x00hello"] * 2
        with peer.open("/bench/ws/idle/") as connection:
            connection.send("hello")
            assert connection.ping().wait(WAIT_S)


def test_what_npm_says_is_told(monkeypatch, tmp_path):
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\necho 'no such registry'\nexit 7\n")
    npm.chmod(0o755)
    monkeypatch.setenv("BENCHSUITE_CACHE", str(tmp_path))
    monkeypatch.setattr(programs, "program_version", lambda *words: "20.1")
    monkeypatch.setattr(programs, "find_program", lambda name: str(npm))
    with pytest.raises(StartError, match="failed with status 7:\nno such registry"):
        packages.build()
    assert not packages.modules().exists()


@pytest.mark.parametrize("name", NAMES)
def test_a_run_measures_it(name, command):
    run = measured(command, f"--server={name} --workload=ws_echo")
    assert run["server"] == name
    assert run["server_version"]
