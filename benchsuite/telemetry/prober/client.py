"""A client that shares nothing with the load generator, and needs the standard library alone."""

import http.client
import io
import re
import select
import socket
import ssl
from contextlib import suppress
from typing import Any

from benchsuite.system.network import client_context

RUN_HEADER = "X-Benchsuite-Run"
BLOCK_BYTES = 65_536
SHOWN_BYTES = 40
FAREWELL = re.compile(rb"HTTP/1\.[01] 408 ")  #: Before an idle connection is closed.
RIGHT, WRONG, LOST, HUNG = "right", "wrong", "lost", "hung"
"""What became of a request: the page, another answer of HTTP, none of HTTP (refused, broken off),
or none in time."""


class Client:
    """One client with at most one connection."""

    def __init__(self, request: dict[str, object]) -> None:
        self._host = str(request["host"])
        self._port = int(str(request["port"]))
        self._message = str(request["message"]).encode("latin-1")
        self._token = str(request["token"])
        self._context = client_context(self._host) if request["tls"] else None
        self._timeout_s = float(str(request["timeout_s"]))
        self._keep_alive = bool(request["keep_alive"])
        self._status = request["status"]  #: The right one; None for any below 400.
        self._connection: socket.socket | None = None

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
        """What became of the page; right is an answer of this run with the wanted status, after
        which nothing comes. `prompt` acknowledges at once, where the kernel may wait with it.
        """
        try:
            connection = self._connected()
            came = _Arriving(connection, prompt=prompt)
            connection.sendall(self._message)
            answer = _Answer(came, method="GET")  # type: ignore[arg-type]
            answer.begin()
            while answer.read(BLOCK_BYTES):
                pass  # a body may be longer than memory
            if answer.length or came.surplus:
                raise ConnectionError("the answer ended early, or more came after its end")
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
        if connection is not None:
            with suppress(OSError):
                socket.socket.shutdown(connection, socket.SHUT_RDWR)  # TLS must not say good-bye

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connected(self) -> socket.socket:
        kept = self._connection
        unasked = b"" if kept is None else _unasked(kept)
        if kept is not None and unasked is None:
            return kept
        self.close()
        if unasked and FAREWELL.match(unasked) is None:
            raise ConnectionError(unasked)
        made = socket.create_connection((self._host, self._port), timeout=self._timeout_s)
        self._connection = made
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._context is not None:
            self._connection = made = self._context.wrap_socket(made, server_hostname=self._host)
        return made


class _Arriving(io.RawIOBase):
    """What comes from a socket; `prompt`: acknowledged as soon as it is there."""

    def __init__(self, arriving: socket.socket, *, prompt: bool) -> None:
        self.surplus = b""  #: What had come after the end of the answer.
        self.over = False  #: Whether the answer is complete: nothing more is waited for.
        self._prompt = prompt
        self._arriving = arriving
        self._raw = arriving.makefile("rb", buffering=0)

    def makefile(self, *_: object) -> io.BufferedReader:
        return _Buffered(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int | None:  # type: ignore[override]
        arriving = self._arriving
        if self.over:
            surplus = _unasked(arriving) or b""
            buffer[: len(surplus)] = surplus
            return len(surplus)
        if self._prompt and not (isinstance(arriving, ssl.SSLSocket) and arriving.pending()):
            select.select([arriving], [], [], arriving.gettimeout())
            # Holds until the next segments: it is set anew for each.
            arriving.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Buffered(io.BufferedReader):
    """`http.client` closes it at the end of each answer, with whatever it has read beyond that."""

    def close(self) -> None:
        raw: Any = self.raw
        if not self.closed and not raw.over:
            raw.over = True
            with suppress(OSError, ValueError):  # a connection that has ended has no more to say
                raw.surplus = self.peek(1)
        super().close()


class _Answer(http.client.HTTPResponse):
    """One answer, after those that only announce it."""

    def _read_status(self) -> tuple[str, int, str]:
        """`http.client` itself knows 100 alone."""
        while True:
            version, status, reason = super()._read_status()  # type: ignore[misc]
            if not 101 < status < 200:
                return version, status, reason
            http.client.parse_headers(self.fp)


def _unasked(arriving: socket.socket) -> bytes | None:
    """How what the server sent meanwhile begins; empty when it closed, None when it did neither."""
    limit_s = arriving.gettimeout()
    arriving.setblocking(False)
    try:
        return arriving.recv(SHOWN_BYTES)
    except (BlockingIOError, ssl.SSLWantReadError):
        return None
    except OSError:
        return b""
    finally:
        arriving.settimeout(limit_s)
