"""The application of the Circus and Chaussette comparison of 2012; no Django. The first version: a
loop, 100 ms of sleep, many small writes to a file. The second, of July 2012: a loop, 75 to 100 ms,
and a page from one of ten threads that stand for connections to a database.
"""

import os
import queue
import random
import select
import tempfile
import threading
import time
from functools import cache

LOOPS = 10_000
WRITES = 10_000
PAUSE_S = 0.1
CONNECTIONS = 10
QUERY = b"*" * 100 + b"\n"
PAGE = b"<HTML>\n  <BODY>\n    Hello there.\n  </BODY>\n</HTML>\n"
FREE_S = 1.0  #: How long a request waits for a connection, before it fails.
BLOCK_BYTES = 1024


def loop() -> None:
    for _ in range(LOOPS):
        pass


def write_small() -> None:
    """Writes many small strings to a temporary file, each with a system call, and removes it."""
    handle, name = tempfile.mkstemp(prefix="bench_app")
    try:
        for i in range(WRITES):
            os.write(handle, str(i).encode())
    finally:
        os.close(handle)
        os.remove(name)


def page(version: str) -> bytes:
    """What it answers; the first version says how long that took."""
    start = time.perf_counter()
    loop()
    if version == "2":
        time.sleep(pause_s())
        return ask_database()
    time.sleep(PAUSE_S)
    write_small()
    return f"{time.perf_counter() - start:.4f}".encode()


def pause_s() -> float:
    """Of the second version."""
    return random.randint(75, 100) / 1000


def ask_database() -> bytes:
    """Its page; raises queue.Empty when all connections are busy for too long."""
    connections = _connections()
    connection = connections.get(timeout=FREE_S)
    try:
        return connection.ask()
    finally:
        connections.put(connection)


class Connection(threading.Thread):
    """A thread that answers each query with a page, line by line, over a pair of pipes."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._query, self._ask = os.pipe()
        self._answer, self._say = os.pipe()
        self.start()

    def run(self) -> None:
        while _read(self._query):
            for line in PAGE.splitlines(keepends=True):
                os.write(self._say, line)

    def ask(self) -> bytes:
        os.write(self._ask, QUERY)
        answer = b""
        while not answer.endswith(b"</HTML>\n"):
            answer += _read(self._answer)
        return answer


def _read(pipe: int) -> bytes:
    """Waits as the original does, so that gevent can let others run meanwhile."""
    select.select([pipe], [], [])
    return os.read(pipe, BLOCK_BYTES)


@cache
def _connections() -> "queue.Queue[Connection]":
    """Those of this process, made for its first request."""
    made: queue.Queue[Connection] = queue.Queue()
    for _ in range(CONNECTIONS):
        made.put(Connection())
    return made
