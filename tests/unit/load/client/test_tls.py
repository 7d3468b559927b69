"""TLS of a connection, against another end in the same process."""

import ssl
from contextlib import suppress

import pytest
import trustme

from benchsuite.load.client.link import Tls
from benchsuite.system.network import client_context


class Server:
    """The other end, in memory."""

    def __init__(self, context):
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.session = context.wrap_bio(self._incoming, self._outgoing, server_side=True)

    def take(self, block):
        self._incoming.write(block)

    def shake(self):
        with suppress(ssl.SSLWantReadError):
            self.session.do_handshake()

    def says(self, data):
        self.session.write(data)
        return self._outgoing.read()

    def says_good_bye(self):
        with pytest.raises(ssl.SSLWantReadError):
            self.session.unwrap()
        return self._outgoing.read()

    def due(self):
        return self._outgoing.read()


@pytest.fixture(params=[ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3], ids=["1.2", "1.3"])
def server(request):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = context.maximum_version = request.param
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    return Server(context)


def fresh():
    return Tls(client_context("127.0.0.1"), "127.0.0.1")


def shaken(server, *, at_once=65_536):
    """Both ends after their handshake, of which so many bytes come at a time."""
    tls = fresh()
    for _ in range(3):
        server.take(tls.due())
        server.shake()
        said = server.due()
        for at in range(0, len(said), at_once):
            assert tls.take(said[at : at + at_once]) == b""
    assert tls.shaken
    assert tls.failure is None
    return tls


@pytest.mark.parametrize("at_once", [1, 1000, 65_536])
def test_a_handshake_may_come_in_pieces(server, at_once):
    tls = shaken(server, at_once=at_once)
    server.take(tls.due(b"hello"))
    assert server.session.read(99) == b"hello"


def test_records_may_come_in_pieces_and_many_at_once(server):
    tls = shaken(server)
    data = bytes(range(256)) * 1000
    said = server.says(data) + server.says(b"and more")
    heard = b"".join(tls.take(said[at : at + 999]) for at in range(0, len(said), 999))
    assert heard == data + b"and more"


def test_what_came_before_a_failure_is_given(server):
    tls = shaken(server)
    assert tls.take(server.says(b"right") + b"\x17\x03\x03\x00\x20" + b"?" * 32) == b"right"
    assert tls.failure is not None
    server.take(tls.due())
    with pytest.raises(ssl.SSLError, match=r"(?i)alert"):  # the server is told why
        server.session.read(99)


def test_nothing_is_said_after_a_failure(server):
    tls = shaken(server)
    tls.take(b"\x17\x03\x03\x00\x20" + b"?" * 32)
    tls.due()
    tls.good_bye()
    assert tls.due(b"too late") == b""


def test_a_good_bye_is_heard_with_what_came_before_it_and_answered(server):
    tls = shaken(server)
    assert tls.take(server.says(b"last words") + server.says_good_bye()) == b"last words"
    assert tls.over
    assert tls.failure is None
    tls.good_bye()
    server.take(tls.due())
    server.session.unwrap()  # no longer waits for us


def test_our_good_bye_is_heard(server):
    tls = shaken(server)
    tls.good_bye()
    tls.good_bye()
    server.take(tls.due(b"too late"))
    assert server.session.read(99) == b""


def test_values(golden):
    golden.values()
