"""Stalls and starvation, seen in samples."""

import numpy as np

from benchsuite.core.samples import Kind
from benchsuite.stats import summary
from benchsuite.stats.signs import Traffic

WINDOW = (10.0, 20.0)


def samples(times, users=None):
    """One request each tenth of a second from second 9 on."""
    made = np.zeros(len(times), dtype=summary.DTYPE)
    made["start"] = made["intended_start"] = 9.0 + np.arange(len(times)) / 10
    made["finish"] = made["start"] + times
    if users is not None:
        made["user"] = users
    return made


def spanning(*spans, kind=Kind.OK):
    """One request of a user of its own for each begin and end."""
    made = samples([0.0] * len(spans), [*range(len(spans))])
    made["start"], made["finish"] = zip(*spans, strict=True)
    made["intended_start"], made["kind"] = made["start"], kind
    return made


def test_values(golden):
    golden.values()


def traffic(*spans):
    samples = np.zeros(len(spans), dtype=summary.DTYPE)
    samples["start"], samples["finish"] = zip(*spans, strict=True)
    return Traffic.of(samples)


LINE = traffic((2.0, 5.0), (0.0, 2.0), (1.0, 4.0))  # two of 2 s and one of 1 s, one after another
