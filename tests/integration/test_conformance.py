"""What real servers make of WebSocket, and that the checks see a server that is bad at it."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from importlib import import_module

import pytest
from django.core.management import CommandError, call_command

from benchsuite.conformance.checks import CHECKS
from benchsuite.conformance.connection import WAIT_S
from benchsuite.conformance.findings import Deviation, Outcome
from benchsuite.conformance.frames import Frame, Opcode, Parser, encode
from benchsuite.conformance.handshake import accept_key
from benchsuite.conformance.peer import Peer
from benchsuite.conformance.session import ASGI, CHANNELS, report
from benchsuite.servers import BUILTIN

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


def adapter_class(name):
    module, _, attribute = BUILTIN[name].rpartition(".")
    return getattr(import_module(module), attribute)


def failed(found):
    return {one.check.name for one in found.findings if one.outcome == Outcome.FAILED}


@pytest.mark.parametrize(("name", "options", "expected"), CASES)
def test_every_check_of_a_real_server(name, options, expected):
    found = report(adapter_class(name), application=ASGI, options=options)
    assert failed(found) == expected
    assert len(found.findings) == len(CHECKS)
    assert found.version


def test_with_channels_daphne_tells_the_run():
    """The header that Daphne drops is given to what it stands on."""
    found = report(adapter_class("daphne"), application=CHANNELS, options={})
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


def check(name: str, group: str = ""):
    (found,) = [one for one in CHECKS if one.name == name and group in ("", one.group)]
    return found


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
