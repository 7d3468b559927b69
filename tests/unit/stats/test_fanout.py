"""Who of the subscribers got what, put together from samples."""

from typing import Any

import numpy as np

from benchsuite.core.samples import Kind
from benchsuite.stats.broadcasts import fan_out
from benchsuite.stats.summary import DTYPE


def samples(*rows: tuple[int, float, float, float]) -> Any:
    """(user, intended, start, finish)."""
    made = np.zeros(len(rows), DTYPE)
    for place, (user, intended, start, finish) in enumerate(rows):
        made[place]["user"] = user
        made[place]["intended_start"] = intended
        made[place]["start"] = start
        made[place]["finish"] = finish
    return made


OPENED = samples((0, 0, 0, 1.0), (1, 0, 0, 1.1), (2, 0, 0, 1.2))
NONE = samples()


def test_the_last_subscriber_is_the_one_that_counts() -> None:
    sent = samples((0, 1.9, 2.0, 2.01))
    got = samples((0, 1.9, 2.0, 2.1), (2, 1.9, 2.0, 2.7), (1, 1.9, 2.0, 2.3))
    whole, lost = fan_out(sent, got, OPENED, NONE)
    assert (whole["kind"], whole["intended_start"], whole["finish"]) == (Kind.OK, 1.9, 2.7)
    assert not len(lost)


def test_who_never_got_it_lost_it() -> None:
    sent = samples((0, 2.0, 2.0, 2.01), (0, 3.0, 3.0, 3.01))
    got = samples((0, 2.0, 2.0, 2.1), (0, 3.0, 3.0, 3.1), (1, 3.0, 3.0, 3.2), (2, 3.0, 3.0, 4.0))
    whole, lost = fan_out(sent, got, OPENED, NONE)
    assert list(whole["kind"]) == [Kind.LOST, Kind.OK]
    assert list(lost["user"]) == [1, 2]
    assert set(lost["kind"]) == {Kind.LOST}
    assert set(lost["intended_start"]) == {2.0}
    assert set(lost["finish"]) == {4.0}


def test_it_is_due_to_those_who_were_connected() -> None:
    """User 1 was not yet, user 2 no longer; user 0 came back."""
    opened = samples((0, 0, 0, 1.0), (1, 0, 0, 5.0), (2, 0, 0, 1.0), (0, 0, 0, 1.8))
    ended = samples((2, 1.5, 1.5, 1.5), (0, 1.4, 1.4, 1.4))
    sent = samples((0, 2.0, 2.0, 2.01))
    got = samples((0, 2.0, 2.0, 2.2))
    whole, lost = fan_out(sent, got, opened, ended)
    assert list(whole["kind"]) == [Kind.OK]
    assert not len(lost)


def test_a_connection_that_ended_under_way_lost_it() -> None:
    ended = samples((1, 2.05, 2.05, 2.05))
    sent = samples((0, 2.0, 2.0, 2.01))
    got = samples((0, 2.0, 2.0, 2.1), (2, 2.0, 2.0, 2.1))
    _, lost = fan_out(sent, got, OPENED, ended)
    assert list(lost["user"]) == [1]


def test_nothing_published_is_nothing_lost() -> None:
    whole, lost = fan_out(NONE, samples((0, 1, 1, 2)), OPENED, NONE)
    assert not len(whole)
    assert not len(lost)


def test_who_leaves_before_the_others_have_it_has_not_lost_it() -> None:
    sent = samples((0, 2.0, 2.0, 2.01))
    got = samples((0, 2.0, 2.0, 2.1), (2, 2.0, 2.0, 2.1))
    _, lost = fan_out(sent, got, OPENED, NONE, samples((1, 2.05, 2.05, 2.2)))
    assert not len(lost)
    _, lost = fan_out(sent, got, OPENED, NONE, samples((1, 2.15, 2.15, 2.2)))
    assert list(lost["user"]) == [1]
    cut_first = samples((1, 2.04, 2.04, 2.04))
    _, lost = fan_out(sent, got, OPENED, cut_first, samples((1, 2.05, 2.05, 2.2)))
    assert list(lost["user"]) == [1]
