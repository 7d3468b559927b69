"""One WebSocket connection: frames, compressed or not, and every end with its cause.

Deflating and negotiating are done by `websockets`, with the standard library's zlib.

Framing is that of `websockets` (its sans-I/O layer, with its masking in C): one message there and
back costs it 3 µs, where a loop of our own around the same mask costs 0.5 µs and wsproto 8 µs. At
2 000 messages a second that is 0.6 % of a CPU, so nothing is gained by framing ourselves.

The hub takes what `transport` reads, answers pings and then wakes the greenlet that waits. Nothing
is compressed unless an extension is offered for it.
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from gevent import getcurrent
from websockets.client import ClientProtocol
from websockets.exceptions import InvalidStatus
from websockets.extensions import ClientExtensionFactory, Extension
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory
from websockets.frames import CTRL_OPCODES, Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import State
from websockets.typing import ExtensionParameter, Subprotocol
from websockets.uri import WebSocketURI

from benchsuite.core.results import Traffic
from benchsuite.core.samples import Kind
from benchsuite.core.wording import quoted
from benchsuite.load.client.http.connection import ConnectionFailed, TimedOut
from benchsuite.load.client.target import Target
from benchsuite.load.client.websocket.accounts import MOST_BYTES
from benchsuite.load.client.websocket.records import (
    ABNORMAL,
    NORMAL,
    POLICY,
    Ending,
    Message,
    cut_off,
    ending_of,
)
from benchsuite.load.client.websocket.transport import Inbox, Transport

MASK_BYTES = 4


class Offer(ClientPerMessageDeflateFactory):
    """Offers compression; a server accepts it with settings of its own, or declines."""

    def __init__(self, traffic: Traffic) -> None:
        super().__init__()
        self._traffic = traffic

    def process_response_params(  # type: ignore[override]  # it is used as any extension is
        self, params: Sequence[ExtensionParameter], accepted_extensions: Sequence[Extension]
    ) -> Extension:
        return Counted(super().process_response_params(params, accepted_extensions), self._traffic)


class Counted(Extension):
    """Counts the bytes of messages before and after, the latter with the heads of their frames."""

    name = ClientPerMessageDeflateFactory.name

    def __init__(self, deflate: Extension, traffic: Traffic) -> None:
        self._deflate = deflate
        self._traffic = traffic

    def encode(self, frame: Frame) -> Frame:
        encoded = self._deflate.encode(frame)
        if frame.opcode not in CTRL_OPCODES:
            self._traffic.sent_bytes += len(frame.data)
            self._traffic.sent_wire_bytes += on_the_wire(len(encoded.data)) + MASK_BYTES
        return encoded

    def decode(self, frame: Frame, *, max_size: int | None = None) -> Frame:
        decoded = self._deflate.decode(frame, max_size=max_size)
        if frame.opcode not in CTRL_OPCODES:
            self._traffic.received_bytes += len(decoded.data)
            self._traffic.received_wire_bytes += on_the_wire(len(frame.data))
        return decoded


def on_the_wire(length: int) -> int:
    """Bytes of an unmasked frame with a payload of `length` (RFC 6455, section 5.2)."""
    return length + (2 if length < 126 else 4 if length < 65_536 else 10)


class Wire:
    """Opened once, ends once; only one greenlet at a time may wait on it."""

    def __init__(
        self,
        target: Target,
        path: str,
        *,
        headers: Mapping[str, str],
        subprotocols: Sequence[str] = (),
        extensions: Sequence[ClientExtensionFactory] = (),
        on_end: Callable[[Ending], None] = lambda ending: None,
        on_gone: Callable[[], None] = lambda: None,
        on_overflow: Callable[[Message], None] = lambda message: None,
    ) -> None:
        """`on_end` hears of an end that we did not want, `on_gone` that nothing more comes, and
        `on_overflow` gets what had to make room in the inbox; all of them in the hub.
        """
        self.inbox = Inbox(on_overflow)
        self.on_message: Callable[[Message], None] | None = None
        """Takes messages in the hub, in place of the inbox."""
        self.translate: Callable[[Message], Message | None] | None = None
        """In the hub: the message in a frame, or None; raises ValueError for one without sense."""
        self.ending: Ending | None = None
        self.response: Response | None = None
        self.ponged: tuple[bytes, float] | None = None  #: The last pong and when it arrived.
        self._on_gone = on_gone
        self._target = target
        self._headers = headers
        self._on_end = on_end
        self._over = False  #: Whether we have said good-bye.
        self._protocol = ClientProtocol(
            _uri(target, path),
            subprotocols=[Subprotocol(name) for name in subprotocols] or None,
            extensions=extensions or None,
            max_size=MOST_BYTES,
        )
        self._transport = Transport(target, self)
        self._waiting = self._transport.waiting
        self._fragments: list[bytes] = []
        self._is_text = True
        self._user: Any = None
        self._awaited = ""  #: What a time-out would be about.
        self._parked = False

    @property
    def is_gone(self) -> bool:
        """Whether there is no TCP connection (any more)."""
        return self._transport.is_gone

    @property
    def arrived(self) -> float:
        """When the last bytes were read."""
        return self._transport.arrived

    @property
    def subprotocol(self) -> str | None:
        return self._protocol.subprotocol

    def open(self) -> Response:
        """Connects and shakes hands; the answer, which is 101 or another.

        Raises ConnectionFailed; TimedOut when it takes longer than the time-out.
        """
        deadlines = self._waiting.deadlines
        self._user, self._awaited = getcurrent(), "whole handshake"
        deadlines[self._transport] = monotonic() + self._target.timeout_s
        try:
            self._transport.connect(self._until)
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
            del deadlines[self._transport]
        if self._protocol.handshake_exc is not None:
            self._refused(self._protocol.handshake_exc)
        assert self.response is not None
        return self.response

    def read_slowly(self, bytes_s: float) -> None:
        """From now on reads no more bytes in a second."""
        self._transport.read_slowly(bytes_s)

    def send(self, data: bytes, *, is_text: bool) -> None:
        """Raises ConnectionFailed when the connection has ended."""
        if self._protocol.state is not State.OPEN:
            raise self._failed()
        if is_text:
            self._protocol.send_text(data)
        else:
            self._protocol.send_binary(data)
        self._flush()

    def receive(
        self, wanted: Callable[[Message], bool] = lambda message: True, since: float = -inf
    ) -> Message:
        """The oldest message that is wanted and arrived since then; those before it stay where they
        are. Raises ConnectionFailed; TimedOut after the time-out.
        """
        messages: list[Message] = []
        self.inbox.look_again()

        def is_there() -> bool:
            message = self.inbox.find(wanted, since)
            if message is not None:
                messages.append(message)
            return message is not None

        self.wait_for(is_there)
        return messages[0]

    def wait_for(self, is_there: Callable[[], object], what: str = "answer") -> None:
        """Waits until it is so, by looking at all that comes; raises as `receive()` does."""
        self.inbox.held = True
        try:
            self._wait(is_there, what)
        finally:
            self.inbox.held = False

    def ping(self, data: bytes) -> float:
        """Sends a ping; when its pong arrived. Raises as `receive()` does."""
        if self._protocol.state is not State.OPEN:
            raise self._failed()
        start = monotonic()
        self._protocol.send_ping(data)
        self._flush()
        self._wait(
            lambda: self.ponged is not None and self.ponged[0] == data and self.ponged[1] >= start,
            "pong",
        )
        assert self.ponged is not None
        return self.ponged[1]

    def close(self, code: int = NORMAL) -> None:
        """The closing handshake; raises ConnectionFailed when it fails, TimedOut when it takes too
        long. The connection is gone in any case.
        """
        try:
            if self._protocol.state is not State.OPEN:
                raise self._failed()
            self._over = True
            self._protocol.send_close(code)
            self._flush()
            self._wait(lambda: self.ending is not None, "answer to the close frame")
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
            self._transport.linger()
        else:
            self.drop()

    def drop(self) -> None:
        """Ends the connection at once."""
        self._transport.drop()

    def gone(self) -> None:
        """There is no connection any more."""
        if self.ending is None:
            self.ending = Ending(Kind.OK, ABNORMAL, "ended by us")
        self._on_gone()

    def turned(self) -> None:
        """In the hub: lets the greenlet have what has come, if it still waits."""
        if self._parked:
            self._user.switch()

    def expire(self) -> None:
        """In the hub: ends the wait."""
        limit = f"after {self._target.timeout_s:g} s"
        self._user.throw(
            TimedOut(Kind.CONNECT_TIMEOUT, f"no connection {limit}")
            if self._transport.connecting
            else TimedOut(Kind.READ_TIMEOUT, f"no {self._awaited} {limit}")
        )

    def _until(self, is_there: Callable[[], object]) -> None:
        """Parks until it is there; raises ConnectionFailed when the connection ends before."""
        while not is_there():
            if self.ending is not None:
                raise self._failed()
            self._park()

    def _wait(self, is_there: Callable[[], object], what: str) -> None:
        """The same, within the time-out; raises TimedOut after it."""
        deadlines = self._waiting.deadlines
        self._user, self._awaited = getcurrent(), what
        deadlines[self._transport] = monotonic() + self._target.timeout_s
        try:
            self._until(is_there)
        finally:
            del deadlines[self._transport]

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

    def heard(self, block: bytes) -> None:
        """In the hub: what bytes mean."""
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

    def broken(self, kind: Kind, words: str) -> None:
        """In the hub: what came is no TLS."""
        if self.ending is None:
            self._note(Ending(kind, ABNORMAL, words))

    def heard_end(self, how: str) -> None:
        """In the hub: nothing more comes."""
        if self._protocol.state is State.CONNECTING and self.ending is None:
            transport = self._transport
            self.ending = cut_off(how, heard=transport.heard_anything, speaks=transport.speaks)
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
        self.inbox.add(message)

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
            self._transport.linger()
        if not self._over and self._protocol.state is not State.CONNECTING:
            self._on_end(ending)

    def _refused(self, error: Exception) -> None:
        """The handshake's answer was not taken: the connection is of no use."""
        if not isinstance(error, InvalidStatus):
            self.ending = Ending(Kind.PROTOCOL, ABNORMAL, f"the handshake failed: {error}")
        self.drop()

    def _flush(self) -> None:
        self._transport.send(b"".join(self._protocol.data_to_send()))


def _uri(target: Target, path: str) -> WebSocketURI:
    secure = target.context is not None
    parts = urlsplit(f"//{target.host}")
    path, _, query = quoted(path).partition("?")
    port = parts.port or (443 if secure else 80)
    return WebSocketURI(secure, parts.hostname or "", port, path, query)
