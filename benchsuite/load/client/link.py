"""One user's TCP connection, with TLS or without it: what HTTP and WebSockets have in common.

The hub reads what arrives, notes the time, and then wakes the greenlet that waits. One timer is for
all deadlines, and everything that has arrived is read first.

TLS stands between a socket and what reads it: it takes and gives bytes, and waits for nothing.
The hub reads and times the encrypted bytes, so that times mean the same as without TLS. HTTP
decrypts them in the user's greenlet when its turn comes: that time is the generator's (B101), not
the server's. A WebSocket may speak when nobody listens, so its bytes are decrypted in the hub, too.
Sessions are not resumed, as if each connection came from a new visitor.
"""

import socket
import ssl
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import takewhile
from time import monotonic
from typing import Any

from gevent import get_hub, getcurrent
from gevent.socket import socket as GreenSocket

from benchsuite.core.samples import Kind
from benchsuite.load.client.target import Failed, Target
from benchsuite.system.network import tls_words

BLOCK_BYTES = 65_536
READABLE, WRITABLE = 1, 2  #: The events of libev.
STEP_S = 0.02  #: How late a deadline may be noticed.


class ConnectionFailed(Exception):
    """No answer came back, or none that can be read."""

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(message)
        self.failure = kind, message


class Waiting:
    """All waiters of this process: `resume()` and `expire()` of each are called in the hub, and may
    run the greenlet that waits. What has arrived in one turn of the loop is first read and timed,
    and only then processed: each time would include the work on those before it.
    """

    def __init__(self) -> None:
        hub = get_hub()
        self.park = hub.switch  #: Called in a greenlet: others run until it is switched to.
        self.loop: Any = hub.loop
        self.deadlines: dict[Any, float] = {}  #: In order, as all have the same time-out.
        self._arrived: list[Any] = []
        self._timer = self.loop.timer(STEP_S, STEP_S)
        self._timer.start(self._expire)

    def arrived(self, waiter: Any) -> None:
        """Resumes the waiter once everything that is there has been read."""
        if not self._arrived:
            self.loop.run_callback(self._resume)
        self._arrived.append(waiter)

    def _resume(self) -> None:
        arrived, self._arrived = self._arrived, []
        for waiter in arrived:
            waiter.resume()

    def _expire(self) -> None:
        now = monotonic()
        for waiter in list(takewhile(lambda waiter: self.deadlines[waiter] <= now, self.deadlines)):
            waiter.expire()


waiting = cache(Waiting)  #: Those of the load process, which has one thread and one hub.


class Link(ABC):
    """A connection, by whose kind it is said what is read."""

    def __init__(self, target: Target) -> None:
        self.connecting = False  #: Whether there was no connection yet.
        self.arrived = 0.0  #: When the last bytes were read.
        self._target = target
        self._load = target.job.load
        self._waiting = waiting()
        self._user: Any = None  #: The greenlet that waits.
        self._parked = False
        self._socket: GreenSocket | None = None
        self._plain: Any = None  #: The socket inside of gevent's, which does not wait.
        self._readable: Any = None
        self._writable: Any = None
        self._rest = bytearray()  #: What is to be sent and the kernel has not accepted yet.
        self._tls: Tls | None = None

    @abstractmethod
    def _read(self) -> None:
        """In the hub: takes what there is."""

    @abstractmethod
    def _missed(self, limit: str) -> str:
        """What has not come within that time, in words."""

    def expire(self) -> None:
        """In the hub: ends the wait."""
        limit = f"after {self._load.timeout_s:g} s"
        self._user.throw(
            ConnectionFailed(Kind.CONNECT_TIMEOUT, f"no connection {limit}")
            if self.connecting
            else ConnectionFailed(Kind.READ_TIMEOUT, self._missed(limit))
        )

    def drop(self) -> None:
        """Ends the connection at once."""
        if self._tls is not None:
            self._tls.good_bye()
            self._send()
            self._tls = None
        for watcher in (self._readable, self._writable):
            if watcher is not None:
                watcher.stop()
                watcher.close()
        self._readable = self._writable = None
        self._rest.clear()
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _reach(self) -> None:
        """Connects; raises ConnectionFailed."""
        self.connecting = True
        self._socket = connected = GreenSocket(self._target.family, socket.SOCK_STREAM)
        try:
            connected.connect(self._target.address)
        except ConnectionRefusedError:
            raise ConnectionFailed(Kind.CONNECT_REFUSED, "the connection was refused") from None
        except TimeoutError:
            raise ConnectionFailed(Kind.CONNECT_TIMEOUT, "the connection timed out") from None
        except OSError as error:
            raise ConnectionFailed(Kind.OTHER, f"no connection: {error.strerror}") from None
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        inside: Any = connected
        self._plain = inside._sock
        self._writable = self._waiting.loop.io(connected.fileno(), WRITABLE)
        self._readable = self._waiting.loop.io(connected.fileno(), READABLE)
        self._readable.start(self._read)

    def _send(self, data: bytes = b"") -> None:
        """Sends in order, with what TLS has to say, and never blocks. Errors are ignored, because
        reading reports them: a 413 may come before all is read.
        """
        if self._tls is not None:
            data = self._tls.due(data)
        if self._rest:
            self._rest += data
        elif data and self._writable is not None:
            try:
                sent = self._plain.send(data)
            except BlockingIOError:
                sent = 0
            except OSError:
                return
            if sent < len(data):
                self._rest += memoryview(data)[sent:]
                self._writable.start(self._go_on)

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

    def _park(self) -> None:
        """Others have their turn, until the hub switches to this greenlet."""
        self._parked = True
        try:
            self._waiting.park()
        finally:
            self._parked = False

    @contextmanager
    def _in_time(self) -> Iterator[None]:
        """The time-out of what is waited for in the block; an error in it ends the connection."""
        self._user = getcurrent()
        deadlines = self._waiting.deadlines
        deadlines[self] = monotonic() + self._load.timeout_s
        try:
            yield
        except BaseException:
            self.drop()
            raise
        finally:
            del deadlines[self]


class Tls:
    """One connection's; it never raises, and says how TLS stands."""

    def __init__(self, context: ssl.SSLContext, server_name: str) -> None:
        """Begins the handshake: the first bytes are due."""
        self.shaken = False  #: Whether both sides have agreed on their keys.
        self.over = False  #: Whether the server has said that nothing more comes.
        self.failure: Failed | None = None  #: After it nothing comes or goes any more.
        self._may_speak = True
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._session = context.wrap_bio(
            self._incoming, self._outgoing, server_hostname=server_name
        )
        self._shake()

    def take(self, block: bytes) -> bytes:
        """What a block says, decrypted, also before a failure; nothing while keys are agreed on."""
        self._incoming.write(block)
        if not self.shaken:
            self._shake()
        parts = []
        while self.shaken and not self.over and self.failure is None:
            try:
                part = self._session.read(BLOCK_BYTES)
            except ssl.SSLWantReadError:
                break
            except ssl.SSLZeroReturnError:
                part = b""
            except ssl.SSLError as error:
                self._fail(error)
                break
            self.over = not part
            parts.append(part)
            if not self._incoming.pending:
                break  # to be told so by an exception would take longer
        return b"".join(parts)

    def good_bye(self) -> None:
        """Says that nothing more comes from us, as TLS asks for."""
        if self.shaken and self._may_speak:
            self._may_speak = False
            with suppress(OSError, ValueError):  # it would wait for the server's own good-bye
                self._session.unwrap()

    def due(self, data: bytes = b"") -> bytes:
        """The encrypted bytes to send, of this data, too; after a failure, what tells why."""
        if data and self._may_speak:
            self._session.write(data)
        return self._outgoing.read()

    def _shake(self) -> None:
        try:
            self._session.do_handshake()
            self.shaken = True
        except ssl.SSLWantReadError:
            return
        except ssl.SSLZeroReturnError:
            self.over = True
        except ssl.SSLError as error:
            self._fail(error)

    def _fail(self, error: ssl.SSLError) -> None:
        self.failure = (Kind.PROTOCOL if self.shaken else Kind.TLS, f"no TLS: {tls_words(error)}")
        self._may_speak = False
