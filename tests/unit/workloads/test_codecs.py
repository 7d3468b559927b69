"""What is spoken inside the messages: as real servers were seen to speak it."""

import json

import pytest

from benchsuite.exceptions import AnswerError, UsageError
from benchsuite.workloads.codecs import CODECS, codec_class
from benchsuite.workloads.codecs.base import Message

IDENTIFIER = json.dumps({"channel": "EchoChannel"})
WELCOME = '{"type":"welcome"}'
CABLE_PING = '{"type":"ping","message":1700000000}'
CONFIRMED = json.dumps({"identifier": IDENTIFIER, "type": "confirm_subscription"})


class Script:
    """A server that says one thing after another."""

    def __init__(self, *says: Message) -> None:
        self._says = list(says)
        self.heard: list[Message] = []

    def send(self, message: Message) -> None:
        self.heard.append(message)

    def receive(self) -> Message:
        return self._says.pop(0)


@pytest.mark.parametrize("name", CODECS)
def test_is_found_by_its_name(name):
    assert codec_class(name).name == name


def test_an_unknown_codec_is_refused_with_the_names():
    with pytest.raises(UsageError, match="no codec 'stomp'; there are: actioncable, plain, socket"):
        codec_class("stomp")


@pytest.mark.parametrize("name", ["socketio", "actioncable"])
def test_what_a_peer_can_not_do_is_refused(name):
    with pytest.raises(UsageError, match=f"speak {name} know no 'echo_layer'; they know: echo, b"):
        codec_class(name)("echo_layer")


def test_plain_changes_nothing():
    codec = codec_class("plain")("echo_layer_sync")
    script = Script()
    codec.opening(script)
    assert script.heard == []
    for payload in ("", "é", b"\x00\xff"):
        assert codec.unwrap(codec.wrap(payload)) == payload
    assert codec.binary


def test_socketio_opens_answers_pings_and_carries_text():
    codec = codec_class("socketio")("echo")
    script = Script('0{"sid":"a","upgrades":[],"pingInterval":25000}', "2", '40{"sid":"b"}')
    codec.opening(script)
    assert script.heard == ["40", "3"]
    assert codec.wrap('say "é"') == r'42["echo","say \"\u00e9\""]'
    assert codec.unwrap('42["echo","say \\"é\\""]') == 'say "é"'
    assert codec.unwrap("2") is None
    assert codec.answer("2") == "3"
    assert codec.answer('42["echo","x"]') is None


@pytest.mark.parametrize(
    "message",
    ['42["other","x"]', '42["echo",', '42["echo","a","b"]', '42["echo",1]', "41", "", b"42"],
)
def test_socketio_tells_what_is_no_event(message):
    with pytest.raises(AnswerError, match="expected the event 'echo', and got"):
        codec_class("socketio")("echo").unwrap(message)


def test_socketio_tells_a_server_that_refuses():
    codec = codec_class("socketio")("echo")
    with pytest.raises(AnswerError, match="packet '40' at the opening, and got '44"):
        codec.opening(Script("0{}", '44{"message":"no"}'))


def test_actioncable_subscribes_ignores_pings_and_carries_text():
    codec = codec_class("actioncable")("echo")
    script = Script(WELCOME, CABLE_PING, CONFIRMED)
    codec.opening(script)
    assert [json.loads(one) for one in script.heard] == [
        {"command": "subscribe", "identifier": IDENTIFIER}
    ]
    sent = json.loads(codec.wrap("é"))
    assert sent["command"] == "message"
    assert sent["identifier"] == IDENTIFIER
    assert json.loads(sent["data"]) == {"action": "say", "text": "é"}
    answer = json.dumps({"identifier": IDENTIFIER, "message": {"text": "é"}})
    assert codec.unwrap(answer) == "é"
    assert codec.unwrap(CABLE_PING) is None
    assert codec.answer(CABLE_PING) is None
    assert codec.subprotocol == "actioncable-v1-json"


@pytest.mark.parametrize(
    "message", ["", "[1]", b"\xff", '{"type":"disconnect"}', '{"message":{"text":"x"}}']
)
def test_actioncable_tells_what_is_no_message(message):
    with pytest.raises(AnswerError, match="Action Cable"):
        codec_class("actioncable")("echo").unwrap(message)


def test_actioncable_tells_a_server_that_refuses():
    codec = codec_class("actioncable")("echo")
    rejected = json.dumps({"identifier": IDENTIFIER, "type": "reject_subscription"})
    with pytest.raises(AnswerError, match="'confirm_subscription' at the opening, and got"):
        codec.opening(Script(WELCOME, rejected))
