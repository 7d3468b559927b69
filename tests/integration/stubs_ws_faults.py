"""A WebSocket server that keeps to the protocol, but for the one fault that its command line names.

    python -m tests.integration.stubs_ws_faults HOST PORT FAULT

The library `websockets` does what is right; a fault changes the frames that it wants to send.
"""

import os
import select
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from typing import ClassVar

from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from benchsuite.conformance.peer import Peer
from benchsuite.servers.base import ServerAdapter

PATH = "/bench/ws/echo/"
SUBPROTOCOL = Subprotocol("benchsuite")
BLOCK, HELD, MOST = 65_536, 1 << 20, 16 << 20

Sent = Callable[[bytes], bytes]
"""A frame that is due, as what is sent instead."""

DATA, PONG, CLOSE = (Opcode.CONT, Opcode.TEXT, Opcode.BINARY), (Opcode.PONG,), (Opcode.CLOSE,)
PING = Frame(Opcode.PING, b"are you there?").serialize(mask=False)
STRAY = Frame(Opcode.PONG, b"nobody asked").serialize(mask=False)
TEXT = Frame(Opcode.TEXT, b"more").serialize(mask=False)


def of(kinds: Sequence[Opcode], changed: Sent) -> Sent:
    """Only frames of these kinds are changed."""
    return lambda frame: changed(frame) if frame[0] & 15 in kinds else frame


def bits(on: int, off: int = 0) -> Sent:
    return lambda frame: bytes((frame[0] & ~off | on,)) + frame[1:]


def longer(marker: int, width: int) -> Sent:
    """The length of a small frame in more bytes than needed."""

    def changed(frame: bytes) -> bytes:
        if frame[1] > 125:
            return frame
        return frame[:1] + bytes((marker,)) + frame[1].to_bytes(width, "big") + frame[2:]

    return changed


def body(payload: bytes) -> Sent:
    """The same kind of frame with another body."""
    return lambda frame: frame[:1] + bytes((len(payload),)) + payload


FAULTS: dict[str, Sent] = {
    "none": lambda frame: frame,
    "legal pings": lambda frame: STRAY + PING + frame,
    "RSV1": of(DATA, bits(0x40)),
    "RSV3 of a pong": of(PONG, bits(0x10)),
    "16 bits for a short length": of(DATA, longer(126, 2)),
    "64 bits for the length of a pong": of(PONG, longer(127, 8)),
    "highest bit of a length": of(DATA, lambda frame: frame[:1] + b"\x7f" + b"\xff" * 8 + b"x"),
    "masks": of(DATA, lambda frame: frame[:1] + bytes((frame[1] | 0x80,)) + b"\0" * 4 + frame[2:]),
    "opcode 3": of(DATA, lambda frame: b"\x83\x01x" + frame),
    "fragments a pong": of(PONG, bits(0, off=0x80)),
    "a pong of 126 bytes": of(PONG, lambda frame: b"\x8a\x7e\x00\x7e" + b"x" * 126),
    "continues nothing": of(DATA, bits(0, off=0x0F)),
    "a message within another": of(DATA, lambda frame: b"\x01\x01x" + frame),
    "text that is no UTF-8": of(DATA, lambda frame: b"\x81\x01\xff" + frame),
    "says it twice": of(DATA, lambda frame: frame * 2),
    "closes with 1005": of(CLOSE, body(b"\x03\xed")),
    "closes with 999": of(CLOSE, body(b"\x03\xe7")),
    "closes with 2999": of(CLOSE, body(b"\x0b\xb7")),
    "half a code": of(CLOSE, body(b"\x03")),
    "a reason that is no UTF-8": of(CLOSE, body(b"\x03\xe8\xff")),
    "a message after its close frame": of(CLOSE, lambda frame: frame + TEXT),
    "a ping after both close frames": of(CLOSE, lambda frame: frame + PING),
    "two close frames": of(CLOSE, lambda frame: frame * 2),
    "echoes every close code": lambda frame: frame,
    "hoards": lambda frame: frame,
}


class Speaker:
    """One connection: reads no more while `HELD` bytes are not gone, unless it hoards."""

    def __init__(self, connected: socket.socket, fault: str) -> None:
        self._socket, self._fault = connected, fault
        self._out = bytearray()
        self._parts: list[bytes] = []
        self._ends = False
        self._protocol = ServerProtocol(
            subprotocols=[SUBPROTOCOL],
            select_subprotocol=lambda _, offered: SUBPROTOCOL if SUBPROTOCOL in offered else None,
            max_size=MOST,
        )

    def run(self) -> None:
        while self._out or not self._ends:
            full = self._ends or (len(self._out) > HELD and self._fault != "hoards")
            readable, writable, _ = select.select(
                [] if full else [self._socket], [self._socket] if self._out else [], []
            )
            if readable:
                self._heard(self._socket.recv(BLOCK))
            if writable:
                del self._out[: self._socket.send(self._out[:BLOCK])]

    def _heard(self, data: bytes) -> None:
        if self._fault == "echoes every close code" and data[:1] == b"\x88" and len(data) > 7:
            code = bytes(byte ^ key for byte, key in zip(data[6:8], data[2:4], strict=True))
            self._out += body(code)(b"\x88\x00")
            self._ends = True
            return
        shaking = self._protocol.handshake_exc is None and self._protocol.state.name == "CONNECTING"
        if data:
            self._protocol.receive_data(data)
        else:
            self._protocol.receive_eof()
            self._ends = True
        for event in self._protocol.events_received():
            if isinstance(event, Request):
                self._shake(event)
            elif isinstance(event, Frame) and event.opcode in DATA:
                self._echo(event)
        for due in self._protocol.data_to_send():
            self._ends |= not due
            self._out += due if shaking or not due else FAULTS[self._fault](due)
        if shaking and self._fault == "legal pings":
            self._out += PING

    def _shake(self, request: Request) -> None:
        answer = self._protocol.accept(request)
        if answer.status_code == 101 and request.path != PATH:
            answer = self._protocol.reject(404, "not here")
        answer.headers["X-Benchsuite-Run"] = os.environ.get("BENCHSUITE_RUN", "")
        self._protocol.send_response(answer)

    def _echo(self, frame: Frame) -> None:
        if frame.opcode is not Opcode.CONT:
            self._kind = frame.opcode
        self._parts.append(bytes(frame.data))
        if frame.fin:
            whole = b"".join(self._parts)
            self._parts.clear()
            if self._kind is Opcode.BINARY:
                self._protocol.send_binary(whole)
            elif not readable(whole):
                self._protocol.fail(1007)
            else:
                self._protocol.send_text(whole)


def readable(text: bytes) -> bool:
    try:
        return bool(text.decode()) or True
    except UnicodeDecodeError:
        return False


def speak(connected: socket.socket, fault: str) -> None:
    with connected, suppress(OSError):  # who is gone is gone
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        Speaker(connected, fault).run()


def serve(listener: socket.socket, fault: str) -> None:
    """Until the listener is shut down, and all who are connected have gone."""
    threads = []
    with suppress(OSError):
        while True:
            connected, _ = listener.accept()
            threads.append(threading.Thread(target=speak, args=(connected, fault), daemon=True))
            threads[-1].start()
    for thread in threads:
        thread.join()


@contextmanager
def serving(fault: str) -> Iterator[Peer]:
    """The server in a thread, as what the checks ask."""
    with closing(socket.create_server(("127.0.0.1", 0), backlog=64)) as listener:
        thread = threading.Thread(target=serve, args=(listener, fault))
        thread.start()
        try:
            yield Peer("127.0.0.1", listener.getsockname()[1], PATH)
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


class Faulty(ServerAdapter):
    """The same as a server that `checkwebsocket` can be told to check."""

    name = "faulty"
    interface = "asgi"
    distribution = "websockets"
    websocket = True
    serves_project = False
    options: ClassVar = {"fault": "none"}

    def argv(self, host: str, port: int) -> list[str]:
        fault = str(self.settings["fault"])
        return [sys.executable, "-m", __name__, host, str(port), fault]


if __name__ == "__main__":
    serve(socket.create_server((sys.argv[1], int(sys.argv[2])), backlog=64), sys.argv[3])
