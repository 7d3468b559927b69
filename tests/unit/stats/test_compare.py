"""Sides of a few starts each against each other: ratio, interval, what may be said of them."""

import math
import random
from dataclasses import replace

import pytest

from benchsuite.stats.compare import Outcome, compare

SLOW = [100.0, 101.0, 99.0, 102.0, 98.0]
FAST = [131.0, 129.0, 133.0, 130.0, 128.0]


def limits(found):
    return found.low, found.high


def small(value, low, high, **given):
    """What is said of this ratio and its interval with a margin of 1 %."""
    known = compare(SLOW, FAST)
    changed = {"margin": 0.01, "p_corrected": 0.008, **given}
    return replace(known, value=value, low=low, high=high, **changed).outcome


CASES = 150
STARTS = 6


@pytest.fixture(scope="module")
def drawn():
    """Two sides of six starts with 2 % of noise, many times."""
    draw = random.Random(2015)

    def side():
        return [math.exp(draw.gauss(0, 0.02)) for _ in range(STARTS)]

    return [(side(), side()) for _ in range(CASES)]


@pytest.mark.parametrize(("factor", "least", "most"), [(1.0, 0.0, 0.05), (1.05, 0.9, 1.0)])
def test_six_starts_tell_5_percent_and_no_difference_from_each_other(
    drawn, monkeypatch, factor, least, most
):
    """The same draws each time; `benchmarks.comparisons` has more of them."""
    monkeypatch.setattr("benchsuite.stats.compare.RESAMPLES", 999)
    shown = sum(
        compare(one, [factor * each for each in other], margin=0.01).outcome is Outcome.SHOWN
        for one, other in drawn
    )
    assert least <= shown / CASES <= most


def test_values(golden):
    golden.values(raises=ValueError)


def test_ranks(golden):
    golden.values()
