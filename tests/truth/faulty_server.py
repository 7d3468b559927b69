"""A WebSocket server that misbehaves as it is told, and writes down what it did: the oracle.

asyncio and frames by hand, so it shares nothing with the load or the library of its frames. It
takes what clients send on trust: whole frames, masked, not fragmented, of less than 64 KiB.
"""

import asyncio
import threading
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha1
from time import monotonic
from typing import Any, Self

MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  #: RFC 6455, 1.3.

RUN = "faults"
GOLDEN = 0.6180339887  #: Its multiples fill the unit interval evenly.
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """What one path does; without any, it echoes."""

    delay_s: float = 0.0  #: Before each answer.
    spread_s: float = 0.0  #: By how much more at most, each part of it as often as any other.
    tick_s: float = 0.0  #: Between two messages that nobody asked for.
    room: bool = False  #: What one says goes to all.
    every: int = 0
    """Every how manyeth message of all is treated so, but for those of the first connection, which
    checks the journey:"""
    do: str = "echo"
    """echo, nothing, twice, damage, elsewhere (also to another connection), close, cut or half."""
    copy_s: float = 0.0  #: After its answer each message is sent once more.
    copy_at_close: bool = False
    """The last message is sent once more before the close frame is answered."""
    refuse: tuple[int, int] = (0, 0)
    """Handshakes with these numbers, from the first to before the second, are refused."""
    handshake_s: float = 0.0
    life: int = 0
    """After so many messages a connection, but the first, is closed with 1012 and no answer."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that the server did or saw."""

    moment: float
    connection: int
    what: str
    data: bytes = b""


class Peer(asyncio.Protocol):
    """One connection."""

    def __init__(self, server: "FaultyServer") -> None:
        self._server = server
        self._received = b""
        self._faults: Faults | None = None
        self._last = b""
        self._messages = 0
        self.number = 0
        self.path = ""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        if self in self._server.open:
            self._note("left")
        self._server.open.discard(self)

    def data_received(self, data: bytes) -> None:
        self._received += data
        if self._faults is None:
            self._shake()
        while self._faults is not None and (frame := self._frame()) is not None:
            self._take(*frame)

    def say(self, what: str, data: bytes, opcode: int = TEXT) -> None:
        """Sends a message, and writes that down, unless the connection is closed by now."""
        if self not in self._server.open or self.transport.is_closing():
            return
        self._note(what, data)
        self._send(opcode, data)

    def _note(self, what: str, data: bytes = b"") -> None:
        self._server.note(self, what, data)

    def _send(self, opcode: int, data: bytes) -> None:
        head = bytes((0x80 | opcode, len(data)))
        if len(data) > 125:
            head = bytes((0x80 | opcode, 126)) + len(data).to_bytes(2, "big")
        self.transport.write(head + data)

    def _shake(self) -> None:
        head, end, rest = self._received.partition(b"\r\n\r\n")
        if not end:
            return
        lines = head.split(b"\r\n")
        self.path = lines[0].split()[1].decode()
        fields = {
            name.lower(): value for name, _, value in (line.partition(b": ") for line in lines[1:])
        }
        self._received = rest
        self._faults = self._server.faults[self.path]
        self.number = self._server.begin(self)
        first, last = self._faults.refuse
        if first <= self.number < last:
            self._note("refused")
            self.transport.write(b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")
            self.transport.close()
            return
        accept = b64encode(sha1(fields[b"sec-websocket-key"] + MAGIC).digest())
        answer = (
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + accept + b"\r\nX-Benchsuite-Run: " + RUN.encode()
        )
        self._later(self._faults.handshake_s, lambda: self._open(answer + b"\r\n\r\n"))

    def _open(self, answer: bytes) -> None:
        self._note("opened")
        self._server.open.add(self)
        self.transport.write(answer)
        if self._faults.tick_s:
            self._tick(self._faults.tick_s)

    def _tick(self, seconds: float) -> None:
        self.say("tick", b'{"type": "tick"}')
        if self in self._server.open:
            self._later(seconds, lambda: self._tick(seconds))

    def _frame(self) -> tuple[int, bytes] | None:
        """Opcode and payload of the next frame, if all of it is there."""
        block = self._received
        if len(block) < 6:
            return None
        length, at = block[1] & 0x7F, 2
        if length == 126:
            length, at = int.from_bytes(block[2:4], "big"), 4
        end = at + 4 + length
        if len(block) < end:
            return None
        mask, payload = block[at : at + 4], block[at + 4 : end]
        key = (mask * (length // 4 + 1))[:length]
        self._received = block[end:]
        return block[0] & 0x0F, bytes(a ^ b for a, b in zip(payload, key, strict=True))

    def _take(self, opcode: int, data: bytes) -> None:
        assert self._faults is not None
        faults = self._faults
        if opcode == CLOSE:
            if faults.copy_at_close and self._last:
                self.say("copy", self._last)
            self._note("asked to close")
            self._send(CLOSE, data[:2])
            self._end()
        elif opcode == PING:
            self._send(PONG, data)
        else:
            self._messages += 1
            self._note("got", data)
            count = self._server.counts[self.path, "got"]
            is_odd = self.number > 1 and faults.every and count % faults.every == 0
            odd = faults.do if is_odd else "echo"
            if self.number > 1 and self._messages == faults.life:
                odd = "close"
            delay_s = faults.delay_s + faults.spread_s * (count * GOLDEN % 1)
            self._later(delay_s, lambda: self._answer(odd, data, opcode))

    def _answer(self, do: str, data: bytes, opcode: int) -> None:
        if do == "echo" and self._faults.room:
            for one in list(self._server.open):
                if one.path == self.path:
                    one.say("answer" if one is self else "overheard", data, opcode)
        elif do in ("echo", "twice", "elsewhere"):
            self.say("answer", data, opcode)
        if do == "elsewhere":
            others = [one for one in self._server.open if one is not self and one.path == self.path]
            for one in others[:1]:
                one.say("misdirected", data, opcode)
        if do == "twice":
            self.say("copy", data, opcode)
        if self._faults.copy_s:
            self._later(self._faults.copy_s, lambda: self.say("copy", data, opcode))
        if do == "damage":
            self.say("damaged", data[:-1] + b"!", opcode)
        if do == "nothing":
            self._note("swallowed", data)
        if do == "half":
            self.transport.write(bytes((0x80 | opcode, len(data))) + data[: len(data) // 2])
        if do in ("cut", "half"):
            self._note("cut")
            self._end()
        if do == "close" and self in self._server.open:
            self._note("closed")
            self._send(CLOSE, (1012).to_bytes(2, "big"))
            self._end()
        self._last = data

    def _end(self) -> None:
        self._server.open.discard(self)
        self.transport.close()

    @staticmethod
    def _later(seconds: float, do: Callable[[], None]) -> None:
        if seconds:
            asyncio.get_running_loop().call_later(seconds, do)
        else:
            do()


class FaultyServer:
    """Listens while the `with` block lasts, in a thread of its own; its log is then whole."""

    def __init__(self, faults: Mapping[str, Faults]) -> None:
        self.faults = {"/": Faults(), **faults}
        self.log: list[Event] = []
        self.open: set[Peer] = set()
        self.port = 0
        self.counts: Counter[tuple[str, str]] = Counter()
        self._connections: Counter[str] = Counter()
        self._listening = threading.Event()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))
        self._thread.start()
        self._listening.wait()
        return self

    def __exit__(self, *raised: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    def seen(self, path: str) -> Counter[str]:
        """What happened how often on this path."""
        return Counter({what: count for (at, what), count in self.counts.items() if at == path})

    def note(self, peer: Peer, what: str, data: bytes) -> None:
        self.counts[peer.path, what] += 1
        self.log.append(Event(monotonic(), peer.number, what, data))

    def begin(self, peer: Peer) -> int:
        """The number of a connection among those to its path."""
        self._connections[peer.path] += 1
        return self._connections[peer.path]

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._over = asyncio.Event()
        server = await self._loop.create_server(lambda: Peer(self), "127.0.0.1", 0, backlog=4096)
        self.port = server.sockets[0].getsockname()[1]
        self._listening.set()
        await self._over.wait()
        server.close()
        for peer in list(self.open):
            peer.transport.abort()
