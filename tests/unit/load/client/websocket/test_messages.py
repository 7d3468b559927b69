"""Whose a message is, which is the answer, and what other dialects say."""

import json

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.load.client.websocket.accounts import message, publication, resembles_publication
from benchsuite.load.client.websocket.dialects import ActionCable, Heard, SocketIo
from benchsuite.load.client.websocket.socket import Exchange, answered_by

SAID = message(0xC0FFEE, 7, 64)


def test_a_damaged_publication_resembles_one():
    said = publication(5, 6, 100, 1234.5, 1234.6)
    for place in range(100):
        data = bytearray(said)
        data[place] ^= 1
        assert resembles_publication(bytes(data))


PATH = "/bench/ws/echo/"
IDENTIFIER = json.dumps({"channel": "EchoChannel"})
WELCOME = b'{"type":"welcome"}'
CABLE_PING = b'{"type":"ping","message":1700000000}'
CONFIRMED = json.dumps({"identifier": IDENTIFIER, "type": "confirm_subscription"}).encode()


def opened(dialect, *frames):
    *before, last = [dialect.hear(frame) for frame in frames]
    assert not any(heard.ready for heard in before)
    assert last == Heard(ready=True)
    return dialect


def socketio():
    return opened(SocketIo(PATH), b'0{"sid":"a","pingInterval":25000}', b'40{"sid":"b"}')


def actioncable():
    return opened(ActionCable(PATH), WELCOME, CONFIRMED)


def exchanges(*contents):
    return [Exchange((0, 0.0, 0.0), len(content), 0.0) for content in contents]


def test_nothing_is_paired_by_chance():
    sent = exchanges("hello", "hello", "3")
    with pytest.raises(UsageError, match="say which, with to="):
        answered_by(sent)
    assert answered_by(sent, sent[1]) is sent[1]


def test_values(golden):
    golden.values(raises=ValueError)
