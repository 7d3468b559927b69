"""One WebSocket connection: bytes and frames, and every end with its cause.

Framing is that of `websockets` (its sans-I/O layer, with its masking in C): one message there and
back costs it 3 µs, where a loop of our own around the same mask costs 0.5 µs and wsproto 8 µs. At
2 000 messages a second that is 0.6 % of a CPU, so nothing is gained by framing ourselves.

The hub reads what arrives, notes the time, answers pings and then wakes the greenlet that waits,
as for HTTP (`benchsuite.load.connection`). Unlike there it always reads: a WebSocket may speak at
any time. No extensions are offered, so nothing is compressed.
"""

import socket
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from gevent import getcurrent
from gevent.socket import socket as GreenSocket
from websockets.client import ClientProtocol
from websockets.exceptions import InvalidStatus
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import State
from websockets.typing import Subprotocol
from websockets.uri import WebSocketURI

from benchsuite.encryption import words
from benchsuite.load.connection import BLOCK_BYTES, READABLE, ConnectionFailed, Expired
from benchsuite.load.waiting import waiting
from benchsuite.load.websocket.accounts import MOST_BYTES
from benchsuite.load.websocket.endings import (
    ABNORMAL,
    NORMAL,
    POLICY,
    Destination,
    Ending,
    Message,
    cut_off,
    ending_of,
)
from benchsuite.load.websocket.outbox import Outbox
from benchsuite.load.websocket.secrecy import Secrecy
from benchsuite.paths import quoted
from benchsuite.stats.samples import Kind

LINGER_S = 1.0
"""How long a server may take to end the connection after the closing handshake; then we do."""

MOST_WAITING = 10_000
MOST_WAITING_BYTES = 16 * MOST_BYTES
"""Messages that nobody takes; who sends more is cut off, before the load process runs full."""


class Wire:
    """Opened once, ends once; only one greenlet at a time may wait on it."""

    def __init__(
        self,
        destination: Destination,
        path: str,
        *,
        headers: Mapping[str, str],
        subprotocols: Sequence[str] = (),
        on_end: Callable[[Ending], None] = lambda ending: None,
    ) -> None:
        self.inbox: deque[Message] = deque()
        """What has arrived and nobody has taken yet."""
        self._inbox_bytes = 0
        """What has arrived since the inbox was empty."""
        self.on_message: Callable[[Message], None] | None = None
        """Takes messages in the hub, in place of the inbox."""
        self.translate: Callable[[Message], Message | None] | None = None
        """In the hub: the message in a frame, or None; raises ValueError for one without sense."""
        self.ending: Ending | None = None
        self.response: Response | None = None
        self.connecting = False
        """Whether there was no connection yet: what a time-out then was about."""
        self.arrived = 0.0
        """When the last bytes were read."""
        self.ponged: tuple[bytes, float] | None = None
        """The last pong and when it arrived."""
        self._destination = destination
        self._headers = headers
        self._on_end = on_end
        self._over = False
        """Whether we have said good-bye."""
        self._protocol = ClientProtocol(
            _uri(destination, path),
            subprotocols=[Subprotocol(name) for name in subprotocols] or None,
            max_size=MOST_BYTES,
        )
        self._waiting = waiting()
        self._socket: GreenSocket | None = None
        self._plain: Any = None
        """The socket inside of gevent's, which does not wait."""
        self._secrecy: Secrecy | None = None
        """TLS, where the target wants it."""
        self._watchers: list[Any] = []
        self._outbox: Outbox | None = None
        self._blocks: list[tuple[bytes | OSError, float]] = []
        """What was read and not looked at yet."""
        self._heard_anything = False
        self._fragments: list[bytes] = []
        self._is_text = True
        self._user: Any = None
        self._parked = False

    @property
    def is_gone(self) -> bool:
        """Whether there is no TCP connection (any more)."""
        return self._socket is None

    @property
    def subprotocol(self) -> str | None:
        return self._protocol.subprotocol

    def open(self) -> Response:
        """Connects and shakes hands; the answer, which is 101 or another.

        Raises ConnectionFailed, or Expired when it takes longer than the time-out.
        """
        deadlines = self._waiting.deadlines
        self._user = getcurrent()
        deadlines[self] = monotonic() + self._destination.timeout_s
        try:
            self._connect()
            request = self._protocol.connect()
            for name, value in self._headers.items():
                request.headers[name] = value
            self._protocol.send_request(request)
            self._flush()
            self._until(lambda: self.response is not None)
        except BaseException:
            self.drop()
            raise
        finally:
            del deadlines[self]
        if self._protocol.handshake_exc is not None:
            self._refused(self._protocol.handshake_exc)
        assert self.response is not None
        return self.response

    def send(self, data: bytes, *, is_text: bool) -> None:
        """Raises ConnectionFailed when the connection has ended."""
        if self._protocol.state is not State.OPEN:
            raise self._failed()
        if is_text:
            self._protocol.send_text(data)
        else:
            self._protocol.send_binary(data)
        self._flush()

    def receive(self) -> Message:
        """The next message; raises ConnectionFailed, or Expired after the time-out."""
        if not self.inbox:
            self._wait(lambda: self.inbox)
        return self.inbox.popleft()

    def wait_for(self, is_there: Callable[[], object]) -> None:
        """Waits until it is so; raises as `receive()` does."""
        self._wait(is_there)

    def ping(self, data: bytes) -> float:
        """Sends a ping; when its pong arrived. Raises as `receive()` does."""
        if self._protocol.state is not State.OPEN:
            raise self._failed()
        self.ponged = None
        self._protocol.send_ping(data)
        self._flush()
        self._wait(lambda: self.ponged is not None and self.ponged[0] == data)
        assert self.ponged is not None
        return self.ponged[1]

    def close(self, code: int = NORMAL) -> None:
        """Shakes hands to end; raises ConnectionFailed when that fails, Expired when it takes too
        long. The connection is gone in any case.
        """
        try:
            if self._protocol.state is not State.OPEN:
                raise self._failed()
            self._over = True
            self._protocol.send_close(code)
            self._flush()
            self._wait(lambda: self.ending is not None)
            assert self.ending is not None
            if self.ending.kind is not Kind.OK:
                raise self._failed()
        except BaseException:
            self.drop()
            raise

    def leave(self) -> None:
        """Says good-bye without waiting for an answer."""
        self._over = True
        if self._protocol.state is State.OPEN:
            self._protocol.send_close(NORMAL)
            self._flush()
            self._linger()
        else:
            self.drop()

    def drop(self) -> None:
        """Ends the connection at once."""
        watchers, self._watchers = self._watchers, []
        for watcher in watchers:
            watcher.stop()
            watcher.close()
        if self._secrecy is not None:
            self._secrecy.good_bye()
            self._write_out(self._secrecy.due())
        if self._outbox is not None:
            self._outbox.close()
            self._outbox = None
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        if self.ending is None:
            self.ending = Ending(Kind.OK, ABNORMAL, "ended by us")

    def resume(self) -> None:
        """In the hub: looks at what was read, and lets the greenlet have it, if it still waits."""
        blocks, self._blocks = self._blocks, []
        for block, moment in blocks:
            self.arrived = moment
            self._take(block)
        if self._parked:
            self._user.switch()

    def expire(self) -> None:
        """In the hub: ends the wait."""
        self._user.throw(Expired)

    def _connect(self) -> None:
        self.connecting = True
        try:
            self._socket = connected = GreenSocket(self._destination.family, socket.SOCK_STREAM)
            connected.connect(self._destination.address)
        except ConnectionRefusedError:
            raise ConnectionFailed(Kind.CONNECT_REFUSED, "the connection was refused") from None
        except TimeoutError:
            raise ConnectionFailed(Kind.CONNECT_TIMEOUT, "the connection timed out") from None
        except OSError as error:
            raise ConnectionFailed(Kind.OTHER, f"no connection: {error.strerror}") from None
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        inside: Any = connected
        self._plain = inside._sock
        self._outbox = Outbox(self._plain, self._waiting.loop)
        readable = self._waiting.loop.io(connected.fileno(), READABLE)
        readable.start(self._read)
        self._watchers.append(readable)
        if self._destination.context is not None:
            self._secrecy = Secrecy(self._destination.context, self._destination.name)
            self._secrecy.shake()
            self._write_out(self._secrecy.due())
            self._until(lambda: self._secrecy is not None and self._secrecy.shaken)
        self.connecting = False

    def _until(self, is_there: Callable[[], object]) -> None:
        """Parks until it is there; raises ConnectionFailed when the connection ends before."""
        while not is_there():
            if self.ending is not None:
                raise self._failed()
            self._park()

    def _wait(self, is_there: Callable[[], object]) -> None:
        """The same, within the time-out; raises Expired after it."""
        deadlines = self._waiting.deadlines
        self._user = getcurrent()
        deadlines[self] = monotonic() + self._destination.timeout_s
        try:
            self._until(is_there)
        finally:
            del deadlines[self]

    def _park(self) -> None:
        self._parked = True
        try:
            self._waiting.park()
        finally:
            self._parked = False

    def _failed(self) -> ConnectionFailed:
        ending = self.ending
        if ending is None or ending.kind is Kind.OK:
            return ConnectionFailed(Kind.OTHER, "the connection has been closed already")
        return ConnectionFailed(ending.kind, ending.words)

    def _read(self) -> None:
        """In the hub: takes what there is."""
        block: bytes | OSError
        try:
            block = self._plain.recv(BLOCK_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            block = error
        if not self._blocks:
            self._waiting.arrived(self)
        self._blocks.append((block, monotonic()))
        if not block or isinstance(block, OSError):
            self._watchers[0].stop()  # nothing more comes, and the loop would ask for ever

    def _take(self, block: bytes | OSError) -> None:
        """In the hub: what a block means."""
        if self._socket is None:
            return
        if isinstance(block, OSError) or not block:
            self._heard_end("reset" if isinstance(block, OSError) else "closed")
            self.drop()
            return
        self._heard_anything = True
        if self._secrecy is None:
            self._take_plain(block)
        else:
            self._take_secret(self._secrecy, block)

    def _take_plain(self, block: bytes) -> None:
        protocol = self._protocol
        protocol.receive_data(block)
        for event in protocol.events_received():
            if isinstance(event, Frame):
                self._take_frame(event)
            elif isinstance(event, Response):
                self.response = event
        if protocol.state is not State.OPEN:
            self._ended("closed")
        self._flush()

    def _take_secret(self, secrecy: Secrecy, block: bytes) -> None:
        plain = secrecy.take(block)
        self._write_out(secrecy.due())  # of a handshake, or an alert that tells the server why
        if plain:
            self._take_plain(plain)
        if secrecy.failure is not None:
            kind = Kind.PROTOCOL if secrecy.shaken else Kind.TLS
            if self.ending is None:
                self._note(Ending(kind, ABNORMAL, f"no TLS: {words(secrecy.failure)}"))
            self.drop()
        elif secrecy.over and self._socket is not None:
            # servers wait with the end of the connection until they are answered
            self._heard_end("closed")
            secrecy.good_bye()
            self._write_out(secrecy.due())
            self._linger()

    def _heard_end(self, how: str) -> None:
        """In the hub: nothing more comes."""
        if self._protocol.state is State.CONNECTING and self.ending is None:
            secret = self._secrecy is None or self._secrecy.shaken
            self.ending = cut_off(how, heard=self._heard_anything, secret=secret)
        self._protocol.receive_eof()
        self._ended(how)

    def _take_frame(self, frame: Frame) -> None:
        opcode = frame.opcode
        if opcode is Opcode.TEXT or opcode is Opcode.BINARY:
            self._is_text = opcode is Opcode.TEXT
            if frame.fin:
                self._take_message(bytes(frame.data))
            else:
                self._fragments = [bytes(frame.data)]
        elif opcode is Opcode.CONT:
            self._fragments.append(bytes(frame.data))
            if frame.fin:
                self._take_message(b"".join(self._fragments))
        elif opcode is Opcode.PONG:
            self.ponged = bytes(frame.data), self.arrived

    def _take_message(self, data: bytes) -> None:
        message: Message | None = Message(data, self._is_text, self.arrived)
        if self.translate is not None and message is not None:
            try:
                message = self.translate(message)
            except (ValueError, RecursionError) as error:
                self._break(f"the server sent what makes no sense: {error}")
                return
        if message is None:
            return
        if self.on_message is not None:
            self.on_message(message)
            return
        self._inbox_bytes = len(message.data) + (self._inbox_bytes if self.inbox else 0)
        if len(self.inbox) < MOST_WAITING and self._inbox_bytes <= MOST_WAITING_BYTES:
            self.inbox.append(message)
        else:
            count = len(self.inbox)
            self._break(f"the server sent {count} messages that nobody had asked for")

    def _break(self, words: str) -> None:
        """Ends the connection for what the server did."""
        if self.ending is None:
            self._protocol.fail(POLICY)
            self._note(Ending(Kind.PROTOCOL, POLICY, words))

    def _ended(self, how: str) -> None:
        """Notes how the connection ends, once, and who wants to know it hears of it."""
        if self.ending is None:
            self._note(ending_of(self._protocol, how))

    def _note(self, ending: Ending | None) -> None:
        if ending is None:
            return
        self.ending = ending
        if ending.kind is not Kind.RESET:
            self._linger()
        if not self._over and self._protocol.state is not State.CONNECTING:
            self._on_end(ending)

    def _refused(self, error: Exception) -> None:
        """The handshake's answer was not taken: the connection is of no use."""
        if not isinstance(error, InvalidStatus):
            self.ending = Ending(Kind.PROTOCOL, ABNORMAL, f"the handshake failed: {error}")
        self.drop()

    def _linger(self) -> None:
        """The server ends the connection, so that its port, not ours, stays in use for a while."""
        if self._socket is None:
            return
        timer = self._waiting.loop.timer(LINGER_S)
        timer.start(self.drop)
        self._watchers.append(timer)

    def _flush(self) -> None:
        data = b"".join(self._protocol.data_to_send())
        if self._secrecy is not None and data:
            self._secrecy.put(data)
            data = self._secrecy.due()
        self._write_out(data)

    def _write_out(self, data: bytes) -> None:
        if data and self._outbox is not None:
            self._outbox.send(data)


def _uri(destination: Destination, path: str) -> WebSocketURI:
    secure = destination.context is not None
    parts = urlsplit(f"//{destination.host}")
    path, _, query = quoted(path).partition("?")
    port = parts.port or (443 if secure else 80)
    return WebSocketURI(secure, parts.hostname or "", port, path, query)
