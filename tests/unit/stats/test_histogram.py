"""Histograms hold their precision, and merging them is counting everything at once."""

import numpy as np
import pytest

from benchsuite.stats import histogram

PRECISION = 0.001
TIMES = np.random.default_rng(7).gamma(2.0, 0.05, 5000)


def nearest_rank(seconds: list[float], percent: float) -> float:
    """The definition, word for word: the smallest value with that share at or below it."""
    ordered = sorted(seconds)
    for position, value in enumerate(ordered, start=1):
        if position * 100 >= percent * len(ordered) - 1e-6:
            return value
    return ordered[-1]


@pytest.mark.parametrize("percent", [10, 50, 75, 90, 95, 99, 99.9, 100])
def test_percentiles_are_the_samples_themselves_to_three_digits(percent: float) -> None:
    counted = histogram.of(TIMES)
    assert histogram.value_at(counted, percent) == pytest.approx(
        nearest_rank(TIMES.tolist(), percent), rel=PRECISION
    )


@pytest.mark.parametrize("count", [1, 2, 7, 20, 72, 73, 99, 100, 368])
@pytest.mark.parametrize("percent", [50, 75, 95, 99])
def test_the_rank_is_the_nearest_one_for_small_samples_too(count: int, percent: float) -> None:
    seconds = np.arange(1, count + 1) / 1000
    value = histogram.value_at(histogram.of(seconds), percent)
    assert value == pytest.approx(nearest_rank(seconds.tolist(), percent), rel=PRECISION)


def test_several_percentiles_at_once_are_the_same() -> None:
    counted = histogram.of(TIMES)
    wanted = (99, 50, 95.5)
    assert histogram.values_at(counted, wanted) == {
        percent: histogram.value_at(counted, percent) for percent in wanted
    }


def test_an_empty_histogram_has_no_percentiles() -> None:
    assert histogram.of(np.array([])).get_total_count() == 0
    assert histogram.values_at(histogram.empty(), (50, 99)) == {}


def test_counting_equal_values_once_changes_nothing() -> None:
    one_by_one = histogram.empty()
    for microseconds in np.rint(TIMES * 1e6).astype(int).tolist():
        one_by_one.record_value(microseconds)
    counted = histogram.of(TIMES)
    percents = (1, 25, 50, 99, 99.99)
    assert histogram.values_at(counted, percents) == histogram.values_at(one_by_one, percents)
    assert counted.get_total_count() == len(TIMES)


@pytest.mark.parametrize("bits", range(1, 32))
def test_every_power_of_two_keeps_its_precision(bits: int) -> None:
    for microseconds in (2**bits - 1, 2**bits, 2**bits + 1):
        value = histogram.value_at(histogram.of(np.array([microseconds / 1e6])), 50)
        assert value * 1e6 == pytest.approx(microseconds, rel=PRECISION)


def test_what_is_out_of_range_counts_at_its_edge() -> None:
    counted = histogram.of(np.array([0.0, 1e-9, 4000.0]))
    assert counted.get_total_count() == 3
    assert histogram.value_at(counted, 1) == pytest.approx(1e-6)
    assert histogram.value_at(counted, 100) == pytest.approx(3600, rel=PRECISION)


def test_merging_is_counting_everything_at_once() -> None:
    parts = [histogram.encode(histogram.of(part)) for part in np.array_split(TIMES, 7)]
    merged, whole = histogram.merged(parts), histogram.of(TIMES)
    percents = (1, 50, 95, 99, 99.9, 100)
    assert merged.get_total_count() == len(TIMES)
    assert histogram.values_at(merged, percents) == histogram.values_at(whole, percents)


def test_merging_nothing_is_empty() -> None:
    assert histogram.merged([]).get_total_count() == 0


def test_the_text_form_is_lossless() -> None:
    counted = histogram.of(TIMES)
    decoded = histogram.decode(histogram.encode(counted))
    assert histogram.values_at(decoded, (1, 50, 99.9)) == histogram.values_at(
        counted, (1, 50, 99.9)
    )
    assert decoded.get_total_count() == counted.get_total_count()
