"""How late what goes through a delay really is: queries, pages and single bytes against a clock."""

import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from statistics import median

import psycopg
import pytest

from benchsuite.delay.address import DelayedAddress, Direction
from tests.integration.delay_servers import connect, echo, receive, server, through
from tests.integration.postgres import Cluster, cluster
from tests.needs import needs

WITHIN_S = 0.002
DELAYS_S = (0.0, 0.1, 0.2)
TIMES = 15


def typical_s(act: Callable[[], object], times: int = TIMES) -> float:
    """The median of the seconds that it takes."""
    seconds = []
    for _ in range(times):
        began = time.monotonic()
        act()
        seconds.append(time.monotonic() - began)
    return median(seconds)


@pytest.fixture(scope="module")
def database() -> Iterator[Cluster]:
    with cluster() as one:
        yield one


def session(port: int) -> psycopg.Connection[tuple[object, ...]]:
    url = f"postgres://postgres@127.0.0.1:{port}/postgres?sslmode=disable"
    return psycopg.connect(url, autocommit=True, prepare_threshold=None)


@needs("postgresql", "psycopg")
@pytest.mark.parametrize("delay_s", DELAYS_S)
def test_query_is_late_by_the_delay(delay_s: float, database: Cluster, tmp_path: Path) -> None:
    with (
        through(("127.0.0.1", database.port), tmp_path, delay_s) as late,
        closing(session(late.port)) as delayed,
        closing(session(database.port)) as direct,
    ):
        truth_s = delay_s + typical_s(lambda: direct.execute("SELECT 1").fetchone())
        seen_s = typical_s(lambda: delayed.execute("SELECT 1").fetchone())
    assert seen_s == pytest.approx(truth_s, abs=WITHIN_S)


@needs("postgresql", "psycopg")
def test_new_connection_is_late_twice(database: Cluster, tmp_path: Path) -> None:
    """By its SYN, and by the first message; a page with a connection of its own pays for both."""
    with through(("127.0.0.1", database.port), tmp_path, 0.1) as late:
        direct_s = typical_s(lambda: session(database.port).close())
        delayed_s = typical_s(lambda: session(late.port).close(), 9)
    assert delayed_s == pytest.approx(0.2 + direct_s, abs=5 * WITHIN_S)


PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK"


def answer_pages(connection: socket.socket) -> None:
    waiting = b""
    while data := connection.recv(65536):
        waiting += data
        while b"\r\n\r\n" in waiting:
            _, _, waiting = waiting.partition(b"\r\n\r\n")
            connection.sendall(PAGE)


def ask(client: http.client.HTTPConnection) -> None:
    client.request("GET", "/")
    assert client.getresponse().read() == b"OK"


@pytest.mark.parametrize("delay_s", DELAYS_S)
def test_page_is_late_by_the_delay(delay_s: float, tmp_path: Path) -> None:
    with (
        server(answer_pages) as upstream,
        through(upstream, tmp_path, delay_s, "to_client") as late,
        closing(http.client.HTTPConnection(*upstream)) as direct,
        closing(http.client.HTTPConnection(late.host, late.port)) as delayed,
    ):
        ask(delayed)  # makes the connection
        truth_s = delay_s + typical_s(lambda: ask(direct))
        seen_s = typical_s(lambda: ask(delayed))
    assert seen_s == pytest.approx(truth_s, abs=WITHIN_S)


def test_page_on_a_new_connection_is_late_twice(tmp_path: Path) -> None:
    """By the answer to the SYN, and by the page."""

    def ask_anew() -> None:
        with closing(http.client.HTTPConnection(late.host, late.port)) as client:
            ask(client)

    with server(answer_pages) as upstream, through(upstream, tmp_path, 0.1, "to_client") as late:
        seen_s = typical_s(ask_anew)
    assert seen_s == pytest.approx(0.2, abs=2 * WITHIN_S)


@pytest.mark.parametrize(
    ("direction", "there_s", "back_s"), [("to_server", 0.1, 0.0), ("to_client", 0.0, 0.1)]
)
def test_the_other_direction_is_not_late(
    direction: Direction, there_s: float, back_s: float, tmp_path: Path
) -> None:
    arrived = []

    def note(connection: socket.socket) -> None:
        while connection.recv(1):
            arrived.append(time.monotonic())
            connection.sendall(b"y")

    there, back = [], []
    with (
        server(note) as upstream,
        through(upstream, tmp_path, 0.1, direction) as late,
        connect(late) as connection,
    ):
        for _ in range(TIMES):
            sent = time.monotonic()
            connection.sendall(b"x")
            receive(connection, 1)
            back.append(time.monotonic() - arrived[-1])
            there.append(arrived[-1] - sent)
    assert median(there) == pytest.approx(there_s, abs=WITHIN_S)
    assert median(back) == pytest.approx(back_s, abs=WITHIN_S)
    # The first byte had to wait until the connection would have been made.
    assert there[0] == pytest.approx(there_s + 0.1, abs=0.02)


def test_messages_that_do_not_wait_for_answers_keep_their_distances(tmp_path: Path) -> None:
    with (
        server(echo) as upstream,
        through(upstream, tmp_path, 0.2) as late,
        connect(late) as connection,
    ):
        connection.sendall(b"x")
        receive(connection, 1)
        sent: list[float] = []

        def send() -> None:
            for _ in range(50):
                sent.append(time.monotonic())
                connection.sendall(b"x")
                time.sleep(0.01)

        sending = threading.Thread(target=send)
        sending.start()
        arrived = []
        for _ in range(50):
            receive(connection, 1)
            arrived.append(time.monotonic())
        sending.join()
    late_s = [end - begin for begin, end in zip(sent, arrived, strict=True)]
    assert median(late_s) == pytest.approx(0.2, abs=WITHIN_S)


@pytest.mark.parametrize("direction", ["to_server", "to_client"])
def test_its_accuracy_is_measured_before_use(direction: Direction, tmp_path: Path) -> None:
    with through(("127.0.0.1", 9), tmp_path, 0.1, direction, measured=True) as late:
        _check_accuracy(late)


def _check_accuracy(late: DelayedAddress) -> None:
    found = late.accuracy
    assert found is not None
    assert found.median_error_s == pytest.approx(0.0, abs=WITHIN_S)
    assert found.median_error_s <= found.p99_error_s <= found.worst_error_s
    assert found.ceiling_per_s is not None
    assert 1000 < found.ceiling_per_s < 1_000_000
    assert late.to_json()["accuracy"] == found.to_json()
