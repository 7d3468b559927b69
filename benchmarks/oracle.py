"""An independent witness: asks at a slow constant rate, whatever the answers do.

    python -P benchmarks/oracle.py --port 8123 --rate 50 --seconds 20 --log seen.bin

Blocking sockets and threads of the standard library, nothing of benchsuite. Each of `--threads`
threads has its own connection and its own moments, so a slow answer delays nobody else. Writes
float64 triples (intended start, start, finish), CLOCK_MONOTONIC seconds; a request without an
answer has the finish NaN. A stall up to threads / rate seconds long is seen whole. SIGTERM ends it
early, with what it has seen.
"""

import argparse
import signal
import socket
import threading
from array import array
from pathlib import Path
from time import monotonic, sleep

REQUEST = b"GET / HTTP/1.1\r\nHost: oracle\r\n\r\n"
END = b"\r\n\r\nOK"
PATIENCE_S = 10.0
PRECISE_S = 0.01
"""Before its moment a thread sleeps without being woken for the end."""
START_S = 0.3
"""From the begin to the first request, so that every thread is there and connected."""
ended = threading.Event()


def ask(port: int, moments: list[float], log: "array[float]") -> None:
    """One thread: a request at each of these moments, or as soon after it as the last allows."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connected:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for intended in moments:
            if ended.wait(max(0.0, intended - PRECISE_S - monotonic())):
                return
            sleep(max(0.0, intended - monotonic()))
            start = monotonic()
            finish = float("nan")
            try:
                connected.sendall(REQUEST)
                answer = b""
                while not answer.endswith(END):
                    block = connected.recv(4096)
                    if not block:
                        raise ConnectionResetError
                    answer += block
                finish = monotonic()
            except OSError:
                return
            finally:
                log.extend((intended, start, finish))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--rate", type=float, default=50.0)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--threads", type=int, default=100)
    parser.add_argument("--log", type=Path, required=True)
    options = parser.parse_args()
    first = monotonic() + START_S
    moments = [
        first + number / options.rate for number in range(int(options.seconds * options.rate))
    ]
    count = options.threads
    logs = [array("d") for _ in range(count)]
    threads = [
        threading.Thread(target=ask, args=(options.port, moments[place::count], log))
        for place, log in enumerate(logs)
    ]
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with options.log.open("wb") as file:
        for log in logs:
            log.tofile(file)


if __name__ == "__main__":
    main()
