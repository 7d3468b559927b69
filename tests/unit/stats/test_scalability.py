"""The Universal Scalability Law: found where it holds, refused where it can't be told."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from benchsuite.stats.scalability import Law, NoLaw, fitted

SPREAD = 0.03


def usl(cpus: int, contention: float = 0.05, coherency: float = 0.002) -> float:
    return 100 * cpus / (1 + contention * (cpus - 1) + coherency * cpus * (cpus - 1))


def starts(
    rate: Callable[[int], float], seed: int, counts: tuple[int, ...] = (1, 2, 3, 4)
) -> dict[int, list[float]]:
    generator = np.random.default_rng(seed)
    return {
        cpus: list(math.log(rate(cpus)) + SPREAD * generator.standard_normal(6)) for cpus in counts
    }


@pytest.mark.parametrize(
    ("contention", "coherency"), [(0.05, 0.002), (0.0, 0.0), (0.2, 0.0), (0.0, 0.01)]
)
def test_intervals_hold_the_truth_in_95_of_100(contention: float, coherency: float) -> None:
    held, fits = np.zeros(3), 0
    for seed in range(100):
        found = fitted(starts(lambda cpus: usl(cpus, contention, coherency), seed))
        if isinstance(found, NoLaw):
            continue
        fits += 1
        truth = (contention, coherency, usl(8, contention, coherency))
        told = (found.contention, found.coherency, found.rates[7])
        held += [one.low <= true <= one.high for one, true in zip(told, truth, strict=True)]
    assert fits >= 93
    assert (held / fits >= 0.90).all(), (held, fits)


def test_what_starts_show_exactly_is_found_exactly() -> None:
    found = fitted({cpus: [math.log(usl(cpus))] * 5 for cpus in (1, 2, 4, 8)})
    assert isinstance(found, Law)
    assert found.contention.value == pytest.approx(0.05)
    assert found.coherency.value == pytest.approx(0.002)
    assert found.measured == (1, 2, 4, 8)
    assert [one.value for one in found.rates] == pytest.approx([usl(n) for n in range(1, 17)])


@pytest.mark.parametrize("wall", [180.0, 260.0])
def test_a_hard_wall_is_no_law(wall: float) -> None:
    """A database that gives out: no curve through what lies below the wall and at it."""
    found = [fitted(starts(lambda cpus: min(95.0 * cpus, wall), seed)) for seed in range(40)]
    refused = [one for one in found if isinstance(one, NoLaw)]
    assert len(refused) >= 38
    assert sum("don't follow the Universal Scalability Law" in one.why for one in refused) >= 30


def test_a_wall_that_only_the_last_number_meets_is_mostly_seen() -> None:
    """There CPUs would hold 380/s: a tenth less is more than this law can bend."""
    found = [fitted(starts(lambda cpus: min(95.0 * cpus, 340.0), seed)) for seed in range(40)]
    assert sum(isinstance(one, NoLaw) for one in found) >= 26


def test_capacity_that_grows_faster_than_cpus_is_no_law() -> None:
    found = fitted(starts(lambda cpus: 80.0 * cpus**1.3, seed=1))
    assert isinstance(found, NoLaw)


def test_three_numbers_of_cpus_or_two_starts_are_too_few() -> None:
    three = fitted(starts(usl, 1, (1, 2, 4)))
    assert three == NoLaw(
        "it takes 4 numbers of CPUs with 3 starts or more at each, and there are 3"
    )
    short = {cpus: logs[:2] for cpus, logs in starts(usl, 1).items()}
    assert isinstance(fitted(short | {8: [1.0, 1.1, 1.2]}), NoLaw)


def test_starts_that_differ_too_much_say_nothing_of_twice_as_many() -> None:
    generator = np.random.default_rng(3)
    noisy = {n: list(math.log(usl(n)) + 0.25 * generator.standard_normal(6)) for n in (1, 2, 3, 4)}
    found = fitted(noisy)
    assert isinstance(found, NoLaw)
    assert "starts differ too much: on 8 CPUs anything from" in found.why
