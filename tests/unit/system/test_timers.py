"""A clock that rings when its moment has come, and not before."""

import select
from collections.abc import Iterator
from contextlib import closing
from time import monotonic

import pytest

from benchsuite.system.timers import TimerFd


@pytest.fixture
def bell() -> Iterator[TimerFd]:
    with closing(TimerFd()) as made:
        yield made


def rings(bell: TimerFd, wait_s: float = 0.0) -> bool:
    return bool(select.select([bell.file], [], [], wait_s)[0])


def test_it_rings_at_a_moment_that_has_passed(bell: TimerFd) -> None:
    bell.ring_at(monotonic() - 1)
    assert rings(bell, 5.0)
    bell.hush()
    assert not rings(bell)


def test_it_never_rings_early(bell: TimerFd) -> None:
    moment = monotonic() + 0.01
    bell.ring_at(moment)
    assert rings(bell, 5.0)
    assert monotonic() >= moment


def test_only_the_last_moment_counts(bell: TimerFd) -> None:
    bell.ring_at(monotonic() - 1)
    bell.ring_at(monotonic() + 60)
    assert not rings(bell)
    bell.hush()
