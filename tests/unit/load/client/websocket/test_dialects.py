"""What servers other than Django's say inside their messages: as real ones were seen to say it."""

import json

import pytest

from benchsuite.load.client.websocket.dialects import ActionCable, Dialect, Heard, SocketIo, wanted

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
