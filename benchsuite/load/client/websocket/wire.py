"""One WebSocket connection: bytes, TLS, frames, compressed or not, and every end with its cause.

Framing, deflating and negotiating are those of `websockets` (its sans-I/O layer, with its masking
in C): one message there and back costs it 3 µs, where a loop of our own around the same mask costs
0.5 µs and wsproto 8 µs. At 2 000 messages a second that is 0.6 % of a CPU, so nothing is gained by
framing ourselves.

The hub reads what arrives, notes the time, answers pings and then wakes the greenlet that waits, as
for HTTP (`client.link`). Unlike there it always reads: a WebSocket may speak at any
time. Nothing is compressed unless an extension is offered for it.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from math import inf
from time import monotonic
from typing import Any, TypeVar
from urllib.parse import urlsplit

from gevent import getcurrent
from websockets.client import ClientProtocol
from websockets.exceptions import InvalidStatus
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory
from websockets.frames import CTRL_OPCODES, Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import State
from websockets.typing import Subprotocol
from websockets.uri import WebSocketURI

from benchsuite.core.samples import ABNORMAL, Kind
from benchsuite.core.wording import quoted
from benchsuite.load.client.link import BLOCK_BYTES, ConnectionFailed, Link, Tls
from benchsuite.load.client.target import Target
from benchsuite.load.client.websocket import records
from benchsuite.load.client.websocket.accounts import MOST_BYTES
from benchsuite.load.client.websocket.records import Ending, Message

MOST_WAITING = 1_000  #: Untaken messages, or `MOST_BYTES` of them, that a connection keeps.
T = TypeVar("T")


class Inbox:
    """Keeps messages in order of arrival; when it is full, the oldest are dropped."""

    def __init__(self, overflow: Callable[[Message], None]) -> None:
        """`overflow` is given the messages that are dropped."""
        self._messages: deque[Message] = deque()
        self._overflow = overflow
        self._bytes = 0
        self.held = False  #: Whether somebody is about to look at all: then none is dropped.
        self.looked = 0  #: How many `find()` has already rejected.

    def __len__(self) -> int:
        return len(self._messages)

    def add(self, message: Message) -> None:
        self._messages.append(message)
        self._bytes += len(message.data)
        if not self.held:
            self._make_room()

    def take(self) -> Message:
        """The oldest."""
        message = self._messages.popleft()
        self._bytes -= len(message.data)
        self.looked = max(0, self.looked - 1)
        return message

    def find(self, wanted: Callable[[Message], object], since: float = -inf) -> Message | None:
        """Takes the oldest wanted one that arrived since then, but for those already rejected."""
        while self.looked < len(self._messages):
            message = self._messages[self.looked]
            if message.moment >= since and wanted(message):
                del self._messages[self.looked]
                self._bytes -= len(message.data)
                return message
            self.looked += 1
        self._make_room()
        return None

    def _make_room(self) -> None:
        while len(self._messages) > MOST_WAITING or (
            self._bytes > MOST_BYTES and len(self._messages) > 1
        ):
            self._overflow(self.take())


LINGER_S = 1.0  #: How long a server may take to close the connection; then we do.


class Wire(Link):
    """Opened once, ends once; only one greenlet at a time may wait on it."""

    def __init__(
        self,
        target: Target,
        path: str,
        *,
        headers: Mapping[str, str],
        subprotocols: Sequence[str],
        deflate: bool,
        on_end: Callable[[Ending], None],
        on_gone: Callable[[], None],
        on_overflow: Callable[[Message], None],
    ) -> None:
        """In the hub `on_end` hears of an unwanted end, and `on_overflow` gets what makes room."""
        super().__init__(target)
        self.inbox = Inbox(on_overflow)
        self.on_message: Callable[[Message], None] = self.inbox.add  #: Takes messages in the hub.
        self.translate: Callable[[Message], Message | None] = lambda message: message
        """In the hub: the message in a frame, or None; raises ValueError for one without sense."""
        self.ending: Ending | None = None
        secure = target.context is not None
        host = urlsplit(f"//{target.host}")
        path, _, query = quoted(path).partition("?")
        port = host.port or (443 if secure else 80)
        self.protocol = ClientProtocol(
            WebSocketURI(secure, host.hostname or "", port, path, query),
            subprotocols=[Subprotocol(name) for name in subprotocols] or None,
            extensions=[ClientPerMessageDeflateFactory()] if deflate else None,
            max_size=MOST_BYTES,
        )
        self._headers = headers
        self._on_end = on_end
        self._on_gone = on_gone
        self._left = False  #: Whether we have said good-bye.
        self._response: Response | None = None
        self._ponged = (b"", 0.0)  #: The last pong and when it arrived.
        self._fragments: list[bytes] = []
        self._is_text = True
        self._awaited = "whole handshake"  #: What a time-out would be about.
        self._came = b""  #: The last message since the wait began.
        self._heard_anything = False
        self._timers: list[Any] = []
        self._blocks: list[tuple[bytes | OSError, float]] = []  #: Read and not heard yet.

    @property
    def is_gone(self) -> bool:
        """Whether there is no TCP connection (any more)."""
        return self._socket is None

    def open(self) -> Response:
        """Connects and shakes hands; the answer, 101 or another. Raises ConnectionFailed."""
        with self._in_time():
            self._reach()
            if self._target.context is not None:
                self._tls = tls = Tls(self._target.context, self._target.name)
                self._send()
                self._until(lambda: tls.shaken)
            self.connecting = False
            request = self.protocol.connect()
            for name, value in self._headers.items():
                request.headers.pop(name, None)  # else a journey's own Host would be a second one
                request.headers[name] = value
            self.protocol.send_request(request)
            self._flush()
            response = self._until(lambda: self._response)
        error = self.protocol.handshake_exc
        if error is not None:  # the answer was not taken: the connection is of no use
            if not isinstance(error, InvalidStatus):
                self.ending = Ending(Kind.PROTOCOL, ABNORMAL, f"the handshake failed: {error}")
            self.drop()
        return response

    def send(self, data: bytes, *, is_text: bool) -> None:
        """Raises ConnectionFailed when the connection has ended."""
        if self.protocol.state is not State.OPEN:
            raise self._failed()
        if is_text:
            self.protocol.send_text(data)
        else:
            self.protocol.send_binary(data)
        self._flush()

    def receive(
        self, wanted: Callable[[Message], object] = lambda message: True, since: float = -inf
    ) -> Message:
        """The oldest that is wanted and arrived since then. Raises ConnectionFailed."""
        self.inbox.looked = 0
        return self.wait_for(lambda: self.inbox.find(wanted, since))

    def ping(self, data: bytes) -> float:
        """Sends a ping; when its pong arrived. Raises as `receive()` does."""
        if self.protocol.state is not State.OPEN:
            raise self._failed()
        start = monotonic()
        self.protocol.send_ping(data)
        self._flush()
        self.wait_for(
            lambda: self._ponged[0] == data and self._ponged[1] >= start, "pong", looks=False
        )
        return self._ponged[1]

    def wait_for(
        self, awaited: Callable[[], T | None], what: str = "answer", *, looks: bool = True
    ) -> T:
        """As `_until()`, with a time-out. All that comes is kept for who `looks` at it."""
        deadlines = self._waiting.deadlines
        self._user, self._awaited, self.inbox.held = getcurrent(), what, looks
        self._came = b""
        deadlines[self] = monotonic() + self._load.timeout_s
        try:
            return self._until(awaited)
        finally:
            del deadlines[self]
            self.inbox.held = False

    def close(self) -> None:
        """The closing handshake; raises ConnectionFailed where it fails, without a connection."""
        try:
            if self.protocol.state is not State.OPEN:
                raise self._failed()
            self._left = True
            self.protocol.send_close(records.NORMAL)
            self._flush()
            ending = self.wait_for(lambda: self.ending, "answer to the close frame", looks=False)
            if ending.kind is not Kind.OK:
                raise self._failed()
        except BaseException:
            self.drop()
            raise

    def leave(self) -> None:
        """Says good-bye without waiting for an answer."""
        self._left = True
        if self.protocol.state is State.OPEN:
            self.protocol.send_close(records.NORMAL)
            self._flush()
            self._linger()
        else:
            self.drop()

    def drop(self) -> None:
        timers, self._timers = self._timers, []
        for timer in timers:
            timer.stop()
            timer.close()
        was_there = not self.is_gone
        super().drop()
        if was_there:
            if self.ending is None:
                self.ending = Ending(Kind.OK, ABNORMAL, "ended by us")
            self._on_gone()

    def _until(self, awaited: Callable[[], T | None]) -> T:
        """What is awaited, once it is there; raises ConnectionFailed when the end comes before."""
        while not (come := awaited()):
            if self.ending is not None:
                raise self._failed()
            self._park()
        return come

    def _failed(self) -> ConnectionFailed:
        ending = self.ending
        if ending is None or ending.kind is Kind.OK:
            return ConnectionFailed(Kind.OTHER, "the connection has been closed already")
        return ConnectionFailed(ending.kind, ending.words)

    def _flush(self) -> None:
        self._send(b"".join(self.protocol.data_to_send()))

    def _linger(self) -> None:
        """Lets the server close first, so that its port, not ours, stays in use for a while."""
        if self._socket is not None:
            timer = self._waiting.loop.timer(LINGER_S)
            timer.start(self.drop)
            self._timers.append(timer)

    # all below is called in the hub

    def _missed(self, limit: str) -> str:
        came = f", only {self._came[:60]!r}" if self._came else ""
        return f"no {self._awaited} {limit}{came}"

    def _read(self) -> None:
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
            self._readable.stop()  # nothing more comes, and the loop would call us endlessly

    def resume(self) -> None:
        """Hears what was read; then the greenlet goes on, if it still waits."""
        blocks, self._blocks = self._blocks, []
        for block, moment in blocks:
            self.arrived = moment
            if self._socket is None:
                continue
            if isinstance(block, OSError) or not block:
                self._hear_end("reset" if isinstance(block, OSError) else "closed")
                self.drop()
                continue
            self._heard_anything = True
            if self._tls is None:
                self._hear(block)
            else:
                self._hear_encrypted(self._tls, block)
        if self._parked:
            self._user.switch()

    def _hear_encrypted(self, tls: Tls, block: bytes) -> None:
        plain = tls.take(block)
        self._send()
        if plain:
            self._hear(plain)
        if tls.failure is not None:
            kind, words = tls.failure
            self._note(Ending(kind, ABNORMAL, words))
            self.drop()
        elif tls.over and self._socket is not None:
            # servers wait for our answer before they close the connection
            self._hear_end("closed")
            tls.good_bye()
            self._send()
            self._linger()

    def _hear(self, block: bytes) -> None:
        protocol = self.protocol
        protocol.receive_data(block)
        self._take_events()
        if protocol.state is not State.OPEN:
            self._note(records.ending_of(protocol, "closed"))
        self._flush()

    def _hear_end(self, how: str) -> None:
        """Nothing more comes; `how` the connection ended: closed or reset."""
        shaking = self.protocol.state is State.CONNECTING
        self.protocol.receive_eof()
        self._take_events()  # an answer without a length ends here
        if shaking and self._response is None and self.ending is None:
            where = "in the middle of" if self._heard_anything else "before"
            speaks = self._tls is None or self._tls.shaken
            what = f"{where} the handshake's answer" if speaks else "in the TLS handshake"
            self.ending = Ending(Kind.RESET, ABNORMAL, f"the connection was {how} {what}")
        self._note(records.ending_of(self.protocol, how))

    def _take_events(self) -> None:
        for event in self.protocol.events_received():
            if isinstance(event, Frame):
                self._take(event)
            elif isinstance(event, Response):
                self._response = event

    def _take(self, frame: Frame) -> None:
        opcode, data = frame.opcode, bytes(frame.data)
        if opcode is Opcode.PONG:
            self._ponged = data, self.arrived
        if opcode in CTRL_OPCODES:
            return
        if opcode is not Opcode.CONT:
            self._is_text = opcode is Opcode.TEXT
            self._fragments = []
        if not frame.fin or self._fragments:
            self._fragments.append(data)
            if not frame.fin:
                return
            data = b"".join(self._fragments)
        try:
            message = self.translate(Message(data, self._is_text, self.arrived))
        except (ValueError, RecursionError) as error:
            if self.ending is None:
                self.protocol.fail(records.POLICY)
                words = f"the server sent what makes no sense: {error}"
                self._note(Ending(Kind.PROTOCOL, records.POLICY, words))
            return
        if message is not None:
            self._came = message.data
            self.on_message(message)

    def _note(self, ending: Ending | None) -> None:
        """Notes how the connection ends, once, and who wants to know it hears of it."""
        if ending is None or self.ending is not None:
            return
        self.ending = ending
        if ending.kind is not Kind.RESET:
            self._linger()
        if not self._left and self.protocol.state is not State.CONNECTING:
            self._on_end(ending)
