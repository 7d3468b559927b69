"""How late what goes through a delay really is: queries, pages and single bytes against a clock."""

import http.client
import threading
import time
from contextlib import closing
from statistics import median

import pytest

from tests.integration.listening import connect, echo, receive, seconds_of, server, talking, through

pytestmark = pytest.mark.alone

WITHIN_S = 0.002
LATE_S = 0.06
DELAYS_S = (0.0, LATE_S, 2 * LATE_S)
TIMES = 11


def typical_s(act):
    return median(seconds_of(act, TIMES))


def check(seen_s, truth_s, within_s=WITHIN_S):
    """Tries three times: another program on the machine makes all things late for a moment."""
    for _ in range(3):
        seen = seen_s()
        if abs(seen - truth_s) <= within_s:
            return
    assert seen == pytest.approx(truth_s, abs=within_s)


PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK"


def answer_pages(connection):
    waiting = b""
    while data := connection.recv(65536):
        waiting += data
        while b"\r\n\r\n" in waiting:
            _, _, waiting = waiting.partition(b"\r\n\r\n")
            connection.sendall(PAGE)


def ask(client):
    client.request("GET", "/")
    assert client.getresponse().read() == b"OK"


@pytest.mark.parametrize("delay_s", DELAYS_S)
def test_page_is_late_by_the_delay(delay_s, tmp_path):
    with (
        server(answer_pages) as upstream,
        through(upstream, tmp_path, delay_s, "to_client") as late,
        closing(http.client.HTTPConnection(*upstream)) as direct,
        closing(http.client.HTTPConnection(late.host, late.port)) as delayed,
    ):
        ask(delayed)  # makes the connection
        check(lambda: typical_s(lambda: ask(delayed)) - typical_s(lambda: ask(direct)), delay_s)


def test_page_on_a_new_connection_is_late_twice(tmp_path):
    """By the answer to the SYN, and by the page."""

    def ask_anew():
        with closing(http.client.HTTPConnection(late.host, late.port)) as client:
            ask(client)

    with server(answer_pages) as upstream, through(upstream, tmp_path, LATE_S, "to_client") as late:
        check(lambda: typical_s(ask_anew), 2 * LATE_S, 2 * WITHIN_S)


@pytest.mark.parametrize(
    ("direction", "there_s", "back_s"), [("to_server", LATE_S, 0.0), ("to_client", 0.0, LATE_S)]
)
def test_the_other_direction_is_not_late(direction, there_s, back_s, tmp_path):
    arrived = []

    def note(connection):
        while connection.recv(1):
            arrived.append(time.monotonic())
            connection.sendall(b"y")

    def turn(connection):
        """Seconds there and back."""
        sent = time.monotonic()
        connection.sendall(b"x")
        receive(connection, 1)
        return arrived[-1] - sent, time.monotonic() - arrived[-1]

    def first_s():
        """From the begin of a connection until its first byte is there: it has to wait until the
        connection would have been made.
        """
        began = time.monotonic()
        with connect(late) as connection:
            turn(connection)
        return arrived[-1] - began

    with server(note) as upstream, through(upstream, tmp_path, LATE_S, direction) as late:
        check(lambda: median(first_s() for _ in range(TIMES)), there_s + LATE_S, 2 * WITHIN_S)
        with connect(late) as connection:
            turn(connection)
            check(lambda: median(turn(connection)[0] for _ in range(TIMES)), there_s)
            check(lambda: median(turn(connection)[1] for _ in range(TIMES)), back_s)


def test_messages_that_do_not_wait_for_answers_keep_their_distances(tmp_path):
    with talking(echo, tmp_path, 0.2) as connection:
        connection.sendall(b"x")
        receive(connection, 1)
        check(lambda: _typical_of_a_burst(connection), 0.2)


def _typical_of_a_burst(connection):
    """Sends messages without waiting for answers; the median of their round trips."""
    sent: list[float] = []

    def send():
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
    return median(end - begin for begin, end in zip(sent, arrived, strict=True))
