"""Sides of a few starts each against each other: ratio, interval, what may be said of them."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from benchsuite.core.metrics.metric import Scale
from benchsuite.stats.compare import Comparison, Outcome, compare, together

SLOW = [100.0, 101.0, 99.0, 102.0, 98.0]
FAST = [131.0, 129.0, 133.0, 130.0, 128.0]


def limits(found: Comparison) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def test_the_interval_is_the_widened_percentile_one() -> None:
    """From α/2 to Φ(t(α/2, ν) · se / se_plug-in), with Welch's ν (Hesterberg 2015)."""
    first, second = np.array([90.0, 100, 104, 106, 110]), np.array([95.0, 99, 101, 103, 107, 111])
    found = compare(first, second, confidence=0.9, seed=3)
    squares = [side.var(ddof=1) / side.mean() ** 2 / len(side) for side in (first, second)]
    freedom = sum(squares) ** 2 / (squares[0] ** 2 / 4 + squares[1] ** 2 / 5)
    plug_in = squares[0] * 4 / 5 + squares[1] * 5 / 6
    tail = stats.norm.cdf(stats.t.ppf(0.05, freedom) * math.sqrt(sum(squares) / plug_in))
    draw = np.random.default_rng(3)
    drawn = [side[draw.integers(0, len(side), (9999, len(side)))] for side in (first, second)]
    ratios = drawn[1].mean(axis=1) / drawn[0].mean(axis=1)
    low, high = np.quantile(ratios, [tail, 1 - tail])
    assert limits(found) == (pytest.approx(low, rel=0.002), pytest.approx(high, rel=0.002))
    assert (found.freedom, found.error) == (
        pytest.approx(freedom),
        pytest.approx(math.sqrt(sum(squares))),
    )


def test_a_clear_difference_is_shown() -> None:
    found = compare(SLOW, FAST)
    low, high = limits(found)
    assert found.value == pytest.approx(1.302)
    assert 1.26 < low < 1.302 < high < 1.34
    assert found.p == pytest.approx(2 / 252)
    assert (found.outcome, found.starts, found.p_method) == (Outcome.SHOWN, (5, 5), "exact")


def test_the_other_way_round_is_the_inverse() -> None:
    there, back = compare(SLOW, FAST), compare(FAST, SLOW)
    assert back.value == pytest.approx(1 / 1.302)
    assert limits(back) == pytest.approx([1 / end for end in reversed(limits(there))], rel=2e-3)
    assert back.outcome is Outcome.SHOWN


def test_nothing_but_noise_shows_nothing_and_says_what_would_have_been() -> None:
    found = compare(SLOW, [100.5, 99.5, 101.5, 98.5, 100.1])
    low, high = limits(found)
    assert low < 1 < high
    assert found.outcome is Outcome.NOT_SHOWN
    # standard deviations 1.58 and 1.11 of 100, five starts: error 0.864 %, ν = 7.2;
    # ranks attain 8 / 252, so t(0.984) = 2.66 and t(0.9) = 1.41; (2.66 + 1.41) × 0.864 / 0.977
    assert found.error == pytest.approx(0.00864, rel=0.01)
    assert found.freedom == pytest.approx(7.17, rel=0.01)
    assert found.detectable == pytest.approx(1.0367, rel=0.0001)


def test_the_interval_alone_is_not_enough() -> None:
    """Both must hold: the interval may exclude 1 where the ranks don't, and the other way."""
    clear = compare(SLOW, FAST)
    assert replace(clear, p_corrected=0.06).outcome is Outcome.NOT_SHOWN
    assert replace(clear, low=0.99).outcome is Outcome.NOT_SHOWN


@pytest.mark.parametrize("starts", [0, 1, 3, 4])
def test_too_few_starts_prove_nothing(starts: int) -> None:
    found = compare(SLOW[:starts], FAST)
    assert found.outcome is Outcome.TOO_FEW
    assert (found.low, found.high, found.p, found.detectable) == (None, None, None, None)
    assert found.starts_needed == 5
    assert (found.value is None) == (starts == 0)


def test_order_does_not_matter_and_a_seed_repeats() -> None:
    shuffler = random.Random(3)
    first, second = SLOW[:], FAST[:]
    shuffler.shuffle(first)
    shuffler.shuffle(second)
    assert compare(first, second) == compare(SLOW, FAST)
    assert compare(SLOW, FAST, seed=1) != compare(SLOW, FAST, seed=2)


def test_all_equal() -> None:
    same = compare([7.0] * 5, [7.0] * 6)
    assert (same.value, *limits(same), same.p) == (1, 1, 1, 1)
    assert same.outcome is Outcome.NOT_SHOWN
    assert same.detectable == 1


def test_no_spread_but_a_difference() -> None:
    found = compare([10.0] * 5, [11.0] * 5)
    assert (found.value, *limits(found)) == pytest.approx((1.1, 1.1, 1.1))
    assert (found.outcome, found.p_method) == (Outcome.SHOWN, "permutation")


def test_one_side_without_spread() -> None:
    low, high = limits(compare([10.0] * 5, SLOW))
    assert 9.5 < low < 10 < high < 10.5


def test_zeros_have_no_ratio_but_ranks() -> None:
    found = compare([0.0] * 5, SLOW)
    assert (found.value, found.low, found.outcome) == (None, None, Outcome.UNDEFINED)
    assert found.p == pytest.approx(2 / 252)
    assert found.detectable is None
    nearly = compare([0.0, 1.0, 2.0, 3.0, 4.0], SLOW)
    assert nearly.value == pytest.approx(50)
    assert nearly.outcome is Outcome.UNDEFINED


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -1.0])
def test_what_is_no_figure_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="finite and not negative"):
        compare([*SLOW, wrong], FAST)


def test_differences_of_shares() -> None:
    none = compare([0.0] * 5, [0.0] * 5, scale=Scale.DIFFERENCE)
    assert (none.value, *limits(none), none.outcome) == (0, 0, 0, Outcome.NOT_SHOWN)
    some = compare([0.0] * 5, [0.02, 0.025, 0.03, 0.02, 0.03], scale=Scale.DIFFERENCE)
    low, high = limits(some)
    assert some.value == pytest.approx(0.025)
    assert 0.015 < low < 0.025 < high < 0.035
    assert some.outcome is Outcome.SHOWN


def test_comparisons_made_together_are_corrected() -> None:
    three = together([compare(SLOW, FAST), compare(SLOW, SLOW), compare(SLOW, FAST)])
    assert [one.compared for one in three] == [3, 3, 3]
    assert [one.p_corrected for one in three] == pytest.approx([6 / 252, 1.0, 6 / 252])
    assert [one.p for one in three] == pytest.approx([2 / 252, 1.0, 2 / 252])
    assert three[0].outcome is Outcome.SHOWN


def test_what_has_too_few_starts_does_not_count_among_them() -> None:
    few, enough = together([compare(SLOW[:2], FAST), compare(SLOW, FAST)])
    assert (few.p_corrected, enough.compared) == (None, 1)


def test_seven_comparisons_of_five_starts_need_a_sixth() -> None:
    seven = together([compare(SLOW, FAST)] * 7)
    assert {one.outcome for one in seven} == {Outcome.TOO_FEW}
    assert seven[0].starts_needed == 6
    assert limits(seven[0]) == limits(compare(SLOW, FAST))


def test_more_comparisons_find_less() -> None:
    alone = compare(SLOW, FAST)
    four = together([alone] * 4)[0]
    assert alone.detectable is not None
    assert four.detectable is not None
    assert four.detectable > alone.detectable


def small(value: float, low: float, high: float, **given: float) -> Outcome:
    """What is said of this ratio and its interval with a margin of 1 %."""
    known = compare(SLOW, FAST)
    changed = {"margin": 0.01, "p_corrected": 0.008, **given}
    return replace(known, value=value, low=low, high=high, **changed).outcome


def test_what_is_there_and_tiny_is_too_small_to_matter() -> None:
    assert small(1.0015, 1.0005, 1.0026) is Outcome.TOO_SMALL
    assert small(0.9985, 0.9974, 0.9995) is Outcome.TOO_SMALL
    assert small(1.0015, 1.0005, 1.0026, margin=0.0) is Outcome.SHOWN
    assert small(1.02, 1.004, 1.04) is Outcome.SHOWN
    assert small(0.98, 0.96, 0.996) is Outcome.SHOWN


def test_an_interval_within_the_margin_holds_no_difference_that_matters() -> None:
    assert small(1.001, 0.995, 1.007, p_corrected=0.7) is Outcome.TOO_SMALL
    assert small(1.001, 0.985, 1.007, p_corrected=0.7) is Outcome.NOT_SHOWN
    assert small(1.001, 0.995, 1.007, p_corrected=0.7, margin=0.0) is Outcome.NOT_SHOWN


def test_a_ratio_and_its_reciprocal_have_the_same_margin() -> None:
    assert small(1 / 1.01, 0.98, 0.995) is small(1.01, 1.005, 1.02) is Outcome.TOO_SMALL


def test_shares_have_a_margin_in_points() -> None:
    found = compare([0.0] * 5, [0.0005] * 5, scale=Scale.DIFFERENCE, margin=0.001)
    assert found.outcome is Outcome.TOO_SMALL
    assert replace(found, margin=0.0004).outcome is Outcome.SHOWN


def test_no_smaller_difference_than_the_margin_is_promised() -> None:
    near = compare([100.0, 100.1, 99.9, 100.05, 99.95], [100.1, 99.9, 100.0, 99.95, 100.05])
    assert near.detectable is not None
    assert near.detectable < 1.005
    assert (replace(near, margin=0.01).detectable or 0) > 1.01


CASES = 150
STARTS = 6


@pytest.fixture(scope="module")
def drawn() -> list[tuple[list[float], list[float]]]:
    """Two sides of six starts with 2 % of noise, many times."""
    draw = random.Random(2015)

    def side() -> list[float]:
        return [math.exp(draw.gauss(0, 0.02)) for _ in range(STARTS)]

    return [(side(), side()) for _ in range(CASES)]


@pytest.mark.parametrize(("factor", "least", "most"), [(1.0, 0.0, 0.05), (1.05, 0.9, 1.0)])
def test_six_starts_tell_5_percent_and_no_difference_from_each_other(
    drawn: list[tuple[list[float], list[float]]],
    monkeypatch: pytest.MonkeyPatch,
    factor: float,
    least: float,
    most: float,
) -> None:
    """The same draws each time; `benchmarks.comparisons` has more of them."""
    monkeypatch.setattr("benchsuite.stats.compare.RESAMPLES", 999)
    shown = sum(
        compare(one, [factor * each for each in other], margin=0.01).outcome is Outcome.SHOWN
        for one, other in drawn
    )
    assert least <= shown / CASES <= most
