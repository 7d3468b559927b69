"""One user's connection: bytes out, an answer back, every failure with its cause; TLS or none."""

import re
import select
import socket
import ssl
from collections.abc import Callable
from time import monotonic
from typing import Any

from gevent import getcurrent
from gevent.monkey import get_original
from geventhttpclient.response import HTTPParseError, HTTPResponse

from benchsuite.core.samples import Kind
from benchsuite.load.client.http.answer import END, FRAMED, MAX_HEAD_BYTES, Body, Head, simple_head
from benchsuite.load.client.link import BLOCK_BYTES, ConnectionFailed, Link, Tls
from benchsuite.load.client.target import Target

PEEK = int(socket.MSG_PEEK | socket.MSG_DONTWAIT)
SHOWN_BYTES = 40
CHUNKED = "chunked"
poll = get_original("select", "poll")  #: At once; gevent's own lets others have their turn.
FAREWELL = re.compile(rb"HTTP/1\.[01] 408 ")  #: Before a server closes an idle connection.
REST_S = 0.05  #: Used more recently, no server closes a connection for being idle.
IDLE_CLOSE_S = 0.5
"""A connection that has rested, and is closed within this time of a request, may have been closed
before the request came; later than that, the server gave up on the request itself."""


class _ClosedBeforeAnswer(ConnectionFailed):
    """The server closed the connection, without a reset: it may not have had the request."""


class _Answer(HTTPResponse):
    """One answer, after those of status 1xx that announce it. HTTPResponse would join a second."""

    def must_go_on(self) -> None:
        """Raises ConnectionFailed if it has ended."""
        if self.message_complete and self._is_final:
            raise _more_than_one()

    def _on_message_begin(self) -> None:
        self.must_go_on()
        super()._on_message_begin()

    def _on_headers_complete(self) -> Any:
        self._is_final = self.get_code() >= 200
        return super()._on_headers_complete()


class Connection(Link):
    """Connects when it must.

    An answer is one message: whatever else the server sends before it is asked again is a failure,
    which the next request has if the answer was complete before it came.

    Servers close idle connections. Such a close is seen before anything is sent, and does no harm.
    It can also cross a request: then a GET whose answer has not begun is sent once more on a new
    connection, as RFC 9112 (9.3.1) allows. Anything else is a failure of the server: a connection
    that had not rested, one that was reset (the request was there, unread) or closed later. A POST
    might be executed twice.
    """

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.on_resend: Callable[[], None] = lambda: None  #: Called when a request is sent again.
        self.received = 0  #: Bytes of the last answer, as far as it came.
        self._block: bytes | OSError | None = None  #: What was read and not taken yet.
        self._unasked: bytes | None = None  #: What `_look` saw without a request.
        self._poll: Any = None  #: Tells whether there is anything to read.
        self._streamed: _Answer | None = None  #: The answer whose body is read as it comes.
        self._early = b""  #: What the server said with the end of the TLS handshake.

    def exchange(self, method: str, request: bytes) -> tuple[Head, bytes]:
        """Sends a request and reads its whole answer. Raises ConnectionFailed, closed."""
        self._user = getcurrent()
        self.received, begin = 0, monotonic()
        deadlines = self._waiting.deadlines
        deadlines[self] = begin + self._load.timeout_s
        try:  # as `_in_time()`, which would take a part of every request's own time
            self.connecting = False
            rested = begin - self.arrived >= REST_S
            reused = self._socket is not None
            if reused and (self._unasked is not None or self._poll.poll(0)):
                reused = self._is_quiet()
            try:
                return self._once(method, request)
            except _ClosedBeforeAnswer:
                late = monotonic() - begin > IDLE_CLOSE_S
                if not (reused and rested) or method != "GET" or late:
                    raise
            self.drop()
            self.on_resend()
            return self._once(method, request)
        except BaseException:
            self.drop()
            raise
        finally:
            del deadlines[self]

    def begin(self, request: bytes) -> Head:
        """Sends a GET on a new connection; the head of its answer, whose body `more()` reads."""
        self.drop()
        self.received = 0
        self._streamed = answer = _Answer("GET")
        with self._in_time():
            self._connect()
            self._send(request)
            while not answer.headers_complete or answer.get_code() < 200:
                self._feed(answer, self._block_of(begun=answer.message_begun))
                if not answer.headers_complete and self.received > MAX_HEAD_BYTES:
                    raise ConnectionFailed(
                        Kind.PROTOCOL, f"a header without end ({MAX_HEAD_BYTES} bytes are read)"
                    )
        return Head(answer.get_code(), answer.items())

    def more(self) -> bytes:
        """What comes next of the body that was begun; nothing at its end."""
        answer = self._streamed
        assert answer is not None
        with self._in_time():
            if self._readable is not None and not self._readable.active:
                self._readable.start(self._read)
            while not answer._body_buffer and not answer.message_complete:
                self._feed(answer, self._block_of(begun=True))
        block = bytes(answer._body_buffer)
        del answer._body_buffer[:]
        return block

    def resume(self) -> None:
        """In the hub: lets the greenlet have what was read for it, if it still waits."""
        if self._parked and self._block is not None:
            self._user.switch()

    def _missed(self, limit: str) -> str:
        came = f"{self.received} bytes" if self.received else "nothing"
        return f"no whole answer {limit} ({came} of it had come)"

    def _is_quiet(self) -> bool:
        """Closes the connection if the server has; raises ConnectionFailed for what it sent."""
        unasked = self._look() if self._unasked is None else self._unasked
        if unasked and FAREWELL.match(unasked) is None:
            raise _more_than_one(unasked)
        if unasked is not None:
            self.drop()
        return unasked is None

    def _look(self) -> bytes | None:
        """What came since the last answer beside TLS's tickets; empty where the server closed."""
        tls = self._tls
        try:
            if tls is None:
                return bytes(self._plain.recv(SHOWN_BYTES, PEEK))
            block = self._plain.recv(BLOCK_BYTES)
        except BlockingIOError:
            return None
        except OSError:
            return b""
        plain = tls.take(block)
        return plain or (None if block and not (tls.over or tls.failure) else b"")

    def _connect(self) -> None:
        self._reach()
        self._unasked = None
        self._poll = poll()
        self._poll.register(self._socket, select.POLLIN)
        if self._target.context is not None:
            self._shake(self._target.context)
        self.connecting = False

    def _shake(self, context: ssl.SSLContext) -> None:
        self._tls = tls = Tls(context, self._target.name)
        self._early = b""
        while not tls.shaken:
            self._send()
            block, how = b"", "closed"
            try:
                block = self._arriving_block()
            except OSError:
                how = "reset"
            self._early += tls.take(block)
            if tls.failure is not None:
                raise ConnectionFailed(*tls.failure)
            if not block or tls.over:
                raise ConnectionFailed(Kind.RESET, f"the connection was {how} in the TLS handshake")
        self._send()

    def _read(self) -> None:
        """In the hub: takes what there is for the greenlet that waits."""
        if not self._parked:
            if self._streamed is not None:
                self._readable.stop()  # what comes is for the next `more()`
            elif (unasked := self._look()) is not None:
                self._unasked = unasked
                self._readable.stop()
            return
        if self._block is not None:
            return
        try:
            self._block = self._plain.recv(BLOCK_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            self._block = error
        self.arrived = monotonic()
        self._waiting.arrived(self)

    def _decrypted_block(self, tls: Tls) -> bytes:
        plain, self._early = self._early, b""
        while not plain and not tls.over and (block := self._arriving_block()):
            plain = tls.take(block)
            self._send()  # a change of keys wants an answer
            if tls.failure is not None:
                raise ConnectionFailed(*tls.failure)
        return plain

    def _arriving_block(self) -> bytes:
        """The next bytes, none at the end of the connection; others have their turn first."""
        self._block = None
        self._park()
        block = self._block
        if isinstance(block, OSError):
            raise block
        assert block is not None
        return block

    def _once(self, method: str, request: bytes) -> tuple[Head, bytes]:
        if self._socket is None:
            self._connect()
        self._send(request)
        block = self._block_of(begun=False)
        end = block.find(END) + len(END)
        if (head := simple_head(block[:end])) is not None:
            body = Body(block[end:])
            while body.length < head.length:
                if not (more := self._block_of(begun=True)):
                    raise _ended("closed", begun=True)
                body.add(more)
            if body.length > head.length:
                raise _more_than_one(body.kept()[head.length :])
            if head.closing or not self._load.keep_alive:
                self._leave()
            return head, body.kept()
        return self._parsed(method, block)

    def _leave(self) -> None:
        if self._poll.poll(0):
            self._is_quiet()
        self.drop()

    def _parsed(self, method: str, block: bytes) -> tuple[Head, bytes]:
        """The answer in the blocks from this one on, in whatever form."""
        answer = _Answer(method)
        body = Body()
        fed = 0
        while True:
            self._feed(answer, block)
            fed += len(block)
            if answer._body_buffer:
                body.add(bytes(answer._body_buffer))
                del answer._body_buffer[:]
            if answer.message_complete and answer.get_code() >= 200:
                break
            if fed > MAX_HEAD_BYTES + FRAMED * body.length:
                raise ConnectionFailed(
                    Kind.PROTOCOL,
                    f"{fed} bytes came and {body.length} of them are body: header, trailer or "
                    f"chunks without end ({MAX_HEAD_BYTES} are read at most)",
                )
            block = self._block_of(begun=answer.message_begun)
        coding = str(answer.get("transfer-encoding", CHUNKED)).strip().lower()
        if coding not in (CHUNKED, "identity"):
            words = f"the answer has the Transfer-Encoding {coding!r}, and only chunked was asked"
            raise ConnectionFailed(Kind.PROTOCOL, words)
        if not self._load.keep_alive or answer.should_close():
            self._leave()
        return Head(answer.get_code(), answer.items(), length=body.length), body.kept()

    def _block_of(self, *, begun: bool) -> bytes:
        """The next block of an answer; `begun`: some of it has come already."""
        try:
            tls = self._tls
            block = self._arriving_block() if tls is None else self._decrypted_block(tls)
        except (ConnectionResetError, BrokenPipeError):
            raise _ended("reset", begun=begun) from None
        except OSError as error:
            raise ConnectionFailed(Kind.OTHER, f"reading failed: {error.strerror}") from None
        self.received += len(block)
        return block

    def _feed(self, answer: _Answer, block: bytes) -> None:
        """Parses a block, or raises what it means that nothing more comes."""
        if not block and not answer.message_begun:
            raise _ended("closed", begun=False)
        try:
            # The parser skips empty lines after the end: the last byte must still be the answer's.
            if len(block) > 1:
                answer.feed(block[:-1])
                answer.must_go_on()
            answer.feed(block[-1:])
        except HTTPParseError as error:
            if not block:
                raise _ended("closed", begun=answer.message_begun) from None
            raise ConnectionFailed(Kind.PROTOCOL, f"the answer is not HTTP: {error}") from None
        # the end of the connection may be the end of the body, but not of a "100 Continue"
        if not block and (not answer.message_complete or answer.get_code() < 200):
            raise _ended("closed", begun=answer.message_begun)


def _more_than_one(surplus: bytes = b"") -> ConnectionFailed:
    shown = repr(surplus[:SHOWN_BYTES]) if surplus else "more"
    words = f"the server sent {shown} after the end of its answer, and nothing else was asked"
    return ConnectionFailed(Kind.PROTOCOL, words)


def _ended(how: str, *, begun: bool) -> ConnectionFailed:
    if begun:
        message = f"the connection was {how} in the middle of the answer"
        return ConnectionFailed(Kind.TRUNCATED, message)
    failure = _ClosedBeforeAnswer if how == "closed" else ConnectionFailed
    return failure(Kind.RESET, f"the connection was {how} before the answer")
