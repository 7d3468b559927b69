"""Small messages there and back as fast as they come, on many connections: a client and its echo.

    python -P benchmarks/turns.py [--port 0]

is the echo: it prints its port and goes on until it is killed. One process, one epoll loop, the
standard library only; the client is the same loop and is called as a function.
"""

import argparse
import select
import socket
from time import monotonic

MESSAGE = b"message!"
MAX_EVENTS = 256
BLOCK_BYTES = 65_536


def turns_per_s(
    host: str, port: int, *, connections: int, warmup_s: float, window_s: float
) -> float:
    """Round trips a second of all connections together; each has one message under way."""
    epoll = select.epoll()
    sockets = {}
    for _ in range(connections):
        connected = socket.create_connection((host, port))
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sockets[connected.fileno()] = connected
        epoll.register(connected.fileno(), select.EPOLLIN)
    for connected in sockets.values():
        connected.sendall(MESSAGE)
    begin = monotonic() + warmup_s
    end = begin + window_s
    turns = 0
    while (now := monotonic()) < end:
        for fd, _ in epoll.poll(end - now, MAX_EVENTS):
            connected = sockets[fd]
            if not connected.recv(BLOCK_BYTES):
                raise ConnectionResetError("the connection was closed")
            if now >= begin:
                turns += 1
            connected.sendall(MESSAGE)
    epoll.close()
    for connected in sockets.values():
        connected.close()
    return turns / window_s


def echo(listener: socket.socket) -> None:
    """Sends everything back, for ever."""
    epoll = select.epoll()
    epoll.register(listener.fileno(), select.EPOLLIN)
    sockets: dict[int, socket.socket] = {}
    while True:
        for fd, _ in epoll.poll(-1, MAX_EVENTS):
            if fd == listener.fileno():
                connected, _ = listener.accept()
                connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                sockets[connected.fileno()] = connected
                epoll.register(connected.fileno(), select.EPOLLIN)
                continue
            try:
                block = sockets[fd].recv(BLOCK_BYTES)
            except ConnectionError:
                block = b""
            if block:
                sockets[fd].sendall(block)
            else:
                sockets.pop(fd).close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    with socket.create_server(("127.0.0.1", options.port), backlog=1024) as listener:
        print(listener.getsockname()[1], flush=True)
        echo(listener)


if __name__ == "__main__":
    main()
