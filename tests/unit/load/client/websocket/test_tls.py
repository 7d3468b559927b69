"""TLS of one WebSocket, against another end in the same process."""

import ssl

import pytest
import trustme

from benchsuite.load.client.websocket.tls import Secrecy
from benchsuite.system.tls import client_context


class Server:
    """The other end, in memory."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.session = context.wrap_bio(self._incoming, self._outgoing, server_side=True)

    def take(self, block: bytes) -> None:
        self._incoming.write(block)

    def shake(self) -> None:
        try:
            self.session.do_handshake()
        except ssl.SSLWantReadError:
            return

    def says(self, data: bytes) -> bytes:
        self.session.write(data)
        return self._outgoing.read()

    def says_good_bye(self) -> bytes:
        with pytest.raises(ssl.SSLWantReadError):
            self.session.unwrap()
        return self._outgoing.read()

    def due(self) -> bytes:
        return self._outgoing.read()


@pytest.fixture(params=[ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3], ids=["1.2", "1.3"])
def server(request: pytest.FixtureRequest) -> Server:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = context.maximum_version = request.param
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    return Server(context)


def fresh() -> Secrecy:
    return Secrecy(client_context("127.0.0.1"), "127.0.0.1")


def shaken(server: Server, *, at_once: int = 65_536) -> Secrecy:
    """Both ends after their handshake, of which so many bytes come at a time."""
    secrecy = fresh()
    secrecy.shake()
    for _ in range(3):
        server.take(secrecy.due())
        server.shake()
        said = server.due()
        for at in range(0, len(said), at_once):
            assert secrecy.take(said[at : at + at_once]) == b""
    assert secrecy.shaken
    assert secrecy.failure is None
    return secrecy


@pytest.mark.parametrize("at_once", [1, 1000, 65_536])
def test_a_handshake_may_come_in_pieces(server: Server, at_once: int) -> None:
    secrecy = shaken(server, at_once=at_once)
    secrecy.put(b"hello")
    server.take(secrecy.due())
    assert server.session.read(99) == b"hello"


def test_records_may_come_in_pieces_and_many_at_once(server: Server) -> None:
    secrecy = shaken(server)
    data = bytes(range(256)) * 1000
    said = server.says(data) + server.says(b"and more")
    heard = b"".join(secrecy.take(said[at : at + 999]) for at in range(0, len(said), 999))
    assert heard == data + b"and more"


def test_what_came_before_a_failure_is_given(server: Server) -> None:
    secrecy = shaken(server)
    assert secrecy.take(server.says(b"right") + b"\x17\x03\x03\x00\x20" + b"?" * 32) == b"right"
    assert secrecy.failure is not None
    server.take(secrecy.due())
    with pytest.raises(ssl.SSLError, match=r"(?i)alert"):  # the server is told why
        server.session.read(99)


def test_nothing_is_said_after_a_failure(server: Server) -> None:
    secrecy = shaken(server)
    secrecy.take(b"\x17\x03\x03\x00\x20" + b"?" * 32)
    secrecy.due()
    secrecy.put(b"too late")
    secrecy.good_bye()
    assert secrecy.due() == b""


def test_an_answer_that_is_no_tls_is_a_failure_of_the_handshake() -> None:
    secrecy = fresh()
    secrecy.shake()
    assert secrecy.take(b"HTTP/1.1 400 Bad Request\r\n\r\n") == b""
    assert secrecy.failure is not None
    assert not secrecy.shaken


def test_a_good_bye_is_heard_with_what_came_before_it_and_answered(server: Server) -> None:
    secrecy = shaken(server)
    assert secrecy.take(server.says(b"last words") + server.says_good_bye()) == b"last words"
    assert secrecy.over
    assert secrecy.failure is None
    secrecy.good_bye()
    server.take(secrecy.due())
    server.session.unwrap()  # no longer waits for us


def test_our_good_bye_is_heard(server: Server) -> None:
    secrecy = shaken(server)
    secrecy.good_bye()
    secrecy.good_bye()
    secrecy.put(b"too late")
    server.take(secrecy.due())
    assert server.session.read(99) == b""


def test_a_good_bye_in_the_middle_of_the_handshake_harms_nothing() -> None:
    secrecy = fresh()
    secrecy.shake()
    secrecy.due()
    secrecy.good_bye()
    assert secrecy.due() == b""
