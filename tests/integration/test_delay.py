"""The delay proxy: what it passes on, how connections end through it, and runs that ask for it."""

import http.client
import json
import os
import random
import resource
import socket
import threading
import time
from contextlib import closing, contextmanager

import pytest

from benchsuite.core.exceptions import StartError
from benchsuite.core.specs.server import DelaySpec
from benchsuite.delay import delayer
from benchsuite.delay.delayer import HOST, Delayer
from benchsuite.system.programs import isolated_python
from benchsuite.telemetry.prober.answer import Probe
from tests.integration.left_behind import eventually, processes_with
from tests.integration.listening import (
    PATIENCE_S,
    connect,
    echo,
    receive,
    reset,
    seconds_of,
    server,
    talking,
    through,
)
from tests.integration.stub import stub
from tests.needs import needs

MEGABYTE = random.Random(1).randbytes(2**20)


@pytest.fixture(params=["asyncio", pytest.param("uvloop", marks=needs("uvloop"))])
def loop(request, monkeypatch):
    """Each event loop ends connections by code of its own."""
    if request.param == "asyncio":
        monkeypatch.setattr(delayer, "isolated_python", without_uvloop)


def without_uvloop(module, *, packages):
    """The program where uvloop is not installed."""
    *python, program = isolated_python(module, packages=packages)
    return [*python, f"import sys; sys.modules['uvloop'] = None; {program}"]


@pytest.mark.parametrize("direction", ["to_server", "to_client"])
def test_slow_reader_holds_its_sender_up(direction, loop, tmp_path):
    """32 MiB to somebody who does not read: what is under way is bounded, and nothing is lost."""
    whole = 32
    sent = 0
    may_read = threading.Event()

    def send(connection):
        nonlocal sent
        for _ in range(whole):
            connection.sendall(MEGABYTE)
            sent += 1
        connection.shutdown(socket.SHUT_WR)

    def read(connection):
        may_read.wait(PATIENCE_S)
        received.append(receive(connection))

    def stands_still():
        before = sent
        time.sleep(0.3)
        return before == sent > 0

    received: list[bytes] = []
    to_server = direction == "to_server"
    with talking(read if to_server else send, tmp_path, 0.02, direction) as connection:
        other = threading.Thread(target=send if to_server else read, args=(connection,))
        other.start()
        assert eventually(stands_still), "it never had to wait"
        assert sent < whole
        may_read.set()
        assert eventually(lambda: bool(received))
        other.join(PATIENCE_S)
    assert received == [MEGABYTE * whole]


def test_client_that_has_said_all_still_hears_the_answer(loop, tmp_path):
    def answer_at_the_end(connection):
        connection.sendall(receive(connection)[::-1])

    with talking(answer_at_the_end, tmp_path) as connection:
        connection.sendall(b"abc")
        connection.shutdown(socket.SHUT_WR)
        assert receive(connection) == b"cba"


def test_server_that_has_said_all_still_hears_the_client(loop, tmp_path):
    heard = []

    def say_all_first(connection):
        connection.sendall(b"hello")
        connection.shutdown(socket.SHUT_WR)
        heard.append(receive(connection))

    with talking(say_all_first, tmp_path, direction="to_client") as connection:
        assert receive(connection) == b"hello"
        connection.sendall(b"goodbye")
        connection.shutdown(socket.SHUT_WR)
        assert eventually(lambda: heard == [b"goodbye"])


@pytest.mark.parametrize("direction", ["to_server", "to_client"])
def test_reset_by_the_server_comes_after_what_it_said(direction, loop, tmp_path):
    may_end = threading.Event()

    def say_and_reset(connection):
        receive(connection, 1)
        connection.sendall(b"half")
        may_end.wait(PATIENCE_S)
        reset(connection)

    with talking(say_and_reset, tmp_path, 0.05, direction) as connection:
        connection.sendall(b"x")
        assert receive(connection, 4) == b"half"
        may_end.set()
        with pytest.raises(ConnectionResetError):
            connection.recv(1)


@pytest.mark.parametrize("direction", ["to_server", "to_client"])
def test_reset_by_the_client_reaches_the_server(direction, loop, tmp_path):
    heard: list[object] = []

    def listen(connection):
        heard.append(receive(connection, 3))
        connection.sendall(b"yes")
        try:
            heard.append(connection.recv(1))
        except ConnectionResetError:
            heard.append("reset")

    with talking(listen, tmp_path, 0.05, direction) as connection:
        connection.sendall(b"abc")
        assert receive(connection, 3) == b"yes"
        reset(connection)
        assert eventually(lambda: heard == [b"abc", "reset"])


def test_server_that_is_down_is_a_reset(loop, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        upstream = gone.getsockname()
    with through(upstream, tmp_path, 0.05) as late:
        with connect(late) as connection, pytest.raises(ConnectionResetError):
            connection.recv(1)
        assert not Probe(f"http://{late.host}:{late.port}/", "x", timeout_s=2)()
        assert f"{upstream[0]}:{upstream[1]} can't be reached" in late.process.log_tail()
        assert late.process.poll() is None
        with socket.create_server(upstream, reuse_port=False) as back, connect(late) as connection:
            back.settimeout(PATIENCE_S)
            connection.sendall(b"x")
            accepted, _ = back.accept()
            with accepted:
                assert receive(accepted, 1) == b"x"


@pytest.mark.parametrize("direction", ["to_server", "to_client"])
def test_server_may_speak_first_and_end(direction, loop, tmp_path):
    """As MySQL does, and WebSockets once they are open."""

    def speak(connection):
        connection.sendall(b"ready")

    with talking(speak, tmp_path, 0.05, direction) as connection:
        assert receive(connection) == b"ready"


@contextmanager
def files_at_most(count):
    """So many of this process, and the most that it may ask for."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count), hard))
    try:
        yield hard
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_500_connections_at_once(loop, tmp_path):
    """Of all of them this process holds both ends."""
    with files_at_most(4096), server(echo) as upstream, through(upstream, tmp_path) as late:
        connections = [connect(late) for _ in range(500)]
        messages = [f"message of {number:04}".encode() for number in range(500)]
        for _ in range(3):
            for connection, message in zip(connections, messages, strict=True):
                connection.sendall(message)
            answers = [receive(connection, 15) for connection in connections]
            assert answers == messages
        files = len(os.listdir(f"/proc/{late.process.pid}/fd"))
        for connection in connections:
            connection.close()
        assert eventually(lambda: len(os.listdir(f"/proc/{late.process.pid}/fd")) < files - 990)


def test_may_open_as_many_files_as_are_allowed_at_all(tmp_path):
    with files_at_most(256) as hard, through(("127.0.0.1", 9), tmp_path) as late:
        assert resource.prlimit(late.process.pid, resource.RLIMIT_NOFILE) == (hard, hard)


def test_ends_at_once_with_connections_open(loop, tmp_path):
    with server(echo) as upstream:
        with through(upstream, tmp_path, 10.0) as late:
            connections = [connect(late) for _ in range(20)]
            for connection in connections:
                connection.sendall(b"on its way")
            ending = time.monotonic()
        assert time.monotonic() - ending < 2, "it had to be killed"
        assert late.process.poll() == 0
        assert late.process.log_tail() == f"listening on {late.host}:{late.port} with {late.loop}"
        for connection in connections:
            connection.close()


def test_unknown_host(tmp_path):
    nowhere = ("no-such-host.invalid", 9)
    with pytest.raises(StartError, match="gaierror"), through(nowhere, tmp_path):
        pytest.fail("it started")


MARKER = "a-marker-of-a-delayer"


def answer_rows(connection):
    while connection.recv(5):
        connection.sendall(b"a row")


def test_a_run_with_all_delays(tmp_path):
    spec = DelaySpec(to_clients_s=0.05, to_database_s=0.1, to_layer_s=0.08)
    with (
        server(answer_rows) as database,
        on_socket(tmp_path / "its.sock") as layer,
        Delayer(
            spec=spec,
            database=database,
            layer=layer,
            folder=tmp_path,
            marker=MARKER,
            env=dict(os.environ),
        ) as late,
    ):
        assert late.database != database
        assert query_s(connect(late.database)) == pytest.approx(0.1, abs=0.02)
        path, port = late.layer or ("", 1)
        assert (path, port) == (str(tmp_path / "late.sock"), 0)
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(path)
            assert query_s(connection) == pytest.approx(0.08, abs=0.02)
        # The server comes up while its clients' way to it is there already.
        with stub("good", tmp_path) as target:
            host, port = late.clients((HOST, target.port))
            assert port != target.port
            target.wait()
            assert page_s(host, port) == pytest.approx(2 * 0.05, abs=0.02)
        data = json.loads(json.dumps(late.to_json()))["proxies"]
        names = {"delay-to-database", "delay-to-layer", "delay-to-clients"}
        assert set(late.processes) == set(data) == names
        to_database, to_clients = data["delay-to-database"], data["delay-to-clients"]
        assert (to_database["direction"], to_database["delay_s"]) == ("to_server", 0.1)
        assert (to_clients["direction"], to_clients["delay_s"]) == ("to_client", 0.05)
        assert len(processes_with(MARKER)) == 3
    assert processes_with(MARKER) == []


@contextmanager
def on_socket(path):
    """A server of one connection on a Unix socket."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        listener.settimeout(20)

        def serve():
            with listener.accept()[0] as connection:
                answer_rows(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        yield str(path), 0
        thread.join()


def query_s(to):
    def ask():
        to.sendall(b"query")
        assert receive(to, 5) == b"a row"

    with to:
        return min(seconds_of(ask, 6))


def page_s(host, port):
    """On a new connection each."""

    def ask():
        with closing(http.client.HTTPConnection(host, port, timeout=20)) as client:
            client.request("GET", "/")
            client.getresponse().read()

    return min(seconds_of(ask, 5))


DATABASE = ("127.0.0.1", 9)


@pytest.mark.parametrize(
    ("delay", "database"),
    [("to_clients_s", DATABASE), ("to_clients_s", None), ("to_database_s", DATABASE)],
)
def test_what_is_not_delayed_has_no_proxy(delay, database, tmp_path):
    spec, to_database = DelaySpec(**{delay: 0.05}), delay == "to_database_s"
    with Delayer(
        spec=spec, database=database, folder=tmp_path, marker=MARKER, env=dict(os.environ)
    ) as late:
        assert (late.database == database) is not to_database
        assert len(late.processes) == to_database
        assert (late.clients((HOST, 10)) == (HOST, 10)) is to_database
        assert len(late.processes) == 1


RUN = (
    *("runbench", "--server=gunicorn-sync", "--workload=plain", "--users=1"),
    *("--warmup=0", "--duration=2", "--delay-to-clients=50ms", "--json=-"),
)
TARGET = ("--setting=DATABASES.default.ATOMIC_REQUESTS=true", "--variable=MALLOC_ARENA_MAX=2")


@needs("gunicorn")
def test_through_the_proxy(command):
    ended = command.run(*RUN, "--delay-to-database=20ms", *TARGET, status=0)
    assert "20.0\u2009ms to the database" in ended.err
    (run,) = json.loads(ended.out)
    assert "ATOMIC_REQUESTS as --setting or OVERRIDES says" in run["settings_changed"]["DATABASES"]
    assert list(run["delay"]["proxies"]) == ["delay-to-clients"]
    assert ([one["part"] for one in run["programs"]], run["failures"]) == (["target", "delay"], 0)
    # gunicorn-sync closes its connections: each request is late by the SYN's answer and its own.
    assert 0.1 < run["response_time"]["p50_s"] < 0.5
