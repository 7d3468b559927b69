"""B106: what a second client may see of a page before it disagrees with the load."""

from dataclasses import replace

import numpy as np

from benchsuite.core.observations import Connection
from benchsuite.core.results import Distribution
from benchsuite.stats import histogram
from tests.unit.findings.clean import CLEAN, found, summary, words


def loaded(median_s=0.1, *, slow=0, **changes):
    """Of 1 000 requests so many took ten times as long."""
    times = np.full(1000, median_s)
    times[:slow] *= 10
    return summary(
        service_time=Distribution(
            count=1000,
            percentiles={50: float(np.median(times))},
            histogram=histogram.encode(histogram.of(times)),
        ),
        **changes,
    )


def alike(time_s, count=25, **changes):
    return (Connection(times_s=(time_s,), **changes),) * count


def told(**changes):
    """Findings of a run whose prober saw what is changed of the clean one's."""
    return found(probes=replace(CLEAN.probes, **changes))


def test_values(golden):
    golden.values(words)
