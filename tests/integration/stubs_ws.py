"""A small WebSocket responder with programmed behaviours, which counts for itself what it has seen.

Framing is the library's, so what is wrong with it is wrong on purpose. A RawResponder may let go of
the protocol, and do things to the socket itself.
"""

import socket
import ssl
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from http import HTTPStatus
from typing import Any, Self

from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.server import ServerProtocol
from websockets.sync.server import Server, ServerConnection, serve
from websockets.typing import Subprotocol

from tests.integration.listening import server
from tests.integration.stubs_http import RUN

Treated = Callable[[ServerConnection, Any], None]  #: What happens with one message.

Behaviour = Callable[[ServerConnection, Counter[str]], None]
"""What happens on a connection; counts what it does."""


def echo(connection: ServerConnection, seen: Counter[str]) -> None:
    for message in connection:
        seen["messages"] += 1
        connection.send(message)


def every(count: int, other: Treated) -> Behaviour:
    """Echoes, and treats every count-th message of all otherwise."""

    def behave(connection: ServerConnection, seen: Counter[str]) -> None:
        for message in connection:
            seen["messages"] += 1
            if seen["messages"] % count == 0:
                seen["odd"] += 1
                other(connection, message)
            else:
                connection.send(message)

    return behave


def nothing(connection: ServerConnection, message: Any) -> None:
    """Never answers."""


def twice(connection: ServerConnection, message: Any) -> None:
    connection.send(message)
    connection.send(message)


def damaged(connection: ServerConnection, message: Any) -> None:
    connection.send(f"{message[:-1]}!")


def as_binary(connection: ServerConnection, message: Any) -> None:
    connection.send(message.encode())


def with_code(code: int, reason: str = "") -> Treated:
    return lambda connection, message: connection.close(code, reason)


def raw(*blocks: bytes, then_close: bool = True) -> Treated:
    """Writes bytes past the protocol, and perhaps ends the connection without a word."""

    def behave(connection: ServerConnection, message: Any) -> None:
        for block in blocks:
            connection.socket.sendall(block)
        if then_close:
            connection.socket.shutdown(2)

    return behave


def in_fragments(connection: ServerConnection, message: Any) -> None:
    """Three fragments, and a ping between two of them."""
    third = len(message) // 3
    connection.ping()
    connection.send(iter([message[:third], message[third : 2 * third], message[2 * third :]]))


def deaf(connection: ServerConnection, seen: Counter[str]) -> None:
    """Hears nothing, not even a good-bye."""
    connection.protocol.receive_data = lambda data: None
    time.sleep(0.5)


class SocketResponder:
    """Listens while the `with` block lasts; `seen[path]` counts, the path without its query."""

    def __init__(
        self,
        behaviours: Mapping[str, Behaviour | int] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        tls: ssl.SSLContext | None = None,
        compression: str | None = None,
        subprotocols: Sequence[str] = (),
    ) -> None:
        """A number in place of a behaviour is the status of the handshake's answer. Of
        `subprotocols` the first that is offered is chosen, if any is.
        """
        self.behaviours: dict[str, Behaviour | int] = {"/": echo, **(behaviours or {})}
        self.seen: dict[str, Counter[str]] = {path: Counter() for path in self.behaviours}
        self.codes: Counter[int | None] = Counter()  #: Close codes that clients sent.
        self._headers = {"X-Benchsuite-Run": RUN} if headers is None else headers
        self._server: Server = serve(
            self._handle,
            "127.0.0.1",
            0,
            process_request=self._refuse,
            process_response=self._respond,
            ping_interval=None,
            compression=compression,
            select_subprotocol=lambda _, offered: next(
                (Subprotocol(one) for one in subprotocols if one in offered), None
            ),
            close_timeout=0.2,
            max_size=None,
            ssl=tls,
        )
        self.port: int = self._server.socket.getsockname()[1]
        self.base_url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()

    def _refuse(self, connection: ServerConnection, request: Request) -> Response | None:
        path = request.path.partition("?")[0]
        behaviour = self.behaviours[path]
        if not isinstance(behaviour, int):
            return None
        self.seen[path]["refused"] += 1
        return connection.respond(HTTPStatus(behaviour), "no")

    def _respond(self, connection, request, response):
        response.headers.update(self._headers)
        return response

    def _handle(self, connection: ServerConnection) -> None:
        path = connection.request.path.partition("?")[0]
        seen = self.seen[path]
        seen["connections"] += 1
        behaviour = self.behaviours[path]
        assert not isinstance(behaviour, int)
        try:
            behaviour(connection, seen)
        except (ConnectionClosed, OSError):
            seen["gone"] += 1
        sent = connection.protocol.close_rcvd
        self.codes[sent.code if sent else None] += 1


LIMIT_S = 5.0

Handled = Callable[[socket.socket, ServerProtocol], None]
"""What happens once the first message has come, or at once where the server speaks first."""


def raw_echo(connected: socket.socket, protocol: ServerProtocol) -> None:
    """Until the other end is gone."""
    while block := connected.recv(65_536):
        protocol.receive_data(block)
        raw_answer(connected, protocol)


def raw_answer(connected, protocol, *, echo=True):
    """Echoes what has come, says what is due; the frames that came."""
    frames = [event for event in protocol.events_received() if isinstance(event, Frame)]
    for frame in frames:
        if echo and frame.opcode is Opcode.TEXT:
            protocol.send_text(frame.data)
    connected.sendall(b"".join(protocol.data_to_send()))
    return frames


class RawResponder:
    """Listens while the `with` block lasts; each path is handled in its way, and / echoes."""

    def __init__(self, handled, *, tls=None, speaks_first=False):
        self._handled = {"/": raw_echo, **handled}
        self._speaks_first = speaks_first
        self._tls = tls
        self._listening = ExitStack()

    def __enter__(self) -> Self:
        port = self._listening.enter_context(server(self._handle, self._tls))[1]
        self.base_url = f"{'https' if self._tls else 'http'}://127.0.0.1:{port}"
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.close()

    def _handle(self, connected: socket.socket) -> None:
        connected.settimeout(LIMIT_S)
        protocol = ServerProtocol()
        path = self._shake(connected, protocol)
        if path == "/":
            raw_echo(connected, protocol)
            return
        if not self._speaks_first:
            protocol.receive_data(connected.recv(65_536))
        self._handled[path](connected, protocol)

    def _shake(self, connected: socket.socket, protocol: ServerProtocol) -> str:
        while True:
            protocol.receive_data(connected.recv(65_536))
            for event in protocol.events_received():
                assert isinstance(event, Request)
                response = protocol.accept(event)
                response.headers["X-Benchsuite-Run"] = RUN
                protocol.send_response(response)
                connected.sendall(b"".join(protocol.data_to_send()))
                return event.path
