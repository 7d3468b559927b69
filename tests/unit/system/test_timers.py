"""A clock that rings when its moment has come, and not before."""

import select
from collections.abc import Iterator
from contextlib import closing
from time import monotonic

import pytest

from benchsuite.system.timers import TimerFd


@pytest.fixture
def timer() -> Iterator[TimerFd]:
    with closing(TimerFd()) as made:
        yield made


def rings(timer: TimerFd, wait_s: float = 0.0) -> bool:
    return bool(select.select([timer.file], [], [], wait_s)[0])


def test_it_rings_at_a_moment_that_has_passed(timer: TimerFd) -> None:
    timer.arm(monotonic() - 1)
    assert rings(timer, 5.0)
    timer.clear()
    assert not rings(timer)


def test_it_never_rings_early(timer: TimerFd) -> None:
    moment = monotonic() + 0.01
    timer.arm(moment)
    assert rings(timer, 5.0)
    assert monotonic() >= moment


def test_only_the_last_moment_counts(timer: TimerFd) -> None:
    timer.arm(monotonic() - 1)
    timer.arm(monotonic() + 60)
    assert not rings(timer)
    timer.clear()
