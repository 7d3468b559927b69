"""Small servers of a thread for each connection, and the delay in front of them."""

import os
import socket
import struct
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from benchsuite.core.specs.server import DelaySpec
from benchsuite.delay.delayer import Address, Delayer, Direction
from benchsuite.system.process import Process

PATIENCE_S = 20.0
"""More than anything takes; only a failing test waits that long."""


class DelayedAddress(NamedTuple):
    """Where a proxy listens, its process, and the event loop that it has."""

    host: str
    port: int
    process: Process
    loop: str


@contextmanager
def through(
    upstream: Address, folder: Path, delay_s: float = 0.1, direction: Direction = "to_server"
) -> Iterator[DelayedAddress]:
    """A delay with a marker of its own."""
    marker, env = uuid.uuid4().hex, dict(os.environ)
    whom = "database" if direction == "to_server" else "clients"
    with Delayer(spec=DelaySpec(), database=None, folder=folder, marker=marker, env=env) as delayer:
        place = delayer.proxy(whom, upstream, delay_s)
        (process,) = delayer.processes.values()
        (facts,) = delayer.to_json()["proxies"].values()
        yield DelayedAddress(*place, process, facts["loop"])


@contextmanager
def server(talk, tls=None, host="127.0.0.1"):
    """A thread for each connection, which is closed when `talk` returns; at the end all connections
    are shut and all threads joined.
    """
    threads: list[threading.Thread] = []
    connections: list[socket.socket] = []

    def serve(connection: socket.socket) -> None:
        with suppress(OSError), ExitStack() as stack:
            stack.enter_context(connection)
            if tls is not None:
                connection = stack.enter_context(tls.wrap_socket(connection, server_side=True))
                connections.append(connection)
            talk(connection)

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            prepare(connection)
            connections.append(connection)
            threads.append(threading.Thread(target=serve, args=(connection,), daemon=True))
            threads[-1].start()

    with socket.create_server((host, 0), backlog=1024) as listener:
        accepting = threading.Thread(target=accept, daemon=True)
        accepting.start()
        try:
            yield listener.getsockname()
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            accepting.join(PATIENCE_S)
            for connection in connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            for thread in threads:
                thread.join(PATIENCE_S)


def connect(address: DelayedAddress | Address) -> socket.socket:
    place = (address.host, address.port) if isinstance(address, DelayedAddress) else address
    connection = socket.create_connection(place, timeout=PATIENCE_S)
    prepare(connection)
    return connection


@contextmanager
def talking(talk, folder, delay_s=0.1, direction="to_server"):
    """A connection to such a server, by way of a delay."""
    with (
        server(talk) as upstream,
        through(upstream, folder, delay_s, direction) as late,
        connect(late) as connection,
    ):
        yield connection


def prepare(connection: socket.socket) -> None:
    connection.settimeout(PATIENCE_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def echo(connection: socket.socket) -> None:
    while data := connection.recv(65536):
        connection.sendall(data)


def seconds_of(act: Callable[[], object], times: int) -> list[float]:
    """How long it takes each time."""
    seconds = []
    for _ in range(times):
        began = time.monotonic()
        act()
        seconds.append(time.monotonic() - began)
    return seconds


def receive(connection: socket.socket, count: int = sys.maxsize) -> bytes:
    """So many bytes, or all; fewer when the connection ends before."""
    data = bytearray()
    while len(data) < count and (block := connection.recv(min(65536, count - len(data)))):
        data += block
    return bytes(data)


def reset(connection: socket.socket) -> None:
    """Closes by a reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
