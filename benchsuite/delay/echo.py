"""The echo server with which a delay is measured."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

LIMIT_S = 15.0  #: How long it waits for its client, and then for each message.


@contextmanager
def echo(host: str = "127.0.0.1") -> Iterator[int]:
    """Serves one connection in a thread; yields the port."""
    with socket.create_server((host, 0)) as listener:
        listener.settimeout(LIMIT_S)
        thread = threading.Thread(target=_serve_one, args=(listener,), name="echo", daemon=True)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def _serve_one(listener: socket.socket) -> None:
    with suppress(OSError):
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(LIMIT_S)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while data := connection.recv(65536):
                connection.sendall(data)
