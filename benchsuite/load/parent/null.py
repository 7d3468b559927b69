"""The null responder: answers whatever it is asked with the same few bytes, as fast as Python can.

    python -I -S benchsuite/load/parent/null.py PORT TOKEN [PROCESSES]

What a load generator makes of it at most is the generator's own ceiling. Each process has one
thread, epoll, and a listener of its own on the port they share (SO_REUSEPORT). It looks for the end
of a request's head only, so it is no server for anything else. One answer takes about 7 µs of CPU
on a connection that is kept, and 25 µs with one for each request.
"""

import contextlib
import os
import select
import socket
import sys
from typing import NoReturn

BLOCK_BYTES = 65_536
END = b"\r\n\r\n"
CLOSE = b"connection: close"


def serve(listener: socket.socket, token: str) -> NoReturn:
    head = f"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Benchsuite-Run: {token}\r\n"
    kept = f"{head}\r\nOK".encode()
    closed = f"{head}Connection: close\r\n\r\nOK".encode()
    listener.setblocking(False)
    poll = select.epoll()
    poll.register(listener, select.EPOLLIN)
    accepting = listener.fileno()
    open_sockets: dict[int, socket.socket] = {}
    while True:
        for number, _ in poll.poll():
            if number == accepting:
                with contextlib.suppress(BlockingIOError):
                    while True:
                        connected, _ = listener.accept()
                        connected.setblocking(False)
                        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                        open_sockets[connected.fileno()] = connected
                        poll.register(connected, select.EPOLLIN)
                continue
            connection = open_sockets[number]
            try:
                data = connection.recv(BLOCK_BYTES)
                if data.endswith(END):
                    if CLOSE not in data.lower():
                        connection.send(kept)
                        continue
                    connection.send(closed)
                elif data:
                    continue  # a head in pieces: the one with the empty line will end it
            except OSError:
                data = b""
            del open_sockets[number]
            connection.close()


def main() -> None:
    port, token = int(sys.argv[1]), sys.argv[2]
    for _ in range(int(sys.argv[3]) - 1 if len(sys.argv) > 3 else 0):
        if os.fork() == 0:
            break
    with socket.create_server(("127.0.0.1", port), backlog=4096, reuse_port=True) as listener:
        serve(listener, token)


if __name__ == "__main__":
    main()
