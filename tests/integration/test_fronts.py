"""Every built-in front, really started before instances: what goes through, where to, its end."""

import hashlib
import http.client
import json
import os
import pwd
import signal
import ssl
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from benchsuite.core.exceptions import StartError
from benchsuite.core.specs import Option
from benchsuite.system import account
from benchsuite.system.network import ensure_port_free
from tests.integration.command import ROOT
from tests.integration.fronted import HOST, PROGRAMS, exchange, front_class, fronted, temporary
from tests.integration.left_behind import eventually, processes_with
from tests.integration.serving import alive
from tests.needs import audited, needs

NAMES = [pytest.param(name, marks=needs(name)) for name in PROGRAMS]


@pytest.mark.parametrize("count", audited([1, 3], 3))
@pytest.mark.parametrize("name", NAMES)
def test_shares_evenly_over_kept_connections(name, count):
    with fronted(name, count) as served:
        before = served.ask(20).connections
        asked = served.ask(600)
    assert asked.statuses == {200: 600}
    assert asked.instances == dict.fromkeys((one.port for one in served.instances), 600 // count)
    assert asked.connections - before < 100


@pytest.mark.parametrize("name", NAMES)
def test_makes_a_connection_for_each_request_when_none_are_kept(name):
    with fronted(name, 3, options={"upstream_keep_alive": 0}) as served:
        before = served.ask(3, clients=1).connections
        asked = served.ask(300)
    assert asked.statuses == {200: 300}
    assert asked.connections - before == 300


@pytest.mark.parametrize("name", NAMES)
def test_runs_without_root_and_passes_large_bodies_and_who_asked(name):
    with fronted(name) as served:
        wanted = 2 if name == "nginx" else 1  # a master and its worker
        assert eventually(lambda: len(served.process.living()) == wanted)
        status = Path(f"/proc/{served.process.pid}/status").read_text()
        user = int(status.partition("Uid:")[2].split()[0])
        with closing(served.connect()) as connection:
            assert exchange(connection, "/big/")[1] == b"0123456789abcdef" * 196_608
            for size in (300_000, 3_000_000):
                body = os.urandom(size)
                digest = hashlib.sha256(body).hexdigest().encode()
                assert exchange(connection, "/", body)[1] == digest
        seen = json.loads(served.get("/headers/")[1])
    assert seen["host"] == f"{HOST}:{served.port}"
    assert seen["x-forwarded-for"] == seen["x-real-ip"] == HOST
    assert seen["x-forwarded-proto"] == "http"
    wanted_user = account.unprivileged()
    assert user == (pwd.getpwnam(wanted_user).pw_uid if wanted_user else os.geteuid())
    assert front_class(name).version()


@pytest.mark.parametrize("name", NAMES)
def test_what_a_dead_instance_should_have_answered_fails_at_once(name):
    with fronted(name, 3) as served:
        served.ask(60)
        dead = served.instances[1]
        dead.process.end(9, 1.0)
        began = time.monotonic()
        asked = served.ask(300)
        took_s = time.monotonic() - began
    assert asked.statuses == {200: 200, 502 if name == "nginx" else 503: 100}
    assert dead.port not in asked.instances
    assert took_s < 10, "it waited before it gave up, or tried again"


@pytest.mark.parametrize("name", NAMES)
def test_more_clients_at_once_than_nginx_would_have_by_itself(name):
    with fronted(name) as served, ExitStack() as stack:
        clients = [stack.enter_context(closing(served.connect())) for _ in range(600)]
        for client in clients:
            client.request("GET", "/slow/")
        assert {client.getresponse().read() for client in clients} == {b"slow"}


@needs("nginx")
def test_nginx_shares_evenly_in_two_processes_too():
    with fronted("nginx", 3, options={"processes": 2}) as served:
        assert eventually(lambda: len(served.process.living()) == 3)
        asked = served.ask(600)
    assert asked.instances == dict.fromkeys((one.port for one in served.instances), 200)


OTHERS: dict[str, list[dict[str, Option]]] = {
    "nginx": [
        {"balance": "least_connections", "keep_alive_s": 5, "backlog": 100},
        {"upstream_idle_s": 1, "timeout_s": 30},
    ],
    "haproxy": [
        {"balance": "least_connections", "keep_alive_s": 5, "backlog": 100, "threads": 2},
        {"upstream_idle_s": 1, "timeout_s": 30, "connections": 100, "threads": 4},
    ],
}


@pytest.mark.audit
@pytest.mark.parametrize(
    ("name", "options"),
    [
        pytest.param(name, options, marks=needs(name), id=f"{name}-{number}")
        for name in PROGRAMS
        for number, options in enumerate(OTHERS[name])
    ],
)
def test_takes_every_option_that_it_names(name, options):
    with fronted(name, 2, options=options) as served:
        asked = served.ask(60)
    assert asked.statuses == {200: 60}
    assert len(asked.instances) == 2


@pytest.mark.parametrize("name", NAMES)
def test_says_what_is_wrong_with_a_configuration_in_one_sentence(name):
    with temporary() as folder:
        own = folder / "own.conf"
        own.write_text("nonsense @{port};\n")
        with pytest.raises(StartError) as caught, fronted(name, options={"config": str(own)}):
            pytest.fail("it started")
    said = str(caught.value)
    assert said.startswith(f"{name} refuses its configuration: ")
    assert "nonsense" in said or "unknown" in said
    assert "\n" not in said


@pytest.mark.parametrize("name", NAMES)
def test_ends_when_its_port_is_taken(name):
    with fronted(name) as served, temporary() as folder:
        own = folder / "own"
        instance = [(HOST, served.instances[0].port)]
        (taking,) = served.adapter.config_files(HOST, served.port, instance).values()
        own.write_text(taking)
        refused = pytest.raises(StartError, match="ended with status 1 before it answered")
        with refused, fronted(name, options={"config": str(own)}):
            pytest.fail("it started")
        assert served.get()[1] == b"ok"


@pytest.mark.parametrize("name", NAMES)
@needs("openssl")
def test_speaks_tls_with_a_certificate_of_its_own(name):
    with fronted(name, options={"tls": True}) as served:
        pem = (served.adapter.place.folder / "certificate.pem").read_text()
        trusting = ssl.create_default_context(
            cadata=pem[pem.index("-----BEGIN CERTIFICATE-----") :]
        )
        connection = http.client.HTTPSConnection(HOST, served.port, timeout=20, context=trusting)
        with closing(connection):
            answer, body = exchange(connection, "/headers/")
        assert json.loads(body)["x-forwarded-proto"] == "https"
        assert answer.headers["X-Benchsuite-Run"] == served.token


@needs("daphne", "uvicorn")
@pytest.mark.parametrize("count", audited([1, 3], 3))
@pytest.mark.parametrize("server", audited(["daphne", "uvicorn"], "uvicorn"))
@pytest.mark.parametrize("name", NAMES)
def test_shares_websockets_and_passes_every_message_on(name, server, count):
    with fronted(name, count, server=server) as served, ExitStack() as stack:
        sockets = [stack.enter_context(served.open_websocket()) for _ in range(6)]
        processes = Counter(socket.recv() for socket in sockets)
        assert list(processes.values()) == [6 // count] * count
        for socket in sockets:
            for message in ("text", b"binary", "ü" * 100_000, os.urandom(200_000)):
                socket.send(message)
                assert socket.recv(timeout=20) == message


@pytest.mark.audit
@needs("uvicorn")
@pytest.mark.parametrize("name", NAMES)
def test_silence_is_cut_after_the_timeout_and_not_before(name):
    with (
        fronted(name, server="uvicorn", options={"timeout_s": 2}) as served,
        served.open_websocket() as socket,
    ):
        socket.recv()
        time.sleep(1.0)
        socket.send("still here")
        assert socket.recv(timeout=20) == "still here"
        began = time.monotonic()
        with pytest.raises(ConnectionClosed):
            socket.recv(timeout=20)
        assert time.monotonic() - began > 1.5


@pytest.mark.audit
@needs("uvicorn")
@pytest.mark.parametrize("name", NAMES)
def test_four_hundred_websockets_at_once(name):
    with fronted(name, 2, server="uvicorn") as served, ExitStack() as stack:
        sockets = [stack.enter_context(served.open_websocket()) for _ in range(400)]
        for number, socket in enumerate(sockets):
            socket.send(str(number))
        for number, socket in enumerate(sockets):
            socket.recv(timeout=20)
            assert socket.recv(timeout=20) == str(number)


@pytest.mark.parametrize("name", NAMES)
def test_ends_in_time_under_load_and_leaves_nothing(name):
    over = threading.Event()

    def ask(port):
        while not over.is_set():
            with (
                suppress(OSError, http.client.HTTPException),
                closing(http.client.HTTPConnection(HOST, port, timeout=5)) as connection,
            ):
                while not over.is_set():
                    exchange(connection)

    with ThreadPoolExecutor(8) as pool, ExitStack() as ending:
        ending.callback(over.set)
        with fronted(name, 2) as served:
            for _ in range(8):
                pool.submit(ask, served.port)
            time.sleep(0.5)
            pids = served.process.living()
            began = time.monotonic()
            served.process.end(served.adapter.stop_signal, served.adapter.grace_s)
            assert time.monotonic() - began < served.adapter.grace_s
            assert not [pid for pid in pids if alive(pid)]
            ensure_port_free(HOST, served.port)
    assert processes_with(served.token) == []
    assert not served.adapter.place.folder.exists()


PARENT = """
import tempfile, time
from pathlib import Path
from benchsuite.system.guard import guarded
from tests.integration.fronted import fronted
folder = Path(tempfile.mkdtemp(prefix="benchsuite-"))
with guarded({marker!r}, folder), fronted(
    {name!r}, 2, marker={marker!r}, folder=folder
) as served:
    print(folder, *served.process.living(), flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("name", NAMES)
def test_goes_with_a_parent_that_is_killed(name):
    """nginx writes its title over the mark in its environment, and is found all the same."""
    marker = uuid.uuid4().hex
    with subprocess.Popen(
        [sys.executable, "-c", PARENT.format(marker=marker, name=name)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as parent:
        folder, *pids = parent.stdout.readline().split()
        assert pids
        parent.send_signal(signal.SIGKILL)
    assert eventually(lambda: not any(alive(int(pid)) for pid in pids))
    assert eventually(lambda: processes_with(marker) == [])
    assert eventually(lambda: not Path(folder).exists())
