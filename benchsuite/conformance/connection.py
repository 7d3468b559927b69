"""One connection to the server that is checked: bytes out, frames in, a deadline for each wait."""

import select
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from types import TracebackType
from typing import Self

from benchsuite.conformance.frames import (
    DATA,
    Frame,
    Opcode,
    Parser,
    close_code,
    close_payload,
    encode,
)
from benchsuite.conformance.handshake import END, Response, parsed
from benchsuite.conformance.judging import Judge
from benchsuite.conformance.outcomes import Deviation

WAIT_S = 5.0  #: How long a server may take to say or do what is due.

BLOCK_BYTES = 262_144


class Silent(Deviation):
    """Nothing came in time."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How the server ended a connection."""

    code: int | None
    """Of its close frame; None for one without a code, and when there was no close frame."""
    said: bool  #: Whether there was a close frame.
    reset: bool = False  #: Whether TCP was reset instead of closed.

    def __str__(self) -> str:
        if not self.said:
            return "ended the connection without a close frame"
        return f"closed with {self.code}" if self.code is not None else "closed without a code"


class Connection:
    """Non-blocking underneath: what arrives while something is sent is kept."""

    def __init__(self, made: socket.socket) -> None:
        made.setblocking(False)
        self.answer = Response(0)  #: The server's answer to the handshake.
        self.judge = Judge()
        self.answers_pings = True  #: False where a pong would land in the middle of a frame.
        self._socket = made
        self._parser = Parser()
        self._head: bytearray | None = bytearray()
        self._back: list[Frame] = []
        self._ended = False
        self._reset = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.close()

    # What is sent

    def raw(self, data: bytes, wait_s: float = WAIT_S, *, closes: bool = False) -> bool:
        """Sends bytes; False when the connection ended meanwhile, or nothing moved for `wait_s`.

        `closes` says that a close frame is among them.
        """
        self.judge.client_closed |= closes
        return self.pushed(data, wait_s) == len(data)

    def pushed(self, data: bytes, wait_s: float = WAIT_S, *, reading: bool = True) -> int:
        """How many of the bytes could be sent before the server took no more for `wait_s`."""
        view, sent = memoryview(data), 0
        deadline = monotonic() + wait_s
        while sent < len(data) and not self._ended:
            left_s = deadline - monotonic()
            if left_s <= 0:
                break
            asked = [self._socket] if reading else []
            readable, writable, _ = select.select(asked, [self._socket], [], left_s)
            if readable:
                self._read()
            if writable:
                try:
                    sent += self._socket.send(view[sent : sent + BLOCK_BYTES])
                except BlockingIOError:
                    continue
                except OSError:
                    self._drain()
                    break
                deadline = monotonic() + wait_s
        return sent

    def send(
        self,
        opcode: int,
        payload: bytes = b"",
        *,
        fin: bool = True,
        reserved: int = 0,
        masked: bool = True,
        length_bytes: int | None = None,
    ) -> None:
        """Sends one frame, allowed or not."""
        self.raw(
            encode(
                opcode,
                payload,
                fin=fin,
                reserved=reserved,
                masked=masked,
                length_bytes=length_bytes,
            ),
            closes=opcode == Opcode.CLOSE,
        )

    def send_close(self, code: int | None = 1000, reason: bytes = b"") -> None:
        self.send(Opcode.CLOSE, close_payload(code, reason))

    # What arrives

    def response(self, wait_s: float = WAIT_S) -> Response:
        """The server's answer to a handshake."""
        deadline = monotonic() + wait_s
        while self._head is not None and END not in self._head:
            if self._ended:
                raise Deviation("ends the connection instead of answering the handshake")
            self._wait(deadline, "does not answer the handshake")
        assert self._head is not None
        head, _, rest = bytes(self._head).partition(END)
        self._head = None
        self._parser.feed(rest)
        return parsed(head)

    def frame(self, wait_s: float = WAIT_S, *, pongs: bool = False) -> Frame | None:
        """The next frame, None at the end of the connection; raises Silent when nothing comes.

        Servers may ping, and send pongs that nobody asked for: both are passed over, and pings
        answered. With `pongs` pongs are given too, and nothing is sent that could be echoed as one.
        What none may send raises Deviation.
        """
        if self._back:
            return self._back.pop()
        deadline = monotonic() + wait_s
        while True:
            while (found := self._parser.frame()) is None:
                if self._ended:
                    return None
                self._wait(deadline, "says nothing")
            self.judge.look(found)
            answers = self.answers_pings and not pongs and not self.judge.client_closed
            if found.opcode == Opcode.PING and answers:
                self.send(Opcode.PONG, found.payload)
            if found.opcode != Opcode.PING and (pongs or found.opcode != Opcode.PONG):
                return found

    def put_back(self, frame: Frame) -> None:
        """The next one will be this one again."""
        self._back.append(frame)

    def frames(self, wait_s: float = WAIT_S) -> Iterator[Frame]:
        """Frames until the end of the connection, which must come within `wait_s`."""
        deadline = monotonic() + wait_s
        while (found := self.frame(deadline - monotonic())) is not None:
            yield found

    def message(self, wait_s: float = WAIT_S) -> tuple[int, bytes]:
        """The next message, put together."""
        parts: list[Frame] = []
        for frame in self.frames(wait_s):
            if frame.opcode == Opcode.CLOSE:
                raise Deviation(f"closed with {close_code(frame.payload)} instead of an echo")
            parts.append(frame)
            if frame.fin:
                return parts[0].opcode, b"".join(part.payload for part in parts)
        raise Deviation("ended the connection instead of an echo")

    def echoed(self, opcode: int, payload: bytes, wait_s: float = WAIT_S) -> None:
        """Raises Deviation unless the next message is exactly this one."""
        found, got = self.message(wait_s)
        if found != opcode:
            raise Deviation(f"echoes {Opcode(opcode).name} as {Opcode(found).name}")
        if got != payload:
            raise Deviation(f"echoes {len(payload)} bytes as {len(got)} other ones: {got[:40]!r}")

    def nothing_more(self) -> None:
        """Raises Deviation when another message comes before the answer to a ping."""
        self.send(Opcode.PING, b"nothing more?")
        while (found := self.frame(pongs=True)) is not None:
            if found.opcode == Opcode.PONG and found.payload == b"nothing more?":
                return
            if found.opcode in DATA:
                raise Deviation(f"says {found} beside the echo")

    def ending(self, wait_s: float = WAIT_S) -> Ending:
        """How the server ends the connection; its close frame is answered.

        Raises Deviation when data comes instead, and Silent when it doesn't end.
        """
        code, said = None, False
        try:
            for frame in self.frames(wait_s):
                if frame.opcode in DATA:
                    raise Deviation(f"goes on with {frame} ({frame.payload[:20]!r})")
                if frame.opcode == Opcode.CLOSE and not said:
                    code, said = close_code(frame.payload), True
                    self.send_close(code)
        except Silent:
            if not said:
                raise Silent("keeps the connection open") from None
        return Ending(code, said, self._reset)

    def ended(self, wait_s: float) -> bool:
        """Whether the server ends TCP in time, whatever it says before."""
        try:
            for _ in self.frames(wait_s):
                continue
        except Silent:
            return False
        return True

    # How it ends

    def half_close(self) -> None:
        """Ends this side of TCP only; nothing where the server has ended it all already."""
        self.answers_pings = False
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def abort(self) -> None:
        """Resets TCP: the server gets no goodbye of any kind."""
        with suppress(OSError):
            linger = struct.pack("ii", 1, 0)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self._socket.close()

    def _wait(self, deadline: float, silent: str) -> None:
        left_s = deadline - monotonic()
        if left_s <= 0 or not select.select([self._socket], [], [], left_s)[0]:
            raise Silent(silent)
        self._read()

    def _read(self) -> None:
        try:
            data = self._socket.recv(BLOCK_BYTES)
        except BlockingIOError:
            return
        except OSError:
            self._ended = self._reset = True
            return
        if not data:
            self._ended = True
        elif self._head is not None:
            self._head += data
        else:
            self._parser.feed(data)

    def _drain(self) -> None:
        """What came before the server ended the connection may still be read."""
        while not self._ended and select.select([self._socket], [], [], 0)[0]:
            self._read()
        self._ended = True
