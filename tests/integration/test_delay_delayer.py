"""What a run asks a delayer for, with every party in its place."""

import http.client
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from benchsuite.core.specs.delay import DelaySpec
from benchsuite.delay.address import HOST
from benchsuite.delay.delayer import Delayer, delayer
from tests.integration.delay_servers import connect, receive, server
from tests.integration.left_behind import processes_with
from tests.integration.stub import stub

MARKER = "a-marker-of-a-delayer"


def answer_rows(connection: socket.socket) -> None:
    while connection.recv(5):
        connection.sendall(b"a row")


def test_a_run_with_all_delays(tmp_path: Path) -> None:
    spec = DelaySpec(to_clients_s=0.05, to_database_s=0.1, to_layer_s=0.08)
    with (
        server(answer_rows) as database,
        on_socket(tmp_path / "its.sock") as layer,
        delayer(
            spec,
            database=database,
            layer=layer,
            folder=tmp_path,
            marker=MARKER,
            env=dict(os.environ),
        ) as late,
    ):
        there = late.database
        assert there is not None
        assert there != database
        assert query_s(connect(there)) == pytest.approx(0.1, abs=0.02)
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
        told(late)
        assert len(processes_with(MARKER)) == 3
    assert processes_with(MARKER) == []


def told(late: Delayer) -> None:
    """Each proxy by its name, with how exact it is; as JSON."""
    names = {"delay-to-database", "delay-to-layer", "delay-to-clients"}
    assert set(late.processes()) == names
    data = json.loads(json.dumps(late.to_json()))
    to_database = data["proxies"]["delay-to-database"]
    assert (to_database["direction"], to_database["delay_s"]) == ("to_server", 0.1)
    to_clients = data["proxies"]["delay-to-clients"]
    assert (to_clients["direction"], to_clients["delay_s"]) == ("to_client", 0.05)
    for proxy in (to_database, to_clients):
        assert abs(proxy["accuracy"]["median_error_s"]) < 0.01


@contextmanager
def on_socket(path: Path) -> Iterator[tuple[str, int]]:
    """A server of one connection on a Unix socket."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        listener.settimeout(20)

        def serve() -> None:
            with listener.accept()[0] as connection:
                answer_rows(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        yield str(path), 0
        thread.join()


def query_s(to: socket.socket) -> float:
    with to as connection:
        seconds = []
        for _ in range(6):
            began = time.monotonic()
            connection.sendall(b"query")
            assert receive(connection, 5) == b"a row"
            seconds.append(time.monotonic() - began)
    return min(seconds)


def page_s(host: str, port: int) -> float:
    """On a new connection each."""
    seconds = []
    for _ in range(5):
        with closing(http.client.HTTPConnection(host, port, timeout=20)) as client:
            began = time.monotonic()
            client.request("GET", "/")
            client.getresponse().read()
            seconds.append(time.monotonic() - began)
    return min(seconds)


@pytest.mark.parametrize("spec", [DelaySpec(to_clients_s=0.05), DelaySpec(to_database_s=0.05)])
def test_what_is_not_delayed_has_no_proxy(spec: DelaySpec, tmp_path: Path) -> None:
    database = ("127.0.0.1", 9)
    with delayer(
        spec, database=database, folder=tmp_path, marker=MARKER, env=dict(os.environ)
    ) as late:
        assert (late.database == database) is (not spec.to_database_s)
        assert (late.clients((HOST, 10)) == (HOST, 10)) is (not spec.to_clients_s)
        assert len(late.processes()) == 1


def test_no_database(tmp_path: Path) -> None:
    with delayer(
        DelaySpec(to_clients_s=0.05),
        database=None,
        folder=tmp_path,
        marker=MARKER,
        env=dict(os.environ),
    ) as late:
        assert late.database is None
        assert late.processes() == {}
