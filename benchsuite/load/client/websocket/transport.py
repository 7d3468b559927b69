"""The TCP connection below a WebSocket, TLS included, and what waits at its two ends.

The hub reads what arrives, notes the time and hands it on, as for HTTP
(`client.http.connection`). Unlike there it always reads: a WebSocket may speak at any time.
"""

import socket
from collections import deque
from collections.abc import Callable
from math import inf
from time import monotonic
from typing import Any, Protocol

from gevent.socket import socket as GreenSocket

from benchsuite.core.samples import Kind
from benchsuite.load.client.http.connection import BLOCK_BYTES, READABLE, connect
from benchsuite.load.client.target import Target
from benchsuite.load.client.tls import Tls
from benchsuite.load.client.waiting import waiting
from benchsuite.load.client.websocket.accounts import MOST_BYTES
from benchsuite.load.client.websocket.records import Message

MOST_WAITING = 1_000
MOST_WAITING_BYTES = MOST_BYTES
"""How many untaken messages each connection keeps: a server may send them endlessly."""


class Inbox:
    """Keeps messages in order of arrival; when it is full, the oldest are dropped."""

    def __init__(self, overflow: Callable[[Message], None]) -> None:
        """`overflow` is given the messages that are dropped."""
        self._messages: deque[Message] = deque()
        self._overflow = overflow
        self._bytes = 0
        self.held = False
        """Whether somebody is about to look at all of them: until then none is dropped."""
        self._looked = 0  #: How many `find()` has already rejected.

    def __len__(self) -> int:
        return len(self._messages)

    def add(self, message: Message) -> None:
        self._messages.append(message)
        self._bytes += len(message.data)
        while self._is_too_full and not self.held:
            self._overflow(self.take())

    def take(self) -> Message:
        """The oldest."""
        message = self._messages.popleft()
        self._bytes -= len(message.data)
        self._looked = max(0, self._looked - 1)
        return message

    def look_again(self) -> None:
        """Makes `find()` begin with the oldest again."""
        self._looked = 0

    def find(self, wanted: Callable[[Message], bool], since: float = -inf) -> Message | None:
        """Takes the oldest wanted message that arrived since then, leaving out those it has
        already rejected.
        """
        while self._looked < len(self._messages):
            message = self._messages[self._looked]
            if message.moment >= since and wanted(message):
                del self._messages[self._looked]
                self._bytes -= len(message.data)
                return message
            self._looked += 1
        while self._is_too_full:
            self._overflow(self.take())
        return None

    @property
    def _is_too_full(self) -> bool:
        return len(self._messages) > MOST_WAITING or (
            self._bytes > MOST_WAITING_BYTES and len(self._messages) > 1
        )


WRITABLE = 2  #: The event of libev.


class Outbox:
    """The outgoing side of one socket; it never blocks."""

    def __init__(self, plain: Any, loop: Any) -> None:
        """`plain` is a non-blocking socket, `loop` that of the hub."""
        self._plain = plain
        self._rest = bytearray()  #: What the kernel has not accepted yet.
        self._writable = loop.io(plain.fileno(), WRITABLE)

    def send(self, data: bytes) -> None:
        """Sends in order; errors are ignored, because reading reports them."""
        if self._rest:
            self._rest += data
            return
        try:
            sent = self._plain.send(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            return
        if sent < len(data):
            self._rest += memoryview(data)[sent:]
            self._writable.start(self._go_on)

    def close(self) -> None:
        """Stops sending; to be called before the socket is closed."""
        self._writable.stop()
        self._writable.close()

    def _go_on(self) -> None:
        """In the hub: the kernel accepts more."""
        try:
            sent = self._plain.send(self._rest)
        except BlockingIOError:
            return
        except OSError:
            sent = len(self._rest)
        del self._rest[:sent]
        if not self._rest:
            self._writable.stop()


READ_S = 0.1  #: How often a slow reader reads.

LINGER_S = 1.0
"""How long a server may take to close the connection after the closing handshake; then we do."""


class Above(Protocol):
    """What is told of the bytes; always in the hub."""

    def expire(self) -> None: ...

    def heard(self, block: bytes) -> None:
        """Bytes, decrypted."""

    def heard_end(self, how: str) -> None:
        """Nothing more comes; `how` the connection ended: closed or reset."""

    def broken(self, kind: Kind, words: str) -> None:
        """What came is not TLS, or its certificate does not hold."""

    def turned(self) -> None:
        """Everything that had arrived has been handed on."""

    def gone(self) -> None:
        """There is no connection any more; called once."""


class Transport:
    """Connects once, ends once."""

    def __init__(self, target: Target, above: Above) -> None:
        self.connecting = False
        """Whether there was no connection yet: what a time-out then was about."""
        self.arrived = 0.0  #: When the last bytes were read.
        self.heard_anything = False
        self.waiting = waiting()
        self._target = target
        self._above = above
        self._socket: GreenSocket | None = None
        self._plain: Any = None  #: The socket inside of gevent's, which does not wait.
        self._tls: Tls | None = None  #: TLS, where the target wants it.
        self._watchers: list[Any] = []
        self._outbox: Outbox | None = None
        self._block_bytes = BLOCK_BYTES
        self._rest: Any = None  #: The timer between two reads of a slow reader.
        self._blocks: list[tuple[bytes | OSError, float]] = []
        """What was read and not looked at yet."""

    @property
    def is_gone(self) -> bool:
        """Whether there is no TCP connection (any more)."""
        return self._socket is None

    @property
    def speaks(self) -> bool:
        """Whether TLS, where it is wanted, stands."""
        return self._tls is None or self._tls.shaken

    def connect(self, until: Callable[[Callable[[], object]], None]) -> None:
        """Raises ConnectionFailed; `until` waits for what the hub brings about."""
        self.connecting = True
        self._socket = connected = GreenSocket(self._target.family, socket.SOCK_STREAM)
        self._plain = connect(connected, self._target.address)
        self._outbox = Outbox(self._plain, self.waiting.loop)
        readable = self.waiting.loop.io(connected.fileno(), READABLE)
        readable.start(self._read)
        self._watchers.append(readable)
        if self._target.context is not None:
            self._tls = Tls(self._target.context, self._target.name)
            self._write_out(self._tls.due())
            until(lambda: self.speaks)
        self.connecting = False

    def send(self, data: bytes) -> None:
        """Sends in order; errors are ignored, because reading reports them."""
        if self._tls is not None and data:
            self._tls.put(data)
            data = self._tls.due()
        self._write_out(data)

    def read_slowly(self, bytes_s: float) -> None:
        """Limits reading from now on; the kernel's buffers fill up before the server notices."""
        if self._socket is None or self._rest is not None:
            return
        self._block_bytes = max(1, round(bytes_s * READ_S))
        rest_s = self._block_bytes / bytes_s
        self._rest = self.waiting.loop.timer(rest_s, rest_s)
        self._watchers.append(self._rest)

    def linger(self) -> None:
        """Lets the server close first, so that its port, not ours, stays in use for a while."""
        if self._socket is None:
            return
        timer = self.waiting.loop.timer(LINGER_S)
        timer.start(self.drop)
        self._watchers.append(timer)

    def drop(self) -> None:
        """Ends the connection at once."""
        watchers, self._watchers = self._watchers, []
        for watcher in watchers:
            watcher.stop()
            watcher.close()
        if self._tls is not None:
            self._tls.good_bye()
            self._write_out(self._tls.due())
        if self._outbox is not None:
            self._outbox.close()
            self._outbox = None
        if self._socket is not None:
            self._socket.close()
            self._socket = None
            self._above.gone()

    def resume(self) -> None:
        """In the hub: hands on what was read."""
        blocks, self._blocks = self._blocks, []
        for block, moment in blocks:
            self.arrived = moment
            self._take(block)
        self._above.turned()

    def expire(self) -> None:
        """In the hub: the wait of whoever is above is over."""
        self._above.expire()

    def _read(self) -> None:
        """In the hub: reads what is there."""
        block: bytes | OSError
        try:
            block = self._plain.recv(self._block_bytes)
        except BlockingIOError:
            return
        except OSError as error:
            block = error
        if not self._blocks:
            self.waiting.arrived(self)
        self._blocks.append((block, monotonic()))
        if not block or isinstance(block, OSError):
            self._watchers[0].stop()  # nothing more comes, and the loop would call us endlessly
        elif self._rest is not None:
            self._watchers[0].stop()
            self._rest.again(self._go_on)

    def _go_on(self) -> None:
        """In the hub: a slow reader may read again."""
        self._rest.stop()
        self._watchers[0].start(self._read)

    def _take(self, block: bytes | OSError) -> None:
        """In the hub: what a block means."""
        if self._socket is None:
            return
        if isinstance(block, OSError) or not block:
            self._above.heard_end("reset" if isinstance(block, OSError) else "closed")
            self.drop()
            return
        self.heard_anything = True
        if self._tls is None:
            self._above.heard(block)
        else:
            self._take_encrypted(self._tls, block)

    def _take_encrypted(self, tls: Tls, block: bytes) -> None:
        plain = tls.take(block)
        self._write_out(tls.due())
        if plain:
            self._above.heard(plain)
        if tls.failure is not None:
            self._above.broken(*tls.failure)
            self.drop()
        elif tls.over and self._socket is not None:
            # servers wait for our answer before they close the connection
            self._above.heard_end("closed")
            tls.good_bye()
            self._write_out(tls.due())
            self.linger()

    def _write_out(self, data: bytes) -> None:
        if data and self._outbox is not None:
            self._outbox.send(data)
