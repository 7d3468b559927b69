"""A client that shares nothing with the load generator, so that each can be held against the other.

It imports nothing but the standard library.
"""

import http.client
import io
import select
import socket
import ssl
from contextlib import suppress
from typing import Any

RUN_HEADER = "X-Benchsuite-Run"

BLOCK_BYTES = 65_536

RIGHT, WRONG, LOST, HUNG = "right", "wrong", "lost", "hung"
"""What became of a request: the page, another answer of HTTP, none of HTTP (refused, broken off),
or none in time."""


class Client:
    """One client with at most one connection."""

    def __init__(self, request: dict[str, object]) -> None:
        self._host = str(request["host"])
        self._port = int(str(request["port"]))
        self._path = str(request["path"])
        self._token = str(request["token"])
        self._context = _context(str(request["tls"]))
        self._timeout_s = float(str(request["timeout_s"]))
        self._keep_alive = bool(request["keep_alive"])
        headers: Any = request["headers"]
        self._headers: dict[str, str] = dict(headers)
        self._status = request["status"]  #: The right one; None for any below 400.
        if not self._keep_alive:
            self._headers["Connection"] = "close"
        self._connection: http.client.HTTPConnection | None = None

    def connect(self) -> str:
        """HUNG or LOST; empty when there is a connection."""
        try:
            self._connected()
        except TimeoutError:
            return HUNG
        except OSError:
            return LOST
        return ""

    def ask(self, *, prompt: bool = False) -> str:
        """What became of the page; right is an answer with the wanted status, of this run's server.

        `prompt` acknowledges whatever comes at once, where the kernel may wait with it.
        """
        try:
            connection = self._connected()
            answers: Any = _prompt_answer if prompt else http.client.HTTPResponse
            connection.response_class = answers
            connection.request("GET", self._path, headers=self._headers)
            answer = connection.getresponse()
            while answer.read(BLOCK_BYTES):
                pass  # a body may be longer than memory
        except TimeoutError:
            self.close()
            return HUNG
        except (OSError, http.client.HTTPException, ValueError):  # a length may be no number
            self.close()
            return LOST
        if not self._keep_alive or answer.will_close:
            self.close()
        right = answer.status < 400 if self._status is None else answer.status == self._status
        return RIGHT if right and answer.getheader(RUN_HEADER) == self._token else WRONG

    def give_up(self) -> None:
        """Whoever waits for an answer waits no more; from another thread."""
        connection = self._connection
        arriving = connection.sock if connection is not None else None
        if arriving is not None:
            with suppress(OSError):
                socket.socket.shutdown(arriving, socket.SHUT_RDWR)  # TLS must not say good-bye

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connected(self) -> http.client.HTTPConnection:
        if self._connection is None or _has_ended(self._connection):
            self.close()
            connection = self._new_connection()
            connection.connect()
            self._connection = connection
        return self._connection

    def _new_connection(self) -> http.client.HTTPConnection:
        if self._context is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout_s)
        return http.client.HTTPSConnection(
            self._host, self._port, timeout=self._timeout_s, context=self._context
        )


class _Prompt(io.RawIOBase):
    """What comes from a socket, acknowledged as soon as it is there."""

    def __init__(self, arriving: socket.socket) -> None:
        self._arriving = arriving
        self._raw = arriving.makefile("rb", buffering=0)

    def makefile(self, *_: object) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int | None:  # type: ignore[override]
        arriving = self._arriving
        if not (isinstance(arriving, ssl.SSLSocket) and arriving.pending()):
            select.select([arriving], [], [], arriving.gettimeout())
            # Holds until the next segments: it is set anew for each.
            arriving.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


def _prompt_answer(arriving: socket.socket, *args: Any, **named: Any) -> http.client.HTTPResponse:
    return http.client.HTTPResponse(_Prompt(arriving), *args, **named)  # type: ignore[arg-type]


def _has_ended(connection: http.client.HTTPConnection) -> bool:
    """Whether the server has closed the connection since its last answer.

    With TLS it may also have said something else: then a new connection is made without need.
    """
    return connection.sock is None or bool(select.select([connection.sock], [], [], 0)[0])


def _context(tls: str) -> ssl.SSLContext | None:
    """For `tls` "" (plain HTTP), "verified" or "unverified"."""
    if not tls:
        return None
    context = ssl.create_default_context()
    if tls == "unverified":
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
