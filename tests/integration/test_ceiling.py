"""The null responder and what the load generator makes of it."""

import http.client
import socket
from contextlib import closing
from pathlib import Path

from benchsuite.load.ceiling import ceilings, responder


def test_it_answers_whatever_it_is_asked(tmp_path: Path) -> None:
    with responder(tmp_path) as null:
        port = int(null.base_url.rpartition(":")[2])
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
            for path in ("/", "/anything/?at=all"):
                connection.request("GET", path)
                answer = connection.getresponse()
                assert (answer.status, answer.read()) == (200, b"OK")
                assert answer.getheader("X-Benchsuite-Run") == null.token
            connection.request("GET", "/", headers={"Connection": "close"})
            answer = connection.getresponse()
            assert (answer.read(), answer.getheader("Connection")) == (b"OK", "close")


def test_it_waits_for_a_whole_head_and_outlives_whoever_goes_away(tmp_path: Path) -> None:
    with responder(tmp_path) as null:
        port = int(null.base_url.rpartition(":")[2])
        for _ in range(3):
            socket.create_connection(("127.0.0.1", port)).close()
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost")
            connection.settimeout(0.2)
            try:
                early = connection.recv(1)
            except TimeoutError:
                early = b""
            assert early == b""
            connection.settimeout(5)
            connection.sendall(b": here\r\n\r\n")
            assert connection.recv(1000).endswith(b"\r\n\r\nOK")


def test_ceilings_of_kept_and_closed_connections() -> None:
    told: list[tuple[int, str]] = []
    kept, closed = ceilings(
        seconds=0.5, users=(3,), on_begin=lambda users, words: told.append((users, words))
    )
    assert told == [(3, "connections kept"), (3, "one connection each")]
    assert (kept.users, kept.keep_alive, closed.keep_alive) == (3, True, False)
    assert kept.throughput > closed.throughput > 50
    for one in (kept, closed):
        assert one.load_cpu_percent is not None
        assert 0 < one.load_cpu_percent < 130
        assert one.responder_cpu_percent is not None
        assert 0 < one.responder_cpu_percent < 130
