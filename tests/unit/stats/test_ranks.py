"""Known answers of the rank test and of the correction for several."""

import pytest

from benchsuite.stats.ranks import (
    FEWEST_STARTS,
    attained_level,
    holm,
    least_p,
    mann_whitney,
    starts_needed,
)


def test_five_against_five_wholly_apart() -> None:
    """One of the 252 ways to deal ten values is this extreme, on either side: 2 / 252."""
    found = mann_whitney([1, 2, 3, 4, 5], [6, 7, 8, 9, 10])
    assert found.p == pytest.approx(2 / 252)
    assert found.method == "exact"


def test_a_known_u() -> None:
    """[1, 2, 4] against [3, 5, 6]: U = 1, and 2 of the 20 ways give U ≤ 1 on one side."""
    assert mann_whitney([1, 2, 4], [3, 5, 6]).p == pytest.approx(4 / 20)


def test_three_against_three_can_never_be_significant() -> None:
    assert mann_whitney([1, 2, 3], [100, 200, 300]).p == pytest.approx(0.1)
    assert least_p(3, 3) == pytest.approx(0.1)


def test_ties_are_permuted_and_say_so() -> None:
    """[1, 1] against [1, 2]: the 2 lies on one of the sides in every way of dealing: p = 1."""
    found = mann_whitney([1, 1], [1, 2])
    assert (found.p, found.method) == (pytest.approx(1.0), "permutation")
    assert mann_whitney([7] * 5, [8] * 5).p == pytest.approx(2 / 252)
    assert mann_whitney([7] * 5, [7] * 5).p == 1.0


def test_many_ties_of_many_starts_are_permuted_at_random_but_repeatably() -> None:
    first, second = [1, 2, 3, 4] * 5, [2, 3, 4, 5] * 5
    found = mann_whitney(first, second)
    assert found == mann_whitney(first, second)
    assert 0.001 < found.p < 0.02


def test_order_and_side_do_not_matter() -> None:
    assert mann_whitney([3, 1, 2, 9, 5], [4, 8, 6, 7, 10]).p == pytest.approx(
        mann_whitney([10, 7, 6, 8, 4], [5, 9, 2, 1, 3]).p
    )


def test_very_many_starts_are_not_counted_out() -> None:
    assert mann_whitney(range(300), range(300, 600)).method == "asymptotic"


@pytest.mark.parametrize(
    ("values", "corrected"),
    [
        ([], []),
        ([0.03], [0.03]),
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),  # Holm 1979, by hand
        ([0.01, 0.02, 0.022], [0.03, 0.04, 0.04]),  # none smaller than the one before
        ([0.6, 0.5], [1.0, 1.0]),  # never above 1
    ],
)
def test_holm(values: list[float], corrected: list[float]) -> None:
    assert holm(values) == pytest.approx(corrected)


@pytest.mark.parametrize(("compared", "starts"), [(1, 5), (6, 5), (7, 6), (23, 6), (24, 7)])
def test_more_comparisons_need_more_starts(compared: int, starts: int) -> None:
    assert starts_needed(compared) == starts
    assert least_p(starts, starts) * compared <= 0.05
    assert starts == FEWEST_STARTS or least_p(starts - 1, starts - 1) * compared > 0.05


@pytest.mark.parametrize(
    ("first", "second", "level", "attained"),
    [
        (3, 3, 0.05, 0.0),  # nothing is that rare
        (5, 5, 0.05, 8 / 252),  # U = 0, 1, 2: 1 + 1 + 2 ways on either side
        (4, 6, 0.05, 8 / 210),
        (6, 4, 0.05, 8 / 210),
        (5, 5, 0.05 / 6, 2 / 252),
        (31, 31, 0.05, 0.05),
    ],
)
def test_few_starts_attain_few_levels(
    first: int, second: int, level: float, attained: float
) -> None:
    assert attained_level(first, second, level) == pytest.approx(attained)


def test_the_attained_level_is_one_that_the_test_gives() -> None:
    assert mann_whitney([1, 2, 3, 4, 7], [5, 6, 8, 9, 10]).p == attained_level(5, 5, 0.05)
