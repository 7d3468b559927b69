"""What real servers make of WebSocket, and that the checks see a server that is bad at it."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from benchsuite.conformance.checks import CHECKS
from benchsuite.conformance.connection import WAIT_S
from benchsuite.conformance.frames import Frame, Opcode, Parser, encode
from benchsuite.conformance.handshake import accept_key
from benchsuite.conformance.outcomes import Deviation, Outcome
from benchsuite.conformance.peer import Peer
from benchsuite.conformance.session import ASGI, CHANNELS, report
from benchsuite.core.specs import RunSpec, ServerSpec
from benchsuite.runner.planning import resolve
from tests.integration.stubs_ws_faults import serving

EMPTY = {"text of 0 bytes", "binary of 0 bytes", "nothing but empty ones"}
HEADER = "the accepting answer carries the application's header"
CASES = [
    ("uvicorn", {}, set()),
    ("uvicorn", {"ws": "wsproto"}, set()),
    ("daphne", {}, {HEADER, *EMPTY}),
    ("hypercorn", {}, set()),
    ("granian-asgi", {}, {HEADER, "POST is refused"}),
    ("gunicorn-uvicorn", {}, set()),
    ("gunicorn-asgi", {}, set()),
]
"""Server, options, and the checks that it fails with the smallest application."""


def checked(name, application=ASGI, **options):
    """The report about that server, or about the one that is bad at it."""
    servers = {"faulty": "tests.integration.stubs_ws_faults.Faulty"}
    with override_settings(BENCHSUITE={"SERVERS": servers}):
        plan = resolve(RunSpec(server=ServerSpec(server=name, options=options)))
        return report(plan, application=application)


def failed(found):
    return {one.check.name for one in found.findings if one.outcome == Outcome.FAILED}


@pytest.mark.parametrize(("name", "options", "expected"), CASES)
def test_every_check_of_a_real_server(name, options, expected):
    found = checked(name, **options)
    assert failed(found) == expected
    assert len(found.findings) == len(CHECKS)
    assert found.version


def test_with_channels_daphne_tells_the_run():
    """The header that Daphne drops is given to what it stands on."""
    found = checked("daphne", CHANNELS)
    assert failed(found) == EMPTY


def test_the_command_tells_and_ends_with_1_when_asked(tmp_path, capsys):
    file = tmp_path / "found.json"
    with pytest.raises(CommandError, match="A check has failed"):
        call_command("checkwebsocket", server="granian-asgi", json=str(file), strict=True)
    (found,) = json.loads(file.read_text())
    assert found["server"] == "granian-asgi"
    assert found["counts"]["failed"] == 2
    assert "POST is refused" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("server", "message"),
    [("waitress", "does not echo plain WebSocket messages; there are: "), ("x", "no server 'x'")],
)
def test_the_command_refuses_what_can_not_be_checked(server, message):
    with pytest.raises(CommandError, match=message):
        call_command("checkwebsocket", server=server)


def check(name: str, group: str = ""):
    (found,) = [one for one in CHECKS if one.name == name and group in ("", one.group)]
    return found


SENT = [
    ("RSV1", "text of 125 bytes", "sets reserved bits 100 in TEXT of 125 bytes"),
    ("RSV3 of a pong", "a ping of text", "sets reserved bits 001 in PONG"),
    ("16 bits for a short length", "binary of 1 bytes", "length of BINARY of 1 bytes longer than"),
    (
        "64 bits for the length of a pong",
        "a ping of text",
        "length of PONG of 14 bytes longer",
    ),
    ("highest bit of a length", "text of 125 bytes", "a length with the highest of its 64 bits"),
    ("masks", "text of 125 bytes", "masks its frames"),
    ("opcode 3", "text of 125 bytes", "opcode 3 of 1 bytes, which nobody has defined"),
    ("fragments a pong", "an empty ping", "fragments a control frame"),
    ("a pong of 126 bytes", "an empty ping", "PONG of 126 bytes, where 125 are the most"),
    ("continues nothing", "text of 125 bytes", "which continues no message"),
    ("a message within another", "text of 125 bytes", "which is within another message"),
    ("text that is no UTF-8", "text of 125 bytes", "TEXT of 1 bytes that is no UTF-8"),
    ("says it twice", "binary of 127 bytes", "says BINARY of 127 bytes beside the echo"),
    ("closes with 1005", "no code", "closes with 1005, which nobody may send"),
    ("closes with 999", "reserved bit RSV1", "closes with 999, which nobody may send"),
    ("closes with 2999", "between fragments", "closes with 2999, which nobody may send"),
    ("half a code", "3000 is answered with 3000", "half a code"),
    ("a reason that is no UTF-8", "1001 is answered with 1001", "a reason that is no UTF-8"),
    ("a message after its close frame", "4999 is answered with 4999", "TEXT of 4 bytes after its"),
    ("a message after its close frame", "an unmasked text", "TEXT of 4 bytes after its close"),
    ("a ping after both close frames", "nothing is heard after it", "PING of 14 bytes after its"),
    ("two close frames", "the server ends TCP first", "CLOSE of 2 bytes after its close frame"),
    *(
        ("echoes every close code", f"{code} is refused", f"closes with {code}, which nobody may")
        for code in (0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999)
    ),
]
"""A fault, the check that asks for it, and what it must say of it."""


@pytest.mark.parametrize(("fault", "name", "seen"), SENT)
def test_what_no_server_may_send_is_seen(fault, name, seen):
    with serving(fault) as peer, pytest.raises(Deviation, match=seen):
        check(name).run(peer)


@pytest.mark.parametrize("fault", sorted({fault for fault, _, _ in SENT}))
def test_each_fault_is_one_of_the_server_and_not_of_the_others(fault):
    """Without the fault, the same checks find nothing to say against it."""
    with serving("none") as peer:
        for name in {name for one, name, _ in SENT if one == fault}:
            note = check(name).run(peer)
            assert note is None or note.outcome != Outcome.FAILED


def test_legal_pings_and_pongs_change_no_result():
    clean, pinging = (checked("faulty", fault=fault) for fault in ("none", "legal pings"))
    assert not failed(clean)
    assert [one.outcome for one in pinging.findings] == [one.outcome for one in clean.findings]


def test_what_is_hoarded_for_a_client_that_does_not_read_is_in_the_memory_told():
    """Whatever the other checks have left in the heap."""
    found = checked("faulty", fault="hoards")
    (held,) = [one for one in found.findings if one.check.group == "flow" and one.check.fresh]
    grown = float(held.seen.partition("grew by ")[2].partition(" MiB")[0])
    assert held.outcome == Outcome.INFORMATIONAL
    assert 12 < grown < 20  # of 16 MiB, less what the kernel held


Answer = Callable[[Frame], bytes | None]


@contextmanager
def bad(answer: Answer) -> Iterator[Peer]:
    """A server that does with each frame what it likes; None ends the connection."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.1)
    over = threading.Event()

    def serve() -> None:
        while not over.is_set():
            try:
                client, _ = listener.accept()
            except TimeoutError:
                continue
            with client, suppress(OSError):
                client.settimeout(4 * WAIT_S)  # the one who checks is to give up first
                speak(client)

    def speak(client: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            head += client.recv(4096) or b"\r\n\r\n"
        key = head.decode().partition("Sec-WebSocket-Key: ")[2].partition("\r\n")[0]
        client.sendall(
            b"HTTP/1.1 101 Go\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + f"Sec-WebSocket-Accept: {accept_key(key)}\r\n\r\n".encode()
        )
        parser = Parser()
        while data := client.recv(65536):
            parser.feed(data)
            while frame := parser.frame():
                said = answer(frame)
                if said is None:
                    return
                client.sendall(said)

    thread = threading.Thread(target=serve)
    thread.start()
    with closing(listener):
        try:
            yield Peer("127.0.0.1", listener.getsockname()[1], "/")
        finally:
            over.set()
            thread.join()


def echo_all(frame: Frame) -> bytes:
    """Echoes whatever comes as it came, masked or not, allowed or not."""
    return encode(frame.opcode, frame.payload, fin=frame.fin, reserved=frame.reserved, masked=False)


@pytest.mark.parametrize(
    "name",
    [
        "reserved bit RSV1",
        "reserved opcode 3",
        "an unmasked text",
        "invalid: a stray byte",
        "a text within a text",
        "a ping of text",
        "version 99 is refused with 426",
    ],
)
def test_a_server_that_takes_everything_is_seen(name):
    with bad(echo_all) as peer, pytest.raises(Deviation):
        check(name).run(peer)


@pytest.mark.parametrize(
    ("name", "answer", "seen"),
    [
        ("text of 125 bytes", lambda f: encode(1, f.payload), "masks its frames"),
        ("text of 125 bytes", lambda f: encode(2, f.payload, masked=False), "TEXT as BINARY"),
        ("text of 125 bytes", lambda f: encode(1, b"?", masked=False), "other ones"),
        ("text of 125 bytes", lambda f: None, "ended the connection instead of an echo"),
        ("an empty ping", lambda f: encode(Opcode.PONG, b"x", masked=False), "a pong of b'x'"),
        ("1000 is answered with 1000", lambda f: None, "without a close frame"),
    ],
)
def test_what_is_wrong_is_said(name, answer, seen):
    with bad(answer) as peer, pytest.raises(Deviation, match=seen):
        check(name).run(peer)
