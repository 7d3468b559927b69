"""A small HTTP responder with programmed behaviours, which counts for itself what it has seen."""

import json
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Self

from tests.integration.listening import server

RUN = "token-of-this-run"
RUN_HEADERS: Mapping[str, str] = {"X-Benchsuite-Run": RUN}


@dataclass
class Request:
    """What arrived on a connection, whole."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    number: int  #: Which request of its path it is, from 1.
    on_connection: int  #: Which request of its connection it is, from 1.


Behaviour = Callable[[Request], "bytes | Iterator[bytes] | None"]
"""Makes the bytes to send, at once or bit by bit; None closes the connection."""


class Close(Exception):
    """Sends these bytes and closes the connection; with `reset` by an RST."""

    def __init__(self, first: bytes = b"", *, reset: bool = False) -> None:
        super().__init__()
        self.first = first
        self.reset = reset


def answer(body=b"OK", *, status=200, headers=RUN_HEADERS, more=None):
    fields = {"Content-Length": str(len(body)), **headers, **(more or {})}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} Whatever\r\n{head}\r\n".encode() + body


def ok(request: Request) -> bytes:
    return answer()


def after(delay_s: float, then: Behaviour = ok) -> Behaviour:
    def behave(request: Request) -> bytes | Iterator[bytes] | None:
        time.sleep(delay_s)
        return then(request)

    return behave


def every(count: int, other: Behaviour, then: Behaviour = ok) -> Behaviour:
    """Every count-th request of the path is treated otherwise."""
    return lambda request: other(request) if request.number % count == 0 else then(request)


def closing(first: bytes = b"", *, reset: bool = False) -> Behaviour:
    def behave(request: Request) -> bytes | None:
        raise Close(first, reset=reset)

    return behave


def trickling(first: bytes, *, every_s: float, count: int) -> Behaviour:
    """A byte now and then."""

    def behave(request: Request) -> Iterator[bytes]:
        yield first
        for _ in range(count):
            time.sleep(every_s)
            yield b"x"

    return behave


def _echo(request: Request) -> bytes:
    seen = {"path": request.path, "headers": request.headers, "body": request.body.decode()}
    return answer(json.dumps(seen).encode())


_HEAD = f"HTTP/1.1 200 OK\r\nX-Benchsuite-Run: {RUN}\r\n".encode()
_CHUNKS = b"Transfer-Encoding: chunked\r\n\r\n6\r\nhello \r\n5\r\nworld\r\n0\r\n\r\n"
_COOKIE = {"Set-Cookie": "sid=abc; Path=/; HttpOnly", "X-Thing": "here"}
EVERYTHING: dict[str, Behaviour] = {
    "/set-cookie": lambda request: answer(more=_COOKIE),
    "/forget": lambda request: answer(more={"Set-Cookie": "sid=; Max-Age=0; Path=/"}),
    "/echo": _echo,
    "/redirect": lambda request: answer(status=302, more={"Location": "/landing?x=1"}),
    "/landing": ok,
    "/chunked": lambda request: _HEAD + _CHUNKS,
    "/until-close": closing(_HEAD + b"\r\nhello"),
    "/sp%C3%A4ti": ok,
}
"""What a journey asks that does all that a client can."""


class Responder:
    """Listens while the `with` block lasts; `seen` counts whole requests by path, without query."""

    def __init__(self, behaviours=None, *, tls=None, idle_s=None, host="127.0.0.1"):
        """Connections that rest for longer than `idle_s` are closed, as servers do."""
        self.behaviours: dict[str, Behaviour] = {"/": ok, **(behaviours or {})}
        self.seen: Counter[str] = Counter()
        self.requests: list[Request] = []  #: The first hundred.
        self.connections = 0
        self._lock = threading.Lock()
        self._tls = tls
        self._idle_s = idle_s
        self._host = host
        self._listening = ExitStack()

    def __enter__(self) -> Self:
        address = self._listening.enter_context(server(self._serve, self._tls, self._host))
        self.port: int = address[1]
        self.base_url = f"{'https' if self._tls else 'http'}://{self._host}:{self.port}"
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Closes the port and every connection; may be called before the block ends."""
        self._listening.close()

    def _serve(self, connection: socket.socket) -> None:
        with self._lock:
            self.connections += 1
        connection.settimeout(self._idle_s)
        count = 0
        with connection.makefile("rb") as lines:
            while line := lines.readline():
                count += 1
                request = self._read(line, lines.readline, lines.read, count)
                try:
                    sent = self.behaviours[request.path.partition("?")[0]](request)
                except Close as close:
                    connection.sendall(close.first)
                    if close.reset:
                        linger = struct.pack("ii", 1, 0)
                        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                    return
                if sent is None:
                    return
                for part in [sent] if isinstance(sent, bytes) else sent:
                    connection.sendall(part)
                if request.headers.get("connection") == "close":
                    return

    def _read(self, line, readline, read, on_connection):
        method, path, _ = line.decode("latin-1").split(" ", 2)
        headers: dict[str, str] = {}
        while (field := readline().decode("latin-1").strip()) != "":
            name, _, value = field.partition(":")
            headers[name.lower()] = value.strip()
        body = read(int(headers.get("content-length", 0)))
        key = path.partition("?")[0]
        with self._lock:
            self.seen[key] += 1
            request = Request(method, path, headers, body, self.seen[key], on_connection)
            if len(self.requests) < 100:
                self.requests.append(request)
        return request
