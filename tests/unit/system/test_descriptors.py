"""Open files are asked for before they are missed."""

import resource

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.system import network


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """A session that may have 1024 open files, and 4096 when it asks; what was set since."""
    limits = [(1024, 4096)]
    monkeypatch.setattr(resource, "getrlimit", lambda which: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda which, pair: limits.append(pair))
    return limits


def test_each_connection_takes_one_and_two_at_a_front() -> None:
    assert network.descriptors_needed(2000) == 2256
    assert network.descriptors_needed(2000, ends=2) == 4256


def test_too_many_are_refused_with_the_limit_and_the_way_out(limits: object) -> None:
    network.check_descriptors(4032)
    with pytest.raises(UsageError) as raised:
        network.check_descriptors(5000)
    words = str(raised.value)
    assert "5000 connections need up to 5256 open files" in words
    assert "is limited to 4096" in words
    assert "ulimit -n 5256" in words


def test_the_soft_limit_is_raised_for_a_while(limits: list[tuple[int, int]]) -> None:
    with network.descriptors_raised(2256) as words:
        assert limits[-1] == (2256, 4096)
        assert words == "2256 open files a process instead of 1024"
    assert limits[-1] == (1024, 4096)


def test_what_suffices_is_left_alone(limits: list[tuple[int, int]]) -> None:
    with network.descriptors_raised(500) as words:
        assert words == ""
    assert limits == [(1024, 4096)]


def test_more_than_the_hard_limit_is_not_asked_for(limits: list[tuple[int, int]]) -> None:
    with network.descriptors_raised(10_000):
        assert limits[-1] == (4096, 4096)
