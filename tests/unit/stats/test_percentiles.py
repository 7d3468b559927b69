"""When a sample is large enough for a percentile."""

import pytest

from benchsuite.stats.summary import RISK, median_interval, samples_needed


@pytest.mark.parametrize(("percent", "samples"), [(50, 6), (90, 36), (95, 72), (99, 368)])
def test_samples_needed(percent, samples):
    assert samples_needed(percent) == samples


def test_p99_9_needs_thousands():
    assert samples_needed(99.9) == 3688


@pytest.mark.parametrize("percent", [50, 75, 90, 95, 99, 99.9])
def test_it_is_the_smallest_number_that_keeps_the_risk(percent):
    needed = samples_needed(percent)
    assert (percent / 100) ** needed <= RISK < (percent / 100) ** (needed - 1)


@pytest.mark.parametrize(
    ("count", "low", "high"), [(1, 1, 1), (5, 1, 5), (6, 1, 6), (20, 6, 15), (50, 18, 33)]
)
def test_the_interval_of_the_median_is_that_of_the_sign_test(count, low, high):
    """For 20 values of which each is above the median by a fair coin: the 6th to the 15th."""
    assert median_interval(list(range(count, 0, -1))) == (low, high)
