"""Ports of TCP: free ones, and who holds one that is not."""

import errno
import socket
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress

from benchsuite.core.exceptions import StartError


def free_port(host: str = "127.0.0.1") -> int:
    """A TCP port that nobody listens on now."""
    with _socket(host, 0) as (listener, address):
        listener.bind(address)
        return int(listener.getsockname()[1])


def distinct(find: Callable[[], int], count: int, besides: Collection[int] = ()) -> list[int]:
    """So many ports that `find` has found free: the kernel may well give out one twice.

    None of them is among `besides`, which nobody listens on yet.
    """
    found: list[int] = []
    while len(found) < count:
        port = find()
        if port not in found and port not in besides:
            found.append(port)
    return found


def ensure_port_free(host: str, port: int) -> None:
    """Raises StartError when nobody could listen there, naming the process that does if it can be
    known."""
    with _socket(host, port) as (listener, address):
        try:
            listener.bind(address)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise StartError(
                    f"Nothing can listen on {host}:{port}: {error.strerror}."
                ) from error
            raise StartError(
                f"Port {port} of {host} is taken{_holder(port)}; end that or choose another port."
            ) from error


@contextmanager
def _socket(host: str, port: int) -> Iterator[tuple[socket.socket, tuple[object, ...]]]:
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror as error:
        raise StartError(f"There is no host {host!r}: {error.strerror}.") from error
    with socket.socket(family, kind) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        yield listener, address


def _holder(port: int) -> str:
    import psutil  # only for this message; its import would cost every start 20 ms

    with suppress(psutil.Error):
        for connection in psutil.net_connections("tcp"):
            address = connection.laddr
            if not address or address.port != port or connection.pid is None:
                continue
            if connection.status == psutil.CONN_LISTEN:
                command = " ".join(psutil.Process(connection.pid).cmdline())
                return f" by process {connection.pid} ({command[:100]})"
    return ""
