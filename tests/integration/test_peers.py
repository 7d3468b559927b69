"""Servers outside Django, really started: they echo, tell the run, and leave nothing behind."""

import http.client
from contextlib import closing, contextmanager

import pytest
from django.utils.module_loading import import_string
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from benchsuite import conf
from benchsuite.core.exceptions import StartError
from benchsuite.core.specs import ServerSpec
from benchsuite.load.client.websocket.dialects import Dialect
from benchsuite.servers.base import Application, Place
from benchsuite.servers.peers import adapters
from benchsuite.system import programs
from benchsuite.system.network import ensure_port_free
from tests.integration.command import measured
from tests.integration.serving import HOST, begun
from tests.needs import needs

pytestmark = pytest.mark.audit

WAIT_S = 10.0
NAMES = [
    pytest.param("peer-ws", marks=needs("node-peers")),
    pytest.param("peer-socketio", marks=needs("node-peers")),
    pytest.param("peer-actioncable", marks=needs("actioncable")),
]


@contextmanager
def started(name, folder):
    spec, place = ServerSpec(server=name), Place(folder=folder)
    with begun(conf.server_class(name)(spec, Application(), place), folder) as peer:
        assert len(peer.process.living()) == peer.adapter.expected_processes()
        yield peer
    ensure_port_free(HOST, peer.port)


def opened(peer, path, subprotocols=()):
    return connect(
        f"ws://{HOST}:{peer.port}{path}",
        subprotocols=[Subprotocol(name) for name in subprotocols] or None,
        compression=None,
        proxy=None,
    )


def talk(peer, does, texts):
    """What comes back for each text, by the server's own protocol."""
    dialect: Dialect = import_string(peer.adapter.dialect)(f"/bench/ws/{does}/")
    heard_texts = []

    def hear():
        message = connection.recv(WAIT_S)
        return dialect.hear(message.encode() if isinstance(message, str) else message)

    with opened(peer, dialect.address, dialect.subprotocols) as connection:
        assert connection.response.headers["X-Benchsuite-Run"] == peer.token
        for heard in iter(hear, None):
            if heard.answer is not None:
                connection.send(heard.answer.decode())
            if heard.ready:
                break
        for text in texts:
            connection.send(dialect.say(text.encode()).decode())
            payloads = (heard.payload for heard in iter(hear, None))
            heard_texts.append(next(filter(None, payloads)).decode())
    return heard_texts


@pytest.mark.parametrize("name", NAMES)
def test_answers_http_and_says_back_what_it_hears_in_its_own_protocol(name, tmp_path):
    texts = ["hello", 'Grüße, "世界" 🌍\n', "x" * 10_000]
    with started(name, tmp_path) as peer:
        with closing(http.client.HTTPConnection(HOST, peer.port, timeout=10)) as connection:
            connection.request("GET", "/")
            answer = connection.getresponse()
            assert (answer.status, answer.read()) == (200, b"OK")
            assert answer.getheader("X-Benchsuite-Run") == peer.token
        for does in ("echo", "broadcast") if peer.adapter.dialect else ():
            assert talk(peer, does, texts) == texts


@needs("node-peers")
def test_ws_broadcasts_to_all_subscribers_and_idles(tmp_path):
    with started("peer-ws", tmp_path) as peer:
        room = "/bench/ws/broadcast/"
        with opened(peer, room) as speaker, opened(peer, room) as listener:
            speaker.send(b"\x00hello")
            assert [member.recv(WAIT_S) for member in (speaker, listener)] == [b"\x00hello"] * 2
        with opened(peer, "/bench/ws/idle/") as connection:
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
        adapters.build()
    assert not adapters.modules().exists()


@pytest.mark.parametrize("name", NAMES)
def test_a_run_measures_it(name, command):
    run = measured(command, f"--server={name} --workload=ws_echo")
    assert run["server"] == name
    assert run["server_version"]
