"""Intervals of few starts: where they come from, and what has none."""

import math

import numpy as np
import pytest

from benchsuite.studies.intervals import (
    Counts,
    Interval,
    Kind,
    Scatter,
    Side,
    counts,
    dispersion,
    interval,
    scatter,
)

CALM = [[10.0, 10.1], [20.0, 20.3], [5.0, 5.02]]


def side(*figures: float, cells: list[list[float]] = CALM) -> Side:
    return Side(figures, scatter(cells))


def test_variances_of_cells_with_two_starts_and_logarithms_are_fitted():
    cells = [[1.0, math.e], [1.0, 1.0, 1.0], [3.0], [0.0, 1.0], [math.inf, 2.0]]
    of_all = scatter(cells)
    assert (of_all.cells, of_all.freedom) == (2, 3)
    assert scatter([[1.0], []]) == Scatter()


def test_the_fit_finds_the_law_that_variances_were_drawn_from():
    """Smyth's: scaled inverse χ² with 6 degrees of freedom around 0.04."""
    drawn = np.random.default_rng(5)
    variances = 0.04 * 6 / drawn.chisquare(6, 4000)
    cells = np.exp(np.sqrt(variances)[:, None] * drawn.standard_normal((4000, 3)))
    of_all = scatter(cells.tolist())
    assert of_all.variance == pytest.approx(0.04, rel=0.1)
    assert of_all.weight == pytest.approx(6, rel=0.25)


def test_cells_that_scatter_alike_share_one_variance():
    drawn = np.random.default_rng(1)
    of_all = scatter(np.exp(0.1 * drawn.standard_normal((300, 4))).tolist())
    moderated, freedom = of_all.moderated([0.0, 1.0])
    assert moderated < 0.1  # by itself 0.5
    assert freedom > 8


def test_a_moderated_variance_lies_between_its_own_and_the_typical_one():
    of_all = Scatter(10, 0.01, 3.0, 10)
    assert of_all.moderated([0.0, math.sqrt(0.08)]) == pytest.approx(((3 * 0.01 + 0.04) / 4, 4.0))
    assert Scatter(10, 0.01, math.inf, 10).moderated([0.0, 9.0]) == (0.01, 10)
    assert Scatter(2, 0.01, 90.0, 2).moderated([0.0, 1.0])[1] == 2  # no more than all cells have


def test_two_starts_a_side_get_welch_on_logarithms():
    of_all = Scatter(10, 0.01, math.inf, 10)
    found = interval(Kind.RATIO, Side([2.0, 2.0], of_all), Side([1.0, 1.0], of_all))
    half = 2.2281388 * 0.1  # t(0.975, 10) times √(0.01/2 + 0.01/2)
    assert (found.value, found.low, found.high) == pytest.approx(
        (2.0, 2 * math.exp(-half), 2 * math.exp(half))
    )
    assert found.method == "Welch on logarithms, variance moderated by 10 configurations"


def test_a_noisy_cell_neither_blinds_a_quiet_one_nor_is_flattered_by_it():
    cells = [[54.0, 54.2], [25.0, 25.1], [10.0, 60.0], [3.0, 11.0], [8.0, 8.1], [7.0, 7.05]]
    calm = interval(Kind.DIFFERENCE, side(54, 54.2, cells=cells), side(25, 25.1, cells=cells))
    wild = interval(Kind.RATIO, side(10, 60, cells=cells), side(8, 8.1, cells=cells))
    assert (calm.low or 0) > 20
    assert (calm.high or 99) < 38
    assert width(wild) > 1


def width(found: Interval) -> float:
    assert found.low is not None
    assert found.high is not None
    return math.log(found.high / found.low)


def test_more_confidence_is_a_wider_interval():
    sides = side(131.0, 129, 133, 130, 128), side(100.0, 101)
    assert width(interval(Kind.RATIO, *sides, confidence=0.999)) > width(
        interval(Kind.RATIO, *sides)
    )


@pytest.mark.parametrize("kind", list(Kind))
def test_intervals_hold_their_value(kind):
    other = None if kind is Kind.VALUE else side(3.0, 3.1)
    found = interval(kind, side(2.0, 2.1), other)
    assert found.low < found.value < found.high


def test_the_other_way_round_is_the_inverse():
    there = interval(Kind.RATIO, side(2.0, 2.1), side(3.0, 3.1))
    back = interval(Kind.RATIO, side(3.0, 3.1), side(2.0, 2.1))
    assert there.low == pytest.approx(1 / (back.high or 0))


@pytest.mark.parametrize(
    ("kind", "cell", "other", "reason"),
    [
        (Kind.RATIO, [], [1.0], "no run has the figure"),
        (Kind.RATIO, [1.0], [1.0, 2.0], "one run has no interval"),
        (Kind.RATIO, [1.0, 1.0], [0.0, 0.0], "it would be divided by 0"),
        (Kind.VALUE, [0.0, 1.0], None, "a run has 0, which has no logarithm"),
        (Kind.DIFFERENCE, [0.0, 1.0], [1.0, 1.0], "a run has 0, which has no logarithm"),
        (Kind.RATIO, [0.0, 1, 1, 1, 1], [1.0] * 5, "a run has 0, which has no logarithm"),
        (Kind.VALUE, [math.inf, 1.0], None, "a run has no limit there"),
    ],
)
def test_what_has_no_interval_says_why(kind, cell, other, reason):
    found = interval(kind, side(*cell), None if other is None else side(*other))
    assert (found.low, found.high) == (None, None)
    assert found.reason.startswith(reason)


def test_starts_that_are_all_alike():
    alike = [[2.0, 2.0], [1.0, 1.0]]
    found = interval(Kind.RATIO, side(2.0, 2.0, cells=alike), side(1.0, 1.0, cells=alike))
    assert (found.low, found.value, found.high) == pytest.approx((2.0, 2.0, 2.0))


def endless(*at_least: float) -> Side:
    return Side([math.inf] * len(at_least), scatter(CALM), at_least=at_least)


def test_what_has_no_limit_lies_beyond_what_was_tried_and_no_further():
    some, either = side(100.0, 101.0), side(1.0, math.inf)
    value = interval(Kind.VALUE, endless(500, 480))
    assert (value.value, value.low, value.high) == (math.inf, 480, math.inf)
    limits = interval(Kind.VALUE, some)
    assert limits.low is not None
    assert limits.high is not None
    beyond, below = (interval(Kind.RATIO, *one) for one in ((endless(480, 500), some),
                                                           (some, endless(480, 500))))  # fmt: skip
    assert (beyond.low, beyond.high) == (pytest.approx(480 / limits.high), math.inf)
    assert (below.low, below.high) == (0.0, pytest.approx(limits.high / 480))
    apart = interval(Kind.DIFFERENCE, some, endless(480, 500))
    assert (apart.low, apart.high) == (-math.inf, pytest.approx(limits.high - 480))
    for sides in ((endless(1, 1), endless(1, 1)), (either, some), (some, either),
                  (endless(), some), (side(math.inf, math.inf), some)):  # fmt: skip
        assert interval(Kind.RATIO, *sides).low is None


def failures(*counts: float, of: float = 1.0, apart: float = 1.0) -> Side:
    """Starts with so many failures, each of that many requests."""
    of_all = Scatter(counts=(Counts(0.0, apart, 1),))
    return Side([one / of for one in counts], of_all, [of] * len(counts))


def test_none_failed_of_so_many():
    share = interval(Kind.VALUE, failures(0, 0, of=6000))
    assert (share.value, share.low) == (0, 0)
    assert share.high == pytest.approx(3.6889 / 12000, rel=1e-4)
    starts = interval(Kind.VALUE, failures(0, 0))
    assert starts.high == pytest.approx(3.6889 / 2, rel=1e-4)
    assert interval(Kind.VALUE, failures(0, 0, 0, 0, 0)).high == pytest.approx(3.6889 / 5, rel=1e-4)
    assert interval(Kind.VALUE, failures(0)).reason == "one run has no interval"


def test_some_failed_in_some_starts():
    found = interval(Kind.VALUE, failures(0, 3))
    assert (found.value, found.low, found.high) == pytest.approx(
        (1.5, 0.02532 * 1.5, 5.5716 * 1.5), rel=1e-3
    )  # Garwood's of one event, as these lie three times as far apart as chance has it


def test_failures_that_lie_far_apart_say_less():
    calm, wild = (interval(Kind.VALUE, failures(0, 0, apart=one)) for one in (1.0, 10.0))
    assert wild.high == pytest.approx(10 * (calm.high or 0))
    bursts = interval(Kind.VALUE, failures(0, 40))
    few = interval(Kind.VALUE, failures(0, 1))
    assert (bursts.high or 0) / (bursts.value or 1) > 0.5 * (few.high or 0) / (few.value or 1)


def test_a_difference_of_failures():
    found = interval(Kind.DIFFERENCE, failures(0, 0), failures(0, 0))
    assert found.value == 0
    assert (found.low, found.high) == pytest.approx((-1.8444, 1.8444), rel=1e-3)
    more = interval(Kind.DIFFERENCE, failures(30, 30), failures(0, 0))
    assert 15 < more.low < 30
    assert interval(Kind.RATIO, failures(30, 30), failures(0, 0)).low is None


def test_the_ends_of_a_difference_are_as_far_as_those_of_its_sides_together():
    """By Zou and Donner: the lower end is as far as mine below and the other's above."""
    sides = failures(0, 60), failures(0, 12)
    mine, other = (interval(Kind.VALUE, one) for one in sides)
    found = interval(Kind.DIFFERENCE, *sides)
    ends = (mine.value, mine.low, mine.high, other.value, other.low, other.high)
    value, low, high, beside, least, most = (end for end in ends if end is not None)
    assert (found.value, found.low, found.high) == pytest.approx(
        (
            value - beside,
            value - beside - math.hypot(value - low, most - beside),
            value - beside + math.hypot(high - value, beside - least),
        )
    )


def test_few_failures_that_agree_are_not_believed_too_much():
    alike = Side([1.0, 1.0], scatter([[1.0, 1.0], [50.0, 50.0]]), [1.0, 1.0])
    found = interval(Kind.VALUE, alike)
    assert found.low < 0.4
    assert found.high > 2.5


def test_how_far_failures_lie_apart():
    assert dispersion(counts([([2.0, 4.0], [1, 1])])) == 1.0  # χ² of 2/3 with one degree
    assert dispersion(counts([([0.0, 8.0], [1, 1])])) == 8.0
    assert dispersion(counts([([0.0, 0.0], [1, 1]), ([0.0], [1]), ([5.0, 7.0], [])])) == 1.0
    assert dispersion(counts([([0.0, 0.008], [1000, 1000])])) == pytest.approx(8.0)


def test_cells_that_count_far_more_do_not_widen_counts_that_are_few():
    cells = [[22.0, 30.0], [0.0, 0.0], [2000.0, 3500.0]]
    of_all = scatter(cells, [[1.0, 1.0]] * 3)
    few, nothing = (Side(starts, of_all, [1.0, 1.0]) for starts in cells[:2])
    found = interval(Kind.DIFFERENCE, few, nothing)
    assert found.low is not None
    assert found.low > 1
