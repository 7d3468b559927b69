"""Whose a message is, which is the answer, and what other dialects say."""

import json

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import MAX_USERS
from benchsuite.load.client.websocket import accounts
from benchsuite.load.client.websocket.accounts import (
    HEAD_BYTES,
    LEAST_PUBLICATION_BYTES,
    REHEARSING_USER,
    Numbered,
    Published,
    connection_number,
    message,
    numbered,
    publication,
    published,
    resembles,
    resembles_publication,
)
from benchsuite.load.client.websocket.dialects import ActionCable, Dialect, Heard, SocketIo, wanted
from benchsuite.load.client.websocket.exchanges import Exchange, Exchanges, predicate
from benchsuite.workloads import websockets
from benchsuite.workloads import websockets as common


@pytest.mark.parametrize("size", [24, 25, 100, 70_000])
def test_a_message_says_its_numbers_at_every_length(size):
    data = message(0xC0FFEE, 7, size)
    assert len(data) == size
    assert data.decode("ascii").isprintable()
    assert numbered(data) == Numbered(0xC0FFEE, 7)


@pytest.mark.parametrize("place", [0, 9, 17, 24, 30, 99])
def test_any_other_byte_is_noticed(place):
    data = bytearray(message(1, 2, 100))
    data[place] ^= 1
    assert numbered(bytes(data)) is None


@pytest.mark.parametrize("data", [b"", b"x", b"x" * 24, b"z" * 100, message(1, 2, 60)[:-1]])
def test_what_is_none_of_ours_is_told(data):
    assert numbered(data) is None


@pytest.mark.parametrize("size", [56, 57, 4000])
def test_a_publication_carries_its_times_exactly(size):
    data = publication(5, 6, size, 1234.5678901234567, 1234.6)
    assert len(data) == size
    assert published(data) == Published(5, 6, 1234.5678901234567, 1234.6)


@pytest.mark.parametrize("place", [0, 17, 24, 40, 55, 60])
def test_a_damaged_publication_is_noticed(place):
    data = bytearray(publication(5, 6, 64, 1.0, 2.0))
    data[place] ^= 1
    assert published(bytes(data)) is None
    assert published(data[:50]) is None


def test_every_connection_of_a_load_has_a_number_of_its_own():
    users = (0, 1, MAX_USERS - 1, REHEARSING_USER)
    numbers = {connection_number(user, place) for user in users for place in range(1000)}
    assert len(numbers) == 4000
    assert max(numbers) < 2**32
    assert MAX_USERS <= REHEARSING_USER < 2 ** (32 - accounts.GENERATIONS)


def test_the_workloads_know_the_least_and_the_most():
    assert websockets.LEAST_ECHO_BYTES == HEAD_BYTES
    assert websockets.LEAST_BYTES == LEAST_PUBLICATION_BYTES
    assert common.MOST_BYTES == accounts.MOST_BYTES


SAID = message(0xC0FFEE, 7, 64)


@pytest.mark.parametrize(
    "data",
    [
        SAID[:-1] + b"!",
        b"!" + SAID[1:],
        SAID[:20],
        SAID[3:],
        SAID + SAID,
        b'{"message": "%s"}' % SAID,
        SAID.swapcase(),
    ],
    ids=["end", "begin", "cut", "tail", "twice", "wrapped", "case"],
)
def test_what_was_damaged_is_told_from_what_a_server_says(data):
    assert resembles(data, SAID)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"2",
        b'{"type": "tick"}',
        b'{"type": "tick"}'.ljust(64),
        b"0" * 15,
        b"550e8400e29b41d4a716446655440000" * 2,
        b"x" * 64,
        b"x" * 70_000,
    ],
)
def test_what_a_server_says_by_itself_is_no_damage(data):
    assert not resembles(data, SAID)
    assert not resembles_publication(data)


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


def opened(dialect: Dialect, *frames: bytes) -> Dialect:
    *before, last = [dialect.hear(frame) for frame in frames]
    assert not any(heard.ready for heard in before)
    assert last == Heard(ready=True)
    return dialect


def socketio() -> Dialect:
    return opened(SocketIo(PATH), b'0{"sid":"a","pingInterval":25000}', b'40{"sid":"b"}')


def actioncable() -> Dialect:
    return opened(ActionCable(PATH), WELCOME, CONFIRMED)


@pytest.mark.parametrize(
    ("path", "does"), [("/bench/ws/echo/", "echo"), ("/bench/ws/broadcast/?room=1", "broadcast")]
)
def test_the_path_says_what_the_server_is_to_do(path, does):
    assert wanted(path) == does


def test_socketio_opens_in_two_steps():
    dialect = SocketIo(PATH)
    assert dialect.hear(b'0{"sid":"a"}') == Heard(answer=b"40")
    assert dialect.hear(b"2") == Heard(answer=b"3")
    assert dialect.hear(b'40{"sid":"b"}') == Heard(ready=True)


def test_socketio_carries_text_in_events():
    dialect = socketio()
    assert dialect.say('say "é"'.encode()) == rb'42["echo","say \"\u00e9\""]'
    assert dialect.hear('42["echo","say \\"é\\""]'.encode()) == Heard(payload='say "é"'.encode())
    assert dialect.hear(b"2") == Heard(answer=b"3")


@pytest.mark.parametrize(
    "frame", [b'42["other","x"]', b'42["echo",', b'42["echo","a","b"]', b'42["echo",1]', b"41", b""]
)
def test_socketio_tells_what_is_no_event(frame):
    with pytest.raises(ValueError):
        socketio().hear(frame)


def test_socketio_tells_a_server_that_refuses():
    dialect = SocketIo(PATH)
    dialect.hear(b"0{}")
    with pytest.raises(ValueError, match="expected the packet b'40', and got b'44"):
        dialect.hear(b'44{"message":"no"}')


def test_actioncable_subscribes():
    dialect = ActionCable(PATH)
    assert dialect.subprotocols == ("actioncable-v1-json",)
    heard = dialect.hear(WELCOME)
    assert heard.answer is not None
    assert json.loads(heard.answer) == {"command": "subscribe", "identifier": IDENTIFIER}
    assert dialect.hear(CABLE_PING) == Heard()
    assert dialect.hear(CONFIRMED) == Heard(ready=True)


def test_actioncable_carries_text_in_messages():
    dialect = actioncable()
    sent = json.loads(dialect.say("é".encode()))
    assert (sent["command"], sent["identifier"]) == ("message", IDENTIFIER)
    assert json.loads(sent["data"]) == {"action": "say", "text": "é"}
    answer = json.dumps({"identifier": IDENTIFIER, "message": {"text": "é"}}).encode()
    assert dialect.hear(answer) == Heard(payload="é".encode())
    assert dialect.hear(CABLE_PING) == Heard()


@pytest.mark.parametrize(
    "frame", [b"", b"[1]", b"\xff", b'{"type":"disconnect"}', b'{"message":{"text":"x"}}']
)
def test_actioncable_tells_what_is_no_message(frame):
    with pytest.raises(ValueError):
        actioncable().hear(frame)


def test_actioncable_tells_a_server_that_refuses():
    dialect = ActionCable(PATH)
    dialect.hear(WELCOME)
    rejected = json.dumps({"identifier": IDENTIFIER, "type": "reject_subscription"}).encode()
    with pytest.raises(ValueError, match="'confirm_subscription' of Action Cable, and got"):
        dialect.hear(rejected)


@pytest.mark.parametrize(
    ("matching", "content", "meant"),
    [
        ("42", "say 42!", True),
        ("42", b"say 42!", True),
        (b"\xff", b"\x00\xff", True),
        ("42", "say 24!", False),
        (7, '{"id": 7, "result": null}', True),
        (7, '{"id": "7"}', False),
        (7, '{"id": 77}', False),
        (1, '{"id": true}', False),
        (7, "7", False),
        (7, "no JSON", False),
        (7, b"\xff\xfe\xfd", False),
        (7, "[" * 100_000, False),
        ({"id": 7, "room": "a"}, '{"room": "a", "id": 7, "more": 1}', True),
        ({"id": 7, "room": "a"}, '{"id": 7}', False),
        ({"message": {"id": 7}}, '{"message": {"id": 7, "text": "x"}}', True),
        ({"message": {"id": 7}}, '{"message": [7]}', False),
        (lambda content: content.startswith("pong"), "pong 1", True),
        (lambda content: None, "pong 1", False),
    ],
)
def test_an_answer_is_what_the_journey_says(
    matching,
    content,
    meant,
):
    assert predicate(matching)(content) is meant


@pytest.mark.parametrize("matching", ["", b"", {}, [], 1.5])
def test_what_says_nothing_is_refused(matching):
    with pytest.raises(UsageError, match="matching says which message is the answer"):
        predicate(matching)


def exchanges(*contents: str) -> tuple[Exchanges, list[Exchange]]:
    waiting = Exchanges()
    sent = [
        Exchange((0, number, number), content, len(content), number)
        for number, content in enumerate(contents)
    ]
    for one in sent:
        waiting.add(one)
    return waiting, sent


def test_an_answer_belongs_to_what_says_the_same_whatever_comes_first():
    waiting, (first, second) = exchanges('{"id": 1}', '{"id": 2}')
    assert waiting.answered_by(2) is second
    assert waiting.answered_by({"id": 1}) is first
    assert waiting.answered_by("1}") is first


def test_one_that_waits_alone_is_answered_in_whatever_words():
    waiting, (only,) = exchanges("hello")
    assert waiting.answered_by("goodbye") is only
    assert waiting.answered_by(lambda said: True) is only


@pytest.mark.parametrize("matching", [lambda said: True, "hello", "other", 3])
def test_nothing_is_paired_by_chance(matching):
    waiting, (_, second, _) = exchanges("hello", "hello", "3")
    with pytest.raises(UsageError, match="say which, with to="):
        waiting.answered_by(matching)
    assert waiting.answered_by(matching, second) is second


def test_a_message_has_one_answer():
    waiting, (only,) = exchanges("hello")
    waiting.remove(only)
    assert waiting.answered_by("hello") is None
    with pytest.raises(UsageError, match="has its answer already"):
        waiting.answered_by("hello", only)
