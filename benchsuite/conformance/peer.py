"""The server that is checked: where it is, and what can be asked of it."""

import base64
import os
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from benchsuite.conformance.connection import Connection
from benchsuite.conformance.handshake import Response, accept_key, request
from benchsuite.conformance.outcomes import Deviation

SMALL_BUFFER = 65_536


@dataclass(frozen=True, slots=True)
class Peer:
    """An echo at `path`: text as text, binary as binary."""

    host: str
    port: int
    path: str
    token: str = ""  #: What X-Benchsuite-Run must say; empty for a server that no run started.
    memory: Callable[[], int | None] = field(default=lambda: None)
    """Bytes of all its processes, where that is known."""
    descriptors: Callable[[], int | None] = field(default=lambda: None)
    """Files that all its processes hold open, where that is known."""

    def connect(self, *, small_buffers: bool = False) -> Connection:
        """A TCP connection; small buffers let it be seen when the server stops reading."""
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if small_buffers:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BUFFER)
            made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SMALL_BUFFER)
        try:
            made.settimeout(5.0)
            made.connect((self.host, self.port))
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as error:
            made.close()
            raise Deviation(f"accepts no connection ({error})") from error
        return Connection(made)

    def ask(
        self,
        connection: Connection,
        *,
        changed: Mapping[str, str | None] | None = None,
        method: str = "GET",
        path: str = "",
    ) -> Response:
        """The answer to a handshake with some headers `changed`, or left out with None."""
        headers = {**self._headers(), **(changed or {})}
        kept = {name: value for name, value in headers.items() if value is not None}
        connection.raw(request(method, path or self.path, kept))
        return connection.response()

    def open(
        self, *, offered: Sequence[str] = (), extensions: str = "", small_buffers: bool = False
    ) -> Connection:
        """A connection whose handshake is done; raises Deviation when it isn't accepted."""
        key = new_key()
        changed: dict[str, str | None] = {"Sec-WebSocket-Key": key}
        if offered:
            changed["Sec-WebSocket-Protocol"] = ", ".join(offered)
        if extensions:
            changed["Sec-WebSocket-Extensions"] = extensions
        connection = self.connect(small_buffers=small_buffers)
        try:
            answer = self.ask(connection, changed=changed)
            if answer.status != 101:
                raise Deviation(f"refuses the handshake with status {answer.status}")
            if answer.header("sec-websocket-accept") != accept_key(key):
                raise Deviation("accepts the handshake with a wrong Sec-WebSocket-Accept")
        except BaseException:
            connection.abort()
            raise
        connection.answer = answer
        return connection

    def _headers(self) -> dict[str, str]:
        return {
            "Host": f"{self.host}:{self.port}",
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Key": new_key(),
            "Sec-WebSocket-Version": "13",
        }


def new_key() -> str:
    return base64.b64encode(os.urandom(16)).decode()
