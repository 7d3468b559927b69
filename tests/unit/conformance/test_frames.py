"""Frames as bytes: what we send is what wsproto reads, and what it sends is what we read."""

import pytest
from wsproto.connection import Connection, ConnectionType
from wsproto.events import BytesMessage, CloseConnection, Ping, Pong, TextMessage

from benchsuite.conformance.frames import Frame, Opcode, Parser, close_code, close_payload, encode
from benchsuite.conformance.handshake import accept_key, parsed

LENGTHS = [0, 1, 125, 126, 127, 65_535, 65_536, 200_000]


def server() -> Connection:
    return Connection(ConnectionType.SERVER)


@pytest.mark.parametrize("length", LENGTHS)
def test_wsproto_reads_what_we_send(length):
    reader = server()
    reader.receive_data(encode(Opcode.BINARY, b"x" * length))
    parts = [event for event in reader.events() if isinstance(event, BytesMessage)]
    assert b"".join(bytes(part.data) for part in parts) == b"x" * length
    assert parts[-1].message_finished


def test_wsproto_reads_our_control_frames():
    reader = server()
    reader.receive_data(encode(Opcode.PING, b"a") + encode(Opcode.PONG, b"b"))
    reader.receive_data(encode(Opcode.CLOSE, close_payload(4000, b"bye")))
    ping, pong, close = list(reader.events())
    assert (ping, pong) == (Ping(payload=b"a"), Pong(payload=b"b"))
    assert close == CloseConnection(code=4000, reason="bye")


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("step", [1, 7, 1 << 20])
def test_we_read_what_wsproto_sends(length, step):
    if length > 1000 and step < 1000:
        step = 4096
    data = server().send(TextMessage(data="y" * length)) + server().send(Ping(payload=b"z"))
    parser, found = Parser(), []
    for at in range(0, len(data), step):
        parser.feed(data[at : at + step])
        while frame := parser.frame():
            found.append(frame)
    assert found == [Frame(Opcode.TEXT, b"y" * length), Frame(Opcode.PING, b"z")]
    assert parser.pending == 0


def test_what_is_forbidden_can_be_sent():
    parser = Parser()
    parser.feed(encode(11, b"x", fin=False, reserved=5, masked=False, length_bytes=8))
    assert parser.frame() == Frame(11, b"x", fin=False, reserved=5, shortest=False)
    parser.feed(encode(Opcode.TEXT, b"x", mask=b"\1\2\3\4"))
    assert parser.frame() == Frame(Opcode.TEXT, b"x", masked=True)


@pytest.mark.parametrize(("payload", "code"), [(b"", None), (b"\x03", None), (b"\x03\xe8no", 1000)])
def test_the_code_of_a_close_frame(payload, code):
    assert close_code(payload) == code


def test_the_key_of_the_rfc_is_accepted_as_it_says():
    assert accept_key("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="


def test_an_answer_is_read():
    answer = parsed(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nX:  y ")
    assert answer.status == 101
    assert answer.header("upgrade") == "websocket"
    assert answer.header("x") == "y"
    assert answer.header("nothing") is None
