"""When a sample is large enough for a percentile."""

import pytest

from benchsuite.stats.percentiles import RISK, samples_needed


@pytest.mark.parametrize(("percent", "samples"), [(50, 6), (90, 36), (95, 72), (99, 368)])
def test_samples_needed(percent: float, samples: int) -> None:
    assert samples_needed(percent) == samples


def test_p99_9_needs_thousands() -> None:
    assert samples_needed(99.9) == 3688


@pytest.mark.parametrize("percent", [50, 75, 90, 95, 99, 99.9])
def test_it_is_the_smallest_number_that_keeps_the_risk(percent: float) -> None:
    needed = samples_needed(percent)
    assert (percent / 100) ** needed <= RISK < (percent / 100) ** (needed - 1)
