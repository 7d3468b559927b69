"""What the delay proxy passes on, how connections end through it, and how it ends itself."""

import hashlib
import os
import random
import resource
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchsuite.core.exceptions import StartError
from benchsuite.delay.address import Loop
from benchsuite.telemetry.prober.answer import answers_as
from tests.integration.delay_servers import (
    PATIENCE_S,
    connect,
    echo,
    receive,
    receive_all,
    reset,
    server,
    through,
)
from tests.integration.left_behind import eventually
from tests.needs import needs

MEGABYTE = random.Random(1).randbytes(2**20)


@pytest.fixture(params=["asyncio", pytest.param("uvloop", marks=needs("uvloop"))])
def loop(request: pytest.FixtureRequest) -> Loop:
    """Each event loop ends connections by code of its own."""
    chosen: Loop = request.param
    return chosen


@pytest.mark.parametrize("direction", ["to_server", "to_client"])
def test_bulk_is_intact_both_ways(direction: str, loop: Loop, tmp_path: Path) -> None:
    with (
        server(echo) as upstream,
        through(upstream, tmp_path, 0.05, direction, loop=loop) as late,  # type: ignore[arg-type]
        connect(late) as connection,
    ):
        sending = threading.Thread(target=connection.sendall, args=(MEGABYTE,))
        sending.start()
        received = receive(connection, len(MEGABYTE))
        sending.join(PATIENCE_S)
    assert hashlib.sha256(received).digest() == hashlib.sha256(MEGABYTE).digest()


@pytest.mark.parametrize("direction", ["to_server", "to_client"])
def test_slow_reader_holds_its_sender_up(direction: str, loop: Loop, tmp_path: Path) -> None:
    """32 MiB to somebody who does not read: what is under way is bounded, and nothing is lost."""
    whole = 32
    sent = 0
    may_read = threading.Event()

    def send(connection: socket.socket) -> None:
        nonlocal sent
        for _ in range(whole):
            connection.sendall(MEGABYTE)
            sent += 1
        connection.shutdown(socket.SHUT_WR)

    def read(connection: socket.socket) -> None:
        may_read.wait(PATIENCE_S)
        received.append(receive_all(connection))

    received: list[bytes] = []
    to_server = direction == "to_server"
    with (
        server(read if to_server else send) as upstream,
        through(upstream, tmp_path, 0.02, direction, loop=loop) as late,  # type: ignore[arg-type]
        connect(late) as connection,
    ):
        other = threading.Thread(target=send if to_server else read, args=(connection,))
        other.start()
        assert eventually(lambda: _stands_still(lambda: sent)), "it never had to wait"
        assert sent < whole
        may_read.set()
        assert eventually(lambda: bool(received))
        other.join(PATIENCE_S)
    assert received == [MEGABYTE * whole]


def _stands_still(count: object) -> bool:
    assert callable(count)
    before = count()
    time.sleep(0.3)
    return bool(before == count() and before)


def test_client_that_has_said_all_still_hears_the_answer(loop: Loop, tmp_path: Path) -> None:
    def answer_at_the_end(connection: socket.socket) -> None:
        connection.sendall(receive_all(connection)[::-1])

    with (
        server(answer_at_the_end) as upstream,
        through(upstream, tmp_path, loop=loop) as late,
        connect(late) as connection,
    ):
        connection.sendall(b"abc")
        connection.shutdown(socket.SHUT_WR)
        assert receive_all(connection) == b"cba"


def test_server_that_has_said_all_still_hears_the_client(loop: Loop, tmp_path: Path) -> None:
    heard = []

    def say_all_first(connection: socket.socket) -> None:
        connection.sendall(b"hello")
        connection.shutdown(socket.SHUT_WR)
        heard.append(receive_all(connection))

    with (
        server(say_all_first) as upstream,
        through(upstream, tmp_path, direction="to_client", loop=loop) as late,
        connect(late) as connection,
    ):
        assert receive_all(connection) == b"hello"
        connection.sendall(b"goodbye")
        connection.shutdown(socket.SHUT_WR)
        assert eventually(lambda: heard == [b"goodbye"])


def test_answer_that_ends_too_early(loop: Loop, tmp_path: Path) -> None:
    half = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"

    def break_off(connection: socket.socket) -> None:
        receive(connection, 1)
        connection.sendall(half)

    with (
        server(break_off) as upstream,
        through(upstream, tmp_path, direction="to_client", loop=loop) as late,
        connect(late) as connection,
    ):
        connection.sendall(b"G")
        assert receive_all(connection) == half


@pytest.mark.parametrize("direction", ["to_server", "to_client"])
def test_reset_by_the_server_comes_after_what_it_said(
    direction: str, loop: Loop, tmp_path: Path
) -> None:
    may_end = threading.Event()

    def say_and_reset(connection: socket.socket) -> None:
        receive(connection, 1)
        connection.sendall(b"half")
        may_end.wait(PATIENCE_S)
        reset(connection)

    with (
        server(say_and_reset) as upstream,
        through(upstream, tmp_path, 0.05, direction, loop=loop) as late,  # type: ignore[arg-type]
        connect(late) as connection,
    ):
        connection.sendall(b"x")
        assert receive(connection, 4) == b"half"
        may_end.set()
        with pytest.raises(ConnectionResetError):
            connection.recv(1)


@pytest.mark.parametrize("direction", ["to_server", "to_client"])
def test_reset_by_the_client_reaches_the_server(direction: str, loop: Loop, tmp_path: Path) -> None:
    heard: list[object] = []

    def listen(connection: socket.socket) -> None:
        heard.append(receive(connection, 3))
        connection.sendall(b"yes")
        try:
            heard.append(connection.recv(1))
        except ConnectionResetError:
            heard.append("reset")

    with (
        server(listen) as upstream,
        through(upstream, tmp_path, 0.05, direction, loop=loop) as late,  # type: ignore[arg-type]
    ):
        connection = connect(late)
        connection.sendall(b"abc")
        assert receive(connection, 3) == b"yes"
        reset(connection)
        assert eventually(lambda: heard == [b"abc", "reset"])


def test_server_that_is_down_is_a_reset(loop: Loop, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        upstream = gone.getsockname()
    with through(upstream, tmp_path, 0.05, loop=loop) as late:
        with connect(late) as connection, pytest.raises(ConnectionResetError):
            connection.recv(1)
        assert not answers_as(f"http://{late.host}:{late.port}/", "x")
        assert f"{upstream[0]}:{upstream[1]} can't be reached" in late.process.log_tail()
        assert late.process.poll() is None
        with socket.create_server(upstream, reuse_port=False) as back, connect(late) as connection:
            back.settimeout(PATIENCE_S)
            connection.sendall(b"x")
            accepted, _ = back.accept()
            with accepted:
                assert receive(accepted, 1) == b"x"


def test_server_may_speak_first(loop: Loop, tmp_path: Path) -> None:
    """As MySQL does, and WebSockets once they are open."""
    with (
        server(lambda connection: connection.sendall(b"ready")) as upstream,
        through(upstream, tmp_path, 0.05, loop=loop) as late,
        connect(late) as connection,
    ):
        assert receive_all(connection) == b"ready"


@pytest.fixture
def many_files() -> Iterator[None]:
    """This process holds both ends."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_500_connections_at_once(loop: Loop, many_files: None, tmp_path: Path) -> None:
    with server(echo) as upstream, through(upstream, tmp_path, loop=loop) as late:
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


def test_may_open_as_many_files_as_are_allowed_at_all(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    try:
        with through(("127.0.0.1", 9), tmp_path) as late:
            own, most = resource.prlimit(late.process.pid, resource.RLIMIT_NOFILE)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert own == most == hard


def test_ends_at_once_with_connections_open(loop: Loop, tmp_path: Path) -> None:
    with server(echo) as upstream:
        with through(upstream, tmp_path, 10.0, loop=loop) as late:
            connections = [connect(late) for _ in range(20)]
            for connection in connections:
                connection.sendall(b"on its way")
            ending = time.monotonic()
        assert time.monotonic() - ending < 2, "it had to be killed"
        assert late.process.poll() == 0
        assert late.process.log_tail() == f"listening on {late.host}:{late.port} with {late.loop}"
        for connection in connections:
            connection.close()


def test_port_that_is_taken(tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(StartError, match=r"proxy ended with status 1 .*in use"),
        through(("127.0.0.1", 9), tmp_path, port=taken.getsockname()[1]),
    ):
        pytest.fail("it started")


def test_unknown_host(tmp_path: Path) -> None:
    with (
        pytest.raises(StartError, match="gaierror"),
        through(("no-such-host.invalid", 9), tmp_path),
    ):
        pytest.fail("it started")
