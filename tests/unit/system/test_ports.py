"""Ports for several programs that are not started yet."""

from benchsuite.system.network import distinct


def test_no_port_is_given_twice_and_none_that_is_spoken_for() -> None:
    found = iter([8001, 8001, 8000, 8002, 8001, 8003])
    assert distinct(lambda: next(found), 3, besides=[8000]) == [8001, 8002, 8003]


def test_none_are_asked_for() -> None:
    assert distinct(lambda: 1, 0) == []
