"""Which subscribers are slow, and which only unlucky."""

import pytest

from benchsuite.stats.broadcasts import slow_users
from tests.unit.stats.test_fanout import samples


def deliveries(*rows: tuple[int, float]) -> object:
    """(user, seconds), three of each."""
    return samples(*((user, 1.0, 1.0, 1.0 + took) for user, took in rows for _ in range(3)))


@pytest.mark.parametrize(
    ("rows", "slow"),
    [
        ([(0, 0.004), (1, 0.004), (2, 0.004)], []),
        ([(0, 0.004), (1, 0.012), (2, 0.003)], []),
        ([(0, 0.004), (1, 1.332), (2, 0.003)], [1]),
        ([(0, 0.004), (1, 1.332)], [1]),
        ([(0, 1.0), (1, 1.1), (2, 1.2)], []),
        ([(0, 0.100), (1, 0.490), (2, 0.100)], []),
        ([(5, 0.1)], []),
        ([], []),
    ],
)
def test_five_times_the_median_subscriber(rows: list[tuple[int, float]], slow: list[int]) -> None:
    assert list(slow_users(deliveries(*rows), samples())) == slow  # type: ignore[arg-type]


def test_who_gets_most_of_it_never_is_slow() -> None:
    got = samples((0, 1, 1, 1.1), (1, 1, 1, 1.1), (2, 1, 1, 1.1), (0, 2, 2, 2.1), (1, 2, 2, 2.1))
    lost = samples((2, 2, 2, 9), (2, 3, 3, 9))
    assert list(slow_users(got, lost)) == [2]
