"""WebSockets over TLS mean the same as without."""

import os
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import trustme
from websockets.server import ServerProtocol

from benchsuite.core.exceptions import AnswerError
from benchsuite.core.samples import Kind
from tests.integration.loads import a_job, load
from tests.integration.stubs_ws import SocketResponder, every, raw, with_code
from tests.integration.stubs_ws_raw import RawResponder


@pytest.fixture
def tls() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    return context


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize("size", [32, 300_000])
def test_messages_come_back(
    version: ssl.TLSVersion, size: int, tls: ssl.SSLContext, tmp_path: Path
) -> None:
    tls.minimum_version = tls.maximum_version = version
    with SocketResponder(tls=tls) as responder:
        result = load(tmp_path, a_job(responder, "Socket", unit="message", messages=5, size=size))
    assert set(result.kinds("message /")) == {Kind.OK}
    assert set(result.kinds("handshake /")) == {Kind.OK}
    assert set(result.kinds("closing /")) == {Kind.OK}
    assert set(result.of("message /")["body_bytes"]) == {size}


def test_a_message_of_more_than_the_kernel_takes_at_once(
    tls: ssl.SSLContext, tmp_path: Path
) -> None:
    size = 8_000_000
    with SocketResponder(tls=tls) as responder:
        result = load(tmp_path, a_job(responder, "Socket", unit="message", size=size, users=1))
    assert set(result.kinds("message /")) == {Kind.OK}
    assert set(result.of("message /")["body_bytes"]) == {size}


def test_endings_are_told_as_without(tls: ssl.SSLContext, tmp_path: Path) -> None:
    with SocketResponder({"/odd": every(5, with_code(1011))}, tls=tls) as responder:
        result = load(tmp_path, a_job(responder, "Socket", path="/odd", unit="message"))
    odd = responder.seen["/odd"]["odd"]
    assert result.kinds("message /odd")[Kind.WEBSOCKET_CLOSED] == odd > 3
    assert result.kinds("stray /odd") == {Kind.WEBSOCKET_CLOSED: odd}


def test_garbage_inside_of_tls_breaks_the_protocol(tls: ssl.SSLContext, tmp_path: Path) -> None:
    with SocketResponder({"/odd": every(5, raw(b"\xff\xff" * 9))}, tls=tls) as responder:
        result = load(tmp_path, a_job(responder, "Socket", path="/odd", unit="message"))
    assert result.kinds("message /odd")[Kind.PROTOCOL] > 3


def test_garbage_beneath_tls_breaks_the_protocol(tls: ssl.SSLContext, tmp_path: Path) -> None:
    def mumble(connected: socket.socket, protocol: ServerProtocol) -> None:
        with socket.socket(fileno=os.dup(connected.fileno())) as beneath:
            beneath.sendall(b"\x17\x03\x03\x00\x20" + b"?" * 32)
            while beneath.recv(4096):
                pass

    with RawResponder({"/odd": mumble}, tls=tls) as responder:
        result = load(tmp_path, a_job(responder, "Socket", path="/odd", unit="message"))
    assert set(result.kinds("message /odd")) == {Kind.PROTOCOL}
    assert result.example("message /odd", Kind.PROTOCOL).startswith("no TLS: ")
    assert set(result.kinds("socket")) == {Kind.PROTOCOL}


def test_a_good_bye_of_tls_is_an_end_and_is_answered(tls: ssl.SSLContext, tmp_path: Path) -> None:
    """Servers on asyncio close the connection only when their good-bye was answered."""
    waited: list[float] = []

    def good_bye(connected: socket.socket, protocol: ServerProtocol) -> None:
        assert isinstance(connected, ssl.SSLSocket)
        begin = time.monotonic()
        connected.unwrap()
        waited.append(time.monotonic() - begin)

    with RawResponder({"/odd": good_bye}, tls=tls) as responder:
        result = load(tmp_path, a_job(responder, "Socket", path="/odd", unit="message"))
    assert set(result.kinds("message /odd")) == {Kind.RESET}
    assert len(waited) >= len(result.of("message /odd")) > 3
    assert max(waited) < 3


@contextmanager
def answering(said: bytes) -> Iterator[str]:
    """A server that says this to the first who connects, and nothing more; its https URL."""
    with socket.create_server(("127.0.0.1", 0)) as listener, ExitStack() as stack:

        def accept() -> None:
            connected = stack.enter_context(listener.accept()[0])
            connected.sendall(said)

        accepting = threading.Thread(target=accept)
        accepting.start()
        yield f"https://127.0.0.1:{listener.getsockname()[1]}"
        accepting.join()


def test_a_server_that_speaks_no_tls_is_told(tmp_path: Path) -> None:
    with (
        answering(b"HTTP/1.1 400 Bad Request\r\n\r\n") as url,
        pytest.raises(AnswerError, match="no TLS: wrong version number"),
    ):
        load(tmp_path, a_job(url, "Socket", unit="message"))


def test_a_server_that_closes_at_once_is_told(tmp_path: Path) -> None:
    with SocketResponder() as responder:
        url = responder.base_url.replace("http:", "https:")
        with pytest.raises(AnswerError, match="closed in the TLS handshake"):
            load(tmp_path, a_job(url, "Socket", unit="message"))


def test_a_handshake_that_stops_ends_in_time(tmp_path: Path) -> None:
    with answering(b"") as url, pytest.raises(AnswerError, match=r"no connection after 0\.3 s"):
        load(tmp_path, a_job(url, "Socket", unit="message", timeout_s=0.3))
