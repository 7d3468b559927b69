"""What requests met, from moments that are known."""

import numpy as np

from benchsuite.stats import summary
from benchsuite.stats.signs import Traffic


def traffic(*spans: tuple[float, float]) -> Traffic:
    samples = np.zeros(len(spans), dtype=summary.DTYPE)
    samples["start"], samples["finish"] = zip(*spans, strict=True)
    return Traffic.of(samples)


LINE = traffic((2.0, 5.0), (0.0, 2.0), (1.0, 4.0))  # two of 2 s and one of 1 s, one after another


def test_values(golden):
    golden.values()
