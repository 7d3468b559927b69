"""The Universal Scalability Law: found where it holds, refused where it can't be told."""

import math

import numpy as np
import pytest

from benchsuite.stats.scalability import fitted

SPREAD = 0.03


def usl(cpus, contention=0.05, coherency=0.002):
    return 100 * cpus / (1 + contention * (cpus - 1) + coherency * cpus * (cpus - 1))


def starts(rate, seed, counts=(1, 2, 3, 4)):
    generator = np.random.default_rng(seed)
    return {
        cpus: list(math.log(rate(cpus)) + SPREAD * generator.standard_normal(6)) for cpus in counts
    }


@pytest.mark.parametrize(
    ("contention", "coherency"), [(0.05, 0.002), (0.0, 0.0), (0.2, 0.0), (0.0, 0.01)]
)
def test_intervals_hold_the_truth_in_95_of_100(contention, coherency):
    held, fits = np.zeros(3), 0
    for seed in range(100):
        found = fitted(starts(lambda cpus: usl(cpus, contention, coherency), seed))
        if isinstance(found, str):
            continue
        fits += 1
        truth = (contention, coherency, usl(8, contention, coherency))
        told = (found.contention, found.coherency, found.rates[7])
        held += [one.low <= true <= one.high for one, true in zip(told, truth, strict=True)]
    assert fits >= 93
    assert (held / fits >= 0.90).all(), (held, fits)


def test_values(golden):
    golden.values()
