"""A WebSocket server that may let go of the protocol, and do things to the socket itself."""

import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import Self

from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol

from tests.integration.stubs_http import RUN

LIMIT_S = 5.0

Handled = Callable[[socket.socket, ServerProtocol], None]
"""What happens once the first message has come, or at once where the server speaks first."""


def echo(connected: socket.socket, protocol: ServerProtocol) -> None:
    """Until the other end is gone."""
    while block := connected.recv(65_536):
        protocol.receive_data(block)
        answer(connected, protocol)


def answer(connected: socket.socket, protocol: ServerProtocol, *, echo: bool = True) -> list[Frame]:
    """Echoes what has come, says what is due; the frames that came."""
    frames = [event for event in protocol.events_received() if isinstance(event, Frame)]
    for frame in frames:
        if echo and frame.opcode is Opcode.TEXT:
            protocol.send_text(frame.data)
    connected.sendall(b"".join(protocol.data_to_send()))
    return frames


class RawResponder:
    """Listens while the `with` block lasts; each path is handled in its way, and / echoes."""

    def __init__(
        self,
        handled: Mapping[str, Handled],
        *,
        tls: ssl.SSLContext | None = None,
        speaks_first: bool = False,
    ) -> None:
        self._handled = {"/": echo, **handled}
        self._speaks_first = speaks_first
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.base_url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        self._accepting = threading.Thread(target=self._accept)
        self._accepting.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._listener.close()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while True:
            try:
                connected, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._handle, args=(connected,))
            self._threads.append(thread)
            thread.start()

    def _handle(self, connected: socket.socket) -> None:
        with ExitStack() as stack:
            stack.enter_context(suppress(OSError))  # who is gone is gone
            stack.enter_context(connected)
            connected.settimeout(LIMIT_S)
            if self._tls is not None:
                connected = stack.enter_context(self._tls.wrap_socket(connected, server_side=True))
            protocol = ServerProtocol()
            path = self._shake(connected, protocol)
            if path == "/":
                echo(connected, protocol)
            else:
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
