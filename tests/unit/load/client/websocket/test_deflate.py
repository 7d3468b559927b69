"""What is compressed is counted before and after, to the byte that goes over the wire."""

import pytest
from websockets.client import ClientProtocol
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol
from websockets.uri import parse_uri

from benchsuite.core.results import Traffic
from benchsuite.load.client.websocket.wire import Offer, on_the_wire


def shaken(traffic: Traffic) -> tuple[ClientProtocol, ServerProtocol]:
    """Both ends of a connection whose handshake is done."""
    client = ClientProtocol(parse_uri("ws://here/"), extensions=[Offer(traffic)])
    server = ServerProtocol(extensions=[ServerPerMessageDeflateFactory()])
    client.send_request(client.connect())
    server.receive_data(b"".join(client.data_to_send()))
    (request,) = server.events_received()
    assert isinstance(request, Request)
    server.send_response(server.accept(request))
    client.receive_data(b"".join(server.data_to_send()))
    client.events_received()
    return client, server


@pytest.mark.parametrize("size", [0, 1, 200, 100_000, 900_000])
def test_the_bytes_are_those_on_the_wire(size: int) -> None:
    traffic = Traffic()
    client, server = shaken(traffic)
    said = bytes(number * number % 251 for number in range(size))
    client.send_binary(said)
    client.send_ping(b"not counted")
    message, ping = list(client.data_to_send())
    server.receive_data(message + ping)
    heard = [event for event in server.events_received() if isinstance(event, Frame)]
    assert heard[0].data == said
    assert (traffic.sent_bytes, traffic.sent_wire_bytes) == (size, len(message))
    list(server.data_to_send())  # the pong
    server.send_binary(said)
    answer = b"".join(server.data_to_send())
    client.receive_data(answer)
    (frame,) = client.events_received()
    assert isinstance(frame, Frame)
    assert (frame.opcode, frame.data) == (Opcode.BINARY, said)
    assert (traffic.received_bytes, traffic.received_wire_bytes) == (size, len(answer))


@pytest.mark.parametrize("length", [0, 125, 126, 65_535, 65_536])
def test_a_frame_on_the_wire_is_as_long_as_it_is_told(length: int) -> None:
    frame = Frame(Opcode.BINARY, b"x" * length).serialize(mask=False)
    assert on_the_wire(length) == len(frame)


def test_traffic_of_processes_is_added_and_that_of_the_warm_up_left_out() -> None:
    begin, end = Traffic({"a": 1}, 1, 2, 3, 4), Traffic({"a": 2, "": 1}, 11, 22, 33, 44)
    assert end.since(begin) == Traffic({"a": 2, "": 1}, 10, 20, 30, 40)
    assert begin + end == Traffic({"a": 3, "": 1}, 12, 24, 36, 48)
