"""The null responder and what the load generator makes of it."""

import http.client
import socket
from contextlib import closing
from pathlib import Path

import pytest

from benchsuite.load.parent import ceiling
from benchsuite.load.parent.ceiling import ceilings, responder


@pytest.fixture(autouse=True)
def _one_try(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ceiling, "TRIES", 1)


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


def test_each_process_of_the_responder_answers(tmp_path: Path) -> None:
    with responder(tmp_path, processes=2) as null:
        port = int(null.base_url.rpartition(":")[2])
        assert len(null.process.living()) == 2
        for _ in range(20):
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
                connection.request("GET", "/")
                assert connection.getresponse().read() == b"OK"


@pytest.mark.alone
def test_ceilings_of_both_models_with_kept_and_closed_connections() -> None:
    told: list[str] = []
    kept, kept_open, closed, closed_open = ceilings(seconds=0.5, users=(3,), on_begin=told.append)
    assert told == [
        "3 users, connections kept",
        "arrivals, 3 in flight, connections kept",
        "3 users, one connection each",
        "arrivals, 3 in flight, one connection each",
    ]
    assert [(one.model, one.keep_alive) for one in (kept, kept_open, closed, closed_open)] == [
        ("closed", True),
        ("open", True),
        ("closed", False),
        ("open", False),
    ]
    for one in (kept, kept_open, closed, closed_open):
        assert (one.users, one.processes) == (3, 1)
        assert one.throughput > 50
        assert one.load_cpu_percent is not None
        assert 0 < one.load_cpu_percent < 130
        assert one.responder_cpu_percent is not None
        assert 0 < one.responder_cpu_percent < 130
    assert kept.throughput > closed.throughput


def test_several_load_processes_share_the_users() -> None:
    """One user can't be shared by two processes, so there is no ceiling for it."""
    kept, kept_open, *_ = found = list(ceilings(seconds=0.5, users=(1, 4), processes=2))
    assert [one.users for one in found] == [4] * 4
    assert {one.processes for one in found} == {2}
    assert min(kept.throughput, kept_open.throughput) > 50
