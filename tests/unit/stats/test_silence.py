"""How long connections had been silent when they were cut."""

import pytest

from benchsuite.core.samples import Kind
from benchsuite.stats.messages import silence
from tests.unit.stats.test_messages import samples


def test_it_lasts_from_what_came_last_on_a_users_connections():
    heard = samples(
        (Kind.OK, 1.0, 0), (Kind.OK, 4.0, 0), (Kind.READ_TIMEOUT, 8.0, 0), (Kind.OK, 9.5, 0)
    )
    ends = samples((Kind.RESET, 9.0, 1006), (Kind.WEBSOCKET_CLOSED, 9.0, 1011))
    assert silence(ends, heard) == pytest.approx(5.0)


def test_nothing_is_known_where_nobody_was_cut():
    heard = samples((Kind.OK, 1.0, 0))
    assert silence(samples((Kind.WEBSOCKET_CLOSED, 9.0, 1011)), heard) is None
    assert silence(samples((Kind.RESET, 0.5, 1006)), heard) is None
