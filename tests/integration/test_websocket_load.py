"""The load's WebSockets against a responder that knows what it has seen and done."""

import select
import socket
import time
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from websockets.frames import Frame, Opcode

from benchsuite.core.exceptions import AnswerError
from benchsuite.core.samples import Kind
from benchsuite.core.specs import VisitorSpec
from tests.integration import stubs_ws
from tests.integration.load_workloads import SIZES
from tests.integration.loads import a_job, load, refusals
from tests.integration.stubs_http import Responder, answer, closing
from tests.integration.stubs_ws import RawResponder, SocketResponder, echo, every, raw

CHECKED = 1  #: The checked journey's message, which is in no sample.

MESSAGE, HANDSHAKE, STRAY = "message /odd", "handshake /odd", "stray /odd"


def odd(tmp_path, behaviour, workload="Socket", *, unit="message", **changes):
    """A load whose connections are treated that way, and what the responder has counted."""
    with SocketResponder({"/odd": behaviour}) as responder:
        result = load(tmp_path, a_job(responder, workload, path="/odd", unit=unit, **changes))
    return result, responder.seen["/odd"]


def codes(result):
    """Close codes of the connections that ended early."""
    strays = result.of(STRAY)
    if not len(strays):
        return Counter()
    ended = strays[np.isin(strays["kind"], (Kind.WEBSOCKET_CLOSED, Kind.RESET, Kind.PROTOCOL))]
    return Counter(int(code) for code in ended["body_bytes"])


def test_every_message_is_a_sample(tmp_path):
    with SocketResponder() as responder:
        result = load(tmp_path, a_job(responder, "Socket", unit="message", duration_s=1.3))
    messages = result.of("message /")
    seen = responder.seen["/"]
    assert len(messages) == seen["messages"] - CHECKED > 50
    assert result.kinds("message /") == {Kind.OK: len(messages)}
    assert result.kinds("socket") == {Kind.OK: len(messages)}
    assert result.kinds("handshake /") == {Kind.OK: 2}
    assert (messages["body_bytes"] == 32).all()
    assert (messages["finish"] > messages["start"]).all()
    assert (messages["start"] == messages["intended_start"]).all()
    assert seen["connections"] == 2 + CHECKED
    assert responder.codes == {1000: 3}, "it did not say good-bye"
    assert not len(result.of("stray /"))
    assert [count for _, count in result.done.connections][-1] == 2
    assert result.ticks[-1].requests > 0


def test_messages_of_any_length_come_back(tmp_path):
    with SocketResponder() as responder:
        work = {"unit": "message", "iterations": 1, "duration_s": 60.0}
        result = load(tmp_path, a_job(responder, "SocketSizes", **work))
    each = 2 * 2  #: By two users, as text and as bytes.
    assert result.kinds("message /") == {Kind.OK: each * len(SIZES)}
    assert sorted(result.of("message /")["body_bytes"]) == sorted(SIZES * each)


def test_an_answer_in_fragments_with_a_ping_between_is_right(tmp_path):
    result, seen = odd(tmp_path, every(2, stubs_ws.in_fragments))
    assert set(result.kinds(MESSAGE)) == {Kind.OK}
    assert seen["odd"] > 10


@pytest.mark.parametrize("how", [stubs_ws.damaged, stubs_ws.as_binary])
def test_a_damaged_answer_is_a_failure(tmp_path, how):
    result, seen = odd(tmp_path, every(4, how))
    assert result.kinds(MESSAGE) == {
        Kind.CORRUPT: seen["odd"],
        Kind.OK: seen["messages"] - seen["odd"],
    }
    assert "came back as" in result.example(MESSAGE, Kind.CORRUPT)
    assert result.kinds("socket")[Kind.CORRUPT] == seen["odd"]


@pytest.mark.parametrize(
    ("how", "kind", "code", "words"),
    [
        (raw(), Kind.RESET, 1006, "closed without a closing handshake"),
        (raw(b"\x81\x20half of it"), Kind.RESET, 1006, "closed without a closing handshake"),
        (raw(b"\xff\xff" * 20, then_close=False), Kind.PROTOCOL, 1002, "broke the protocol"),
        (raw(b"\x81\x82abcd12"), Kind.PROTOCOL, 1002, "broke the protocol"),
        (raw(b"\x82\x7f" + b"\x00\xff" * 4), Kind.PROTOCOL, 1009, "broke the protocol"),
        (
            stubs_ws.with_code(1011, "boom"),
            Kind.WEBSOCKET_CLOSED,
            1011,
            "the server closed the connection with 1011 (internal error) boom",
        ),
    ],
    ids=["end", "half", "garbage", "masked", "huge", "closed"],
)
def test_what_breaks_the_protocol_is_counted_by_its_kind(tmp_path, how, kind, code, words):
    result, seen = odd(tmp_path, every(10, how), timeout_s=3.0)
    assert result.kinds(MESSAGE)[kind] == seen["odd"] > 3
    assert set(result.kinds(MESSAGE)) == {Kind.OK, kind}
    assert codes(result) == {code: seen["odd"]}
    assert words in result.example(MESSAGE, kind)


def test_a_kept_connection_that_is_closed_at_rest_is_opened_again(tmp_path):
    def close_soon(connection, seen):
        for message in connection:
            seen["messages"] += 1
            connection.send(message)
            connection.close(1001)

    result, seen = odd(tmp_path, close_soon, think_time_s=0.02)
    assert result.kinds(MESSAGE) == {Kind.OK: seen["messages"]}
    assert seen["connections"] > 5
    assert codes(result)[1001] >= seen["connections"] - 2


def test_who_rests_hears_that_the_connection_ends(tmp_path):
    def close_soon(connection, seen):
        time.sleep(0.01)
        connection.close(4000)

    result, seen = odd(tmp_path, close_soon, "SocketRest")
    closed, connections = result.kinds("socket-rest")[Kind.WEBSOCKET_CLOSED], seen["connections"]
    assert connections - 2 <= closed <= connections
    assert set(codes(result)) == {4000}
    assert connections < 30, "it did not pause after a failure"


@pytest.mark.alone
def test_whatever_a_server_says_by_itself_is_unsolicited(tmp_path):
    """12 000 frames at once, before the echo and behind it, and while nobody listens."""

    def flood(connection, seen):
        connection.send("welcome")
        for message in connection:
            seen["messages"] += 1
            for number in range(12_000):
                connection.send("x")
                seen["by itself"] += 1
                if number == 6_000:
                    connection.send(message)

    result, seen = odd(tmp_path, flood, users=1, timeout_s=5.0)
    assert result.kinds(MESSAGE) == {Kind.OK: seen["messages"]}
    assert not len(result.of(STRAY))
    unsolicited = result.of("unsolicited /odd")
    assert len(unsolicited) == seen["by itself"] + seen["connections"] > 12_000
    assert unsolicited["body_bytes"].sum() == len(unsolicited) + 6 * seen["connections"]


def test_a_journey_may_speak_as_it_likes(tmp_path):
    def greets(connection, seen):
        connection.send("hello")
        connection.recv()
        connection.send("goodbye")
        connection.recv()

    with SocketResponder({"/greets": greets}) as responder:
        result = load(tmp_path, a_job(responder, "SocketTalk", unit="message"))
    assert set(result.kinds("socket-talk")) == {Kind.OK}
    whole = result.kinds("socket-talk")[Kind.OK]
    assert result.kinds("ping /")[Kind.OK] >= whole
    assert result.kinds("message /")[Kind.OK] >= 4 * whole
    assert result.kinds("sent /")[Kind.OK] >= whole
    assert result.kinds("unsolicited /greets/[id]")[Kind.OK] >= whole
    assert result.kinds("message /greets/[id]")[Kind.OK] >= whole


def test_a_journey_may_call_an_answer_wrong(tmp_path):
    def greets(connection, seen):
        seen["connections of the load"] += 1
        connection.send("hello")
        connection.recv()
        connection.send("goodbye" if seen["connections of the load"] == 1 else "go away")
        connection.recv()

    with SocketResponder({"/greets": greets}) as responder:
        result = load(tmp_path, a_job(responder, "SocketTalk", unit="message"))
    assert set(result.kinds("message /greets/[id]")) == {Kind.WRONG_BODY}
    assert set(result.kinds("socket-talk")) == {Kind.WRONG_BODY}


def test_a_closing_handshake_without_answer_is_a_failure_of_the_closing(tmp_path):
    result, seen = odd(tmp_path, stubs_ws.deaf, "SocketConnect", unit="handshake", timeout_s=0.2)
    assert result.kinds(HANDSHAKE) == {Kind.OK: seen["connections"]}
    closings = result.kinds("closing /odd")
    assert Kind.READ_TIMEOUT in closings
    assert Kind.OK not in closings
    journeys = result.kinds("socket-connect")  # one at the load's end only says good-bye
    assert journeys[Kind.READ_TIMEOUT] == closings[Kind.READ_TIMEOUT]


def test_strays_without_end_keep_nobody(tmp_path):
    """The awaited echo never comes, but an old one does, and again."""
    first: list[Any] = []

    def repeat(connection, message):
        if not first:
            first.append(message)
            connection.send(message)
            return
        for _ in range(100):
            connection.send(first[0])
            time.sleep(0.05)

    begin = time.monotonic()
    result, _ = odd(tmp_path, every(1, repeat), users=1, timeout_s=0.3, duration_s=0.2)
    assert result.kinds(MESSAGE)[Kind.READ_TIMEOUT] >= 1
    assert Kind.UNFINISHED not in result.kinds(MESSAGE)
    assert time.monotonic() - begin < 15


def test_an_envelope_that_says_good_bye_at_once_harms_no_other(tmp_path):
    """Socket.IO's ping and the close frame arrive together: its pong can't be sent any more."""
    messages: list[Frame] = []

    def engine(connected, protocol):
        protocol.send_text(b'0{"sid":"a"}')
        while True:
            for frame in stubs_ws.raw_answer(connected, protocol, echo=False):
                if frame.opcode is not Opcode.TEXT:
                    return
                messages.append(frame)
                if frame.data == b"40":
                    protocol.send_text(b'40{"sid":"b"}')
                elif len(messages) % 5:
                    protocol.send_text(frame.data)
                else:
                    protocol.send_text(b"2")
                    protocol.send_close(1001)
            connected.sendall(b"".join(protocol.data_to_send()))
            protocol.receive_data(connected.recv(65_536))

    path = "/socket.io/?EIO=4&transport=websocket"
    with RawResponder({path: engine}, speaks_first=True) as responder:
        dialect = "benchsuite.load.client.websocket.dialects.SocketIo"
        job = a_job(responder, "Socket", unit="message", dialect=dialect, users=4, timeout_s=1.0)
        result = load(tmp_path, job)
    found = result.kinds("message /")
    assert found[Kind.OK] > 10
    assert found[Kind.WEBSOCKET_CLOSED] > 2
    assert set(found) <= {Kind.OK, Kind.WEBSOCKET_CLOSED, Kind.OTHER}


def test_slots_that_fail_to_get_ready_do_not_keep_a_load_from_its_begin(tmp_path):
    rate = {"model": "open", "arrival_rate": 20.0, "max_in_flight": 3}
    result, _ = odd(tmp_path, 503, "SocketEntering", **rate)
    assert result.done.sent == (10,)
    assert result.kinds("socket-entering") == {Kind.JOURNEY_ERROR: 10}


def test_at_the_end_the_servers_answers_to_good_byes_are_waited_for(tmp_path):
    waited: list[bool] = []

    def slowly(connected, protocol):
        while True:
            frames = stubs_ws.raw_answer(connected, protocol)
            if any(frame.opcode is Opcode.CLOSE for frame in frames):
                return
            ready, _, _ = select.select([connected], [], [], 5)
            assert ready
            block = connected.recv(65_536)
            if block[:1] == b"\x88":  # its close frame: is it still there after a while?
                ready, _, _ = select.select([connected], [], [], 0.3)
                waited.append(not ready)
            protocol.receive_data(block)

    with RawResponder({"/odd": slowly}) as responder:
        load(tmp_path, a_job(responder, "Socket", path="/odd", unit="message"))
    assert waited == [True, True]


WRONG_KEY = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": "bm90"}
HANDSHAKES = [
    (lambda request: answer(status=403), "status 403"),
    (lambda request: answer(status=200), "status 200"),
    (lambda request: answer(status=200, headers={}), "not from the server of this run"),
    (lambda request: b"\x15\x03\x01 no HTTP\r\n\r\n", "is not HTTP"),
    (closing(), "closed before the handshake's answer"),
    (closing(b"HTTP/1.1 403 Access denied\r\n\r\n"), "status 403"),
    (closing(b"HTTP/1.1 101 Swi"), "closed in the middle of the handshake's answer"),
    (
        lambda request: answer(b"", status=101, more=WRONG_KEY),
        "the handshake failed: invalid Sec-WebSocket-Accept",
    ),
]


def test_a_handshake_that_fails_is_refused_with_its_reason(tmp_path):
    behaviours = {f"/{at}": behave for at, (behave, _) in enumerate(HANDSHAKES)}
    with Responder(behaviours) as responder:
        work = "benchsuite.workloads.streams.WsConnect"
        jobs = [a_job(responder, work, path=path) for path in behaviours]
        sentences = refusals(tmp_path, *jobs)
    for path, (_, words), sentence in zip(behaviours, HANDSHAKES, sentences, strict=True):
        assert f"WebSocket {path} " in sentence
        assert words in sentence


def test_a_handshake_that_is_never_answered_ends_in_time(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        job = a_job(url, "benchsuite.workloads.streams.WsConnect", path="/ws", timeout_s=0.3)
        begin = time.monotonic()
        with pytest.raises(AnswerError, match=r"no whole handshake after 0\.3 s"):
            load(tmp_path, job)
    assert time.monotonic() - begin < 20


def test_handshakes_that_fail_under_load_are_counted_by_kind(tmp_path):
    result, seen = odd(tmp_path, 503, "SocketConnect", unit="handshake")
    refused = seen["refused"]
    assert result.kinds(HANDSHAKE) == {Kind.HTTP_STATUS: refused}
    assert result.kinds("socket-connect") == {Kind.HTTP_STATUS: refused}
    assert result.example(HANDSHAKE, Kind.HTTP_STATUS) == "status 503"
    assert refused < 30, "it did not pause after a failure"


def test_a_connection_that_ends_with_its_handshake_is_ended_early(tmp_path):
    def close(connection, seen):
        connection.close(1013)

    result, seen = odd(tmp_path, close, "SocketConnect", unit="handshake")
    connections = seen["connections"]
    assert result.kinds(HANDSHAKE) == {Kind.OK: connections}
    assert codes(result)[1013] + result.kinds("closing /odd").get(Kind.OK, 0) >= connections - 2
    assert set(codes(result)) == {1013}


def test_the_handshake_carries_cookies_and_origin(tmp_path):
    asked: list[Any] = []

    def noting(connection, seen):
        asked.append(connection.request.headers)
        echo(connection, seen)

    with SocketResponder({"/odd": noting}) as responder:
        job = a_job(
            responder, "Socket", path="/odd", unit="message", cookies={"sid": "abc", "b": "2"}
        )
        load(tmp_path, job)
        visitor = VisitorSpec(host="chat.example", headers=("X-Team: red",), cookies=("b=3", "c=4"))
        load(tmp_path / "again", replace(job, visitor=visitor, spool=str(tmp_path / "again")))
    assert asked[0]["Origin"] == responder.base_url
    assert asked[0]["Cookie"] == "sid=abc; b=2"
    assert asked[-1]["Host"] == "chat.example"
    assert asked[-1]["Origin"] == "http://chat.example"
    assert asked[-1]["X-Team"] == "red"
    assert asked[-1]["Cookie"] == "sid=abc; b=3; c=4"
    assert "Sec-WebSocket-Extensions" not in asked[0]


ECHO = "benchsuite.workloads.streams.WsEcho"


def test_a_subprotocol_is_chosen_or_the_handshake_has_failed(tmp_path):
    job = a_job("", ECHO, path="/odd", unit="message")
    options = {**job.workload.options, "subprotocol": "chat.v3, chat.v2"}
    job = replace(job, workload=replace(job.workload, options=options))
    with SocketResponder({"/odd": echo}, subprotocols=["chat.v2"]) as responder:
        result = load(tmp_path, replace(job, base_url=responder.base_url))
        assert set(result.kinds(MESSAGE)) == {Kind.OK}
    with (
        SocketResponder({"/odd": echo}) as responder,
        pytest.raises(AnswerError, match=r"no subprotocol of chat\.v3, chat\.v2"),
    ):
        load(tmp_path / "again", replace(job, base_url=responder.base_url))


def test_a_server_that_sends_no_headers_tells_the_run_by_a_subprotocol(tmp_path):
    with SocketResponder(headers={}) as responder:
        with pytest.raises(AnswerError, match="not from the server of this run"):
            load(tmp_path, a_job(responder, "Socket", unit="message"))
        job = a_job(responder, "Socket", unit="message", handshake_headers=False)
        with pytest.raises(AnswerError, match="not from the server of this run"):
            load(tmp_path / "again", job)


@pytest.mark.alone
def test_messages_arrive_at_their_rate_and_waiting_counts(tmp_path):
    """A server that stops for 0.4 s: the messages meant meanwhile have waited, and none is lost."""
    stalled = []

    def stall(connection, message):
        if not stalled:
            stalled.append(time.monotonic())
            time.sleep(0.4)
        connection.send(message)

    rate = {"model": "open", "arrival_rate": 200.0, "max_in_flight": 1, "duration_s": 1.0}
    result, _ = odd(tmp_path, every(50, stall), ECHO, users=10, **rate)
    messages = result.of(MESSAGE)
    assert len(messages) == 200
    assert result.done.sent == (200,)
    assert result.done.dropped == (0,)
    times = messages["finish"] - messages["intended_start"]
    late = (times > 0.1).sum()
    assert 50 < late < 120, "the stall of 0.4 s at 200/s is met by 80 messages, 60 for over 0.1 s"
    assert result.kinds(HANDSHAKE) == {Kind.OK: 1}, "the connection was there before the load"
