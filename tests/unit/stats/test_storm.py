"""Connections that come back after all were cut."""

import pytest

from benchsuite.core.results import Recovery
from benchsuite.core.samples import Kind
from benchsuite.stats.messages import recovery, restarted
from tests.unit.stats.test_fanout import samples

CUT_S = 10.0
RAMP = [(user, 1.0, 1.0, 1.1) for user in range(4)]


def test_all_are_back_with_the_last() -> None:
    took = (0.2, 0.4, 0.3, 1.5)
    back = [(user, CUT_S, CUT_S, CUT_S + later) for user, later in enumerate(took)]
    found = recovery(samples(*RAMP, *back), CUT_S + 0.02)
    assert found is not None
    assert (found.cut, found.back, found.failed) == (4, 4, 0)
    assert found.half_back_s == pytest.approx(0.3)
    assert found.all_back_s == pytest.approx(1.5)


def test_who_is_refused_tries_again_and_some_are_never_back() -> None:
    tries = samples(
        *RAMP,
        (0, CUT_S, CUT_S, CUT_S + 0.1),
        (0, CUT_S + 1, CUT_S + 1, CUT_S + 1.2),
        (1, CUT_S, CUT_S, CUT_S + 0.1),
        (2, CUT_S, CUT_S, CUT_S + 0.4),
    )
    tries["kind"][[4, 6]] = Kind.HTTP_STATUS
    found = recovery(tries, CUT_S)
    assert found is not None
    assert (found.cut, found.back, found.failed) == (4, 2, 2)
    assert found.half_back_s == pytest.approx(1.2)
    assert found.all_back_s is None


def test_who_came_later_was_not_cut() -> None:
    assert recovery(samples((9, CUT_S, CUT_S, CUT_S + 1)), CUT_S) is None
    assert recovery(samples(*RAMP), CUT_S) == Recovery(cut=4, back=0, failed=0)


def test_after_a_restart_the_time_the_server_was_away_counts() -> None:
    refused = [(0, CUT_S + later, CUT_S + later, CUT_S + later) for later in (0.1, 0.2)]
    back = [(user, CUT_S + 1, CUT_S + 1, CUT_S + 1.5) for user in range(4)]
    tries = samples(*RAMP, *refused, *back)
    tries["kind"][[4, 5]] = Kind.CONNECT_REFUSED
    ended = samples(*((user, 1.1, 1.1, CUT_S + 0.1) for user in range(3)))
    ended["kind"] = (Kind.RESET, Kind.WEBSOCKET_CLOSED, Kind.RESET)
    found = restarted(tries, ended, (CUT_S, CUT_S + 0.9))
    assert found is not None
    assert (found.cut, found.back, found.failed, found.unclosed) == (4, 4, 2, 2)
    assert found.away_s == pytest.approx(0.9)
    assert found.all_back_s == pytest.approx(1.5)


def test_who_is_cut_twice_is_back_with_the_last() -> None:
    tries = samples((0, 1.0, 1.0, 1.1), (0, CUT_S, CUT_S, CUT_S + 0.01), (0, 11.0, 11.0, 11.1))
    ended = samples((0, 1.1, 1.1, CUT_S), (0, CUT_S, CUT_S, CUT_S + 0.2))
    ended["kind"] = Kind.WEBSOCKET_CLOSED
    found = restarted(tries, ended, (CUT_S, 10.9))
    assert found is not None
    assert (found.cut, found.back, found.unclosed) == (1, 1, 0)
    assert found.half_back_s == found.all_back_s == pytest.approx(1.1)
