"""Messages and connections are counted exactly."""

from typing import Any

import numpy as np
import pytest

from benchsuite.core.samples import CONNECTION, HANDSHAKE, MESSAGE, STRAY, UNSOLICITED, Kind
from benchsuite.stats.messages import accounts
from benchsuite.stats.summary import DTYPE, intervals

WINDOW = (10.0, 20.0)


def samples(*rows: tuple[Kind, float, int]) -> Any:
    """(kind, moment, body bytes)."""
    made = np.zeros(len(rows), DTYPE)
    for place, (kind, moment, length) in enumerate(rows):
        made[place]["kind"] = kind
        made[place]["intended_start"] = made[place]["start"] = made[place]["finish"] = moment
        made[place]["body_bytes"] = length
    return made


def counted(**by_scope: Any) -> Any:
    scopes = {
        MESSAGE: "messages",
        STRAY: "strays",
        UNSOLICITED: "unsolicited",
        HANDSHAKE: "handshakes",
        CONNECTION: "connections",
    }
    given = {scope: by_scope.get(name, samples()) for scope, name in scopes.items()}
    return accounts(given, WINDOW, ())


@pytest.mark.parametrize(
    ("kind", "length", "lost"),
    [
        (Kind.OK, 32, 0),
        (Kind.READ_TIMEOUT, 32, 1),
        (Kind.RESET, 32, 1),
        (Kind.WEBSOCKET_CLOSED, 32, 1),
        (Kind.WEBSOCKET_CLOSED, 0, 0),
        (Kind.PROTOCOL, 32, 1),
        (Kind.CORRUPT, 32, 0),
        (Kind.UNFINISHED, 0, 1),
        (Kind.LOST, 0, 1),
    ],
)
def test_what_was_sent_and_never_came_back_is_lost(kind: Kind, length: int, lost: int) -> None:
    found = counted(messages=samples((kind, 11.0, length)))
    assert (found.messages, found.lost, found.corrupt) == (1, lost, kind is Kind.CORRUPT)


def test_strays_are_counted_by_kind_and_endings_by_code() -> None:
    found = counted(
        strays=samples(
            (Kind.DUPLICATED, 12, 32),
            (Kind.DUPLICATED, 13, 32),
            (Kind.REORDERED, 13, 32),
            (Kind.CORRUPT, 13, 32),
            (Kind.MISDIRECTED, 13, 32),
        ),
        connections=samples(
            (Kind.WEBSOCKET_CLOSED, 14, 1011),
            (Kind.WEBSOCKET_CLOSED, 15, 1011),
            (Kind.RESET, 15, 1006),
            (Kind.UNFINISHED, 15, 0),
            (Kind.OK, 15, 0),
        ),
    )
    assert (found.duplicated, found.reordered, found.corrupt, found.misdirected) == (2, 1, 1, 1)
    assert found.strays == 5
    assert (found.handshakes, found.closed_early, found.closings_failed) == (5, 3, 1)
    assert found.closes == {1006: 1, 1011: 2}


def test_our_own_close_code_is_not_the_servers() -> None:
    found = counted(
        connections=samples(
            (Kind.PROTOCOL, 14, 1002), (Kind.PROTOCOL, 14, 1008), (Kind.RESET, 15, 1006)
        )
    )
    assert (found.closed_early, found.broken) == (1, 2)
    assert found.closes == {1006: 1}


def spans(*rows: tuple[Kind, float, float]) -> Any:
    """(kind, begin, end)."""
    made = samples(*((kind, begin, 1006) for kind, begin, _ in rows))
    made["finish"] = [end for _, _, end in rows]
    return made


LIVES = [(8, 9), (8, 11), (8, 30), (12, 13), (19, 25), (20.5, 21)]


def test_connections_and_how_they_ended_are_of_one_population() -> None:
    found = counted(
        connections=spans(*((Kind.RESET, *life) for life in LIVES)),
        handshakes=spans((Kind.HTTP_STATUS, 2, 3), (Kind.HTTP_STATUS, 12, 13)),
    )
    assert (found.handshakes, found.closed_early, found.handshakes_failed) == (6, 5, 1)


def test_what_existed_only_between_two_stages_is_of_none() -> None:
    given = {scope: samples() for scope in (MESSAGE, STRAY, UNSOLICITED, HANDSHAKE)}
    held = spans((Kind.RESET, 13, 14), (Kind.RESET, 13, 16), (Kind.RESET, 11, 14))
    found = accounts({**given, CONNECTION: held}, WINDOW, ((12.0, 15.0),))
    assert (found.handshakes, found.closed_early) == (2, 2)


def test_a_copy_is_of_the_window_of_its_message() -> None:
    copies = spans((Kind.DUPLICATED, 9.9, 10.1), (Kind.DUPLICATED, 19.9, 20.3))
    assert counted(strays=copies).duplicated == 1


def test_what_the_server_says_by_itself_is_no_stray() -> None:
    found = counted(
        messages=samples((Kind.OK, 11.0, 32)),
        unsolicited=samples((Kind.OK, 9.0, 5), (Kind.OK, 12.0, 7), (Kind.OK, 13.0, 8)),
    )
    assert (found.unsolicited, found.unsolicited_bytes) == (2, 15)
    assert (found.strays, found.lost, found.corrupt) == (0, 0, 0)


def test_what_lies_outside_of_the_window_is_not_counted() -> None:
    found = counted(
        messages=samples((Kind.LOST, 9.9, 0), (Kind.LOST, 20.0, 0)),
        strays=samples((Kind.DUPLICATED, 9.9, 1), (Kind.DUPLICATED, 20.0, 1)),
        connections=samples((Kind.RESET, 9.9, 1006), (Kind.UNFINISHED, 9.9, 0)),
    )
    assert (found.messages, found.lost, found.strays, found.closed_early) == (0, 0, 0, 0)
    assert (found.handshakes, found.handshakes_failed, found.closings_failed) == (0, 0, 0)


def test_where_all_connected_before_the_window_it_is_told_who_could_not() -> None:
    found = counted(
        connections=spans((Kind.OK, 2, 30)),
        handshakes=samples((Kind.OK, 1, 0), (Kind.HTTP_STATUS, 2, 0)),
    )
    assert (found.handshakes, found.handshakes_failed) == (2, 1)


def test_each_second_knows_its_connections_and_strays() -> None:
    found = list(
        intervals(
            samples((Kind.OK, 0.5, 1), (Kind.OK, 2.5, 1)),
            origin=0.0,
            window=(0.0, 3.0),
            connections=[(0.2, 5), (1.1, 7)],
            strays=samples((Kind.DUPLICATED, 1.5, 1), (Kind.RESET, 1.6, 1006)),
        )
    )
    assert [one.connections for one in found] == [5, 7, 7]
    assert [one.strays for one in found] == [0, 1, 0]
    assert [one.closed for one in found] == [0, 1, 0]


def test_seconds_without_websockets_know_of_none() -> None:
    found = list(intervals(samples((Kind.OK, 0.5, 1)), origin=0.0, window=(0.0, 1.0)))
    assert [(one.connections, one.strays, one.closed) for one in found] == [(None, None, None)]


def test_connections_that_say_nothing_have_seconds_too() -> None:
    found = list(
        intervals(samples(), origin=0.0, window=(0.0, 2.0), connections=[(0.5, 3), (1.5, 4)])
    )
    assert [(one.second, one.successes, one.connections) for one in found] == [(0, 0, 3), (1, 0, 4)]
