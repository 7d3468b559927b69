"""One user's connection: bytes out, a parsed answer back, every failure with its cause."""

import socket
from contextlib import suppress
from time import monotonic
from typing import Any

from gevent import get_hub
from gevent.socket import socket as GreenSocket
from geventhttpclient.response import HTTPParseError, HTTPResponse

from benchsuite.stats.samples import Kind

BLOCK_BYTES = 65_536
READABLE = 1
"""The event of libev."""

IDLE_CLOSE_S = 0.5
"""A used connection that is closed within this time of a request was closed for having been idle;
later than that, the server gave up on the request itself."""


class ConnectionFailed(Exception):
    """No answer came back, or none that can be read."""

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class _ClosedBeforeAnswer(Exception):
    """The server closed the connection before the first byte of its answer."""


class Connection:
    """Connects when it must, and once again when the server closed the connection between requests.

    A GET on a used connection, of whose answer nothing arrived, is sent once more on a new one, as
    browsers do: servers close idle connections, and their notice can cross a request. That is done
    only when the connection ended at once; a later end is a failure of the server. A POST is not
    sent twice, because it could be done twice. A close seen before anything was sent harms neither.
    """

    def __init__(self, family: int, address: Any, *, keep_alive: bool) -> None:
        self.connecting = False
        """Whether the last exchange had no connection yet: what a timeout then was about."""
        self._family = family
        self._address = address
        self._keep_alive = keep_alive
        self._socket: GreenSocket | None = None
        self._readable: Any = None

    def exchange(self, method: str, request: bytes) -> HTTPResponse:
        """Sends a request and reads its whole answer; raises ConnectionFailed.

        Whatever else ends it (a timeout, the end of the greenlet) closes the connection too.
        """
        try:
            return self._exchange(method, request)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        if self._readable is not None:
            self._readable.close()
            self._readable = None
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _exchange(self, method: str, request: bytes) -> HTTPResponse:
        self.connecting = False
        reused = self._still_open()
        sent = monotonic()
        try:
            return self._once(method, request)
        except _ClosedBeforeAnswer as error:
            if not reused or method != "GET" or monotonic() - sent > IDLE_CLOSE_S:
                raise ConnectionFailed(Kind.RESET, str(error)) from None
            self.close()
        try:
            return self._once(method, request)
        except _ClosedBeforeAnswer as error:
            raise ConnectionFailed(Kind.RESET, str(error)) from None

    def _still_open(self) -> bool:
        """Whether there is a connection from before that the server has not closed since."""
        if self._socket is None:
            return False
        plain: Any = self._socket  # the socket inside of gevent's, which would wait
        try:
            plain._sock.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return True
        except OSError:
            self.close()
            return False
        self.close()
        return False

    def _connect(self) -> GreenSocket:
        self.connecting = True
        self._socket = connected = GreenSocket(self._family, socket.SOCK_STREAM)
        try:
            connected.connect(self._address)
        except ConnectionRefusedError:
            raise ConnectionFailed(Kind.CONNECT_REFUSED, "the connection was refused") from None
        except TimeoutError:
            raise ConnectionFailed(Kind.CONNECT_TIMEOUT, "the connection timed out") from None
        except OSError as error:
            raise ConnectionFailed(Kind.OTHER, f"no connection: {error.strerror}") from None
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connecting = False
        self._readable = get_hub().loop.io(connected.fileno(), READABLE)
        return connected

    def _once(self, method: str, request: bytes) -> HTTPResponse:
        connected = self._socket or self._connect()
        # a server may answer (413) and close before it has read everything: look for that answer
        with suppress(BrokenPipeError, ConnectionResetError):
            connected.sendall(request)
        answer = HTTPResponse(method)
        while not answer.message_complete or answer.get_code() < 200:
            self._read_into(answer, connected)
        if not self._keep_alive or answer.should_close():
            self.close()
        return answer

    def _read_into(self, answer: HTTPResponse, connected: GreenSocket) -> None:
        """Reads what there is, or raises what it means that nothing more comes.

        It always lets the other users have their turn first: reading at once what a fast server has
        sent already would let one user go on for ever.
        """
        get_hub().wait(self._readable)
        try:
            block = connected.recv(BLOCK_BYTES)
        except (ConnectionResetError, BrokenPipeError):
            raise _ended("reset", answer) from None
        except OSError as error:
            raise ConnectionFailed(Kind.OTHER, f"reading failed: {error.strerror}") from None
        if not block and not answer.message_begun:
            raise _ended("closed", answer)
        try:
            answer.feed(block)
        except HTTPParseError as error:
            if not block:
                raise _ended("closed", answer) from None
            raise ConnectionFailed(Kind.PROTOCOL, f"the answer is not HTTP: {error}") from None
        # the end of the connection may be the end of the body, but not of a "100 Continue"
        if not block and (not answer.message_complete or answer.get_code() < 200):
            raise _ended("closed", answer)


def _ended(how: str, answer: HTTPResponse) -> Exception:
    if not answer.message_begun:
        return _ClosedBeforeAnswer(f"the connection was {how} before the answer")
    return ConnectionFailed(Kind.RESET, f"the connection was {how} in the middle of the answer")
