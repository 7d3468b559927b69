"""Ports of TCP: free ones, and who holds one that is not."""

import errno
import os
import socket
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress

from benchsuite.core.exceptions import StartError
from benchsuite.system.procfs import all_pids, read_bytes

LOCAL, STATE, INODE = 1, 3, 9  #: Columns of /proc/net/tcp (proc_pid_net(5)).
LISTENS = b"0A"


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
    sockets = _listening(port)
    for pid in all_pids() if sockets else ():
        if not sockets.isdisjoint(_open_files(pid)):
            command = (read_bytes(f"/proc/{pid}/cmdline") or b"").replace(b"\0", b" ")
            return f" by process {pid} ({command.decode(errors='replace').strip()[:100]})"
    return ""


def _listening(port: int) -> set[str]:
    """The sockets that listen on this port, as links in /proc/PID/fd name them."""
    tables = (read_bytes(f"/proc/net/{name}") or b"" for name in ("tcp", "tcp6"))
    rows = [line.split() for table in tables for line in table.splitlines()[1:]]
    return {
        f"socket:[{row[INODE].decode()}]"
        for row in rows
        if row[STATE] == LISTENS and int(row[LOCAL].rpartition(b":")[2], 16) == port
    }


def _open_files(pid: int) -> Iterator[str]:
    """What a process has open; nothing when it isn't ours to know, or it has ended."""
    with suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                yield os.readlink(f"/proc/{pid}/fd/{name}")
