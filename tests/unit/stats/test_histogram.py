"""Histograms hold their precision, and merging them is counting everything at once."""

import base64
import zlib

import numpy as np
import pytest

from benchsuite.stats import histogram

PRECISION = 0.001
TIMES = np.random.default_rng(7).gamma(2.0, 0.05, 5000)


def value_at(counted, percent):
    return histogram.values_at(counted, (percent,))[percent]


def nearest_rank(seconds, percent):
    """The definition, word for word: the smallest value with that share at or below it."""
    ordered = sorted(seconds)
    for position, value in enumerate(ordered, start=1):
        if position * 100 >= percent * len(ordered) - 1e-6:
            return value
    return ordered[-1]


@pytest.mark.parametrize("count", [1, 2, 7, 20, 72, 73, 99, 100, 368])
@pytest.mark.parametrize("percent", [50, 75, 95, 99])
def test_the_rank_is_the_nearest_one_for_small_samples_too(count, percent):
    seconds = np.arange(1, count + 1) / 1000
    value = value_at(histogram.of(seconds), percent)
    assert value == pytest.approx(nearest_rank(seconds.tolist(), percent), rel=PRECISION)


@pytest.mark.parametrize("bits", range(1, 32))
def test_every_power_of_two_keeps_its_precision(bits):
    for microseconds in (2**bits - 1, 2**bits, 2**bits + 1):
        value = value_at(histogram.of(np.array([microseconds / 1e6])), 50)
        assert value * 1e6 == pytest.approx(microseconds, rel=PRECISION)


def test_a_count_of_any_size_survives():
    for bits in range(40):
        counted = np.array([0, 2**bits, 0, 0, 2**bits - 1, 2**bits + 1])
        assert histogram.decode(histogram.encode(counted)).tolist() == counted.tolist()


BY_HAND = np.array([0.001, 0.002, 0.002, 0.05, 3.0, 9000.0])
"""Below 2048 µs a step is a microsecond; 50 ms has 16 bits, of which 5 are dropped, 3 s has 22."""
FROM_THE_LIBRARY = "HISTFAAAADF4nJNpmSzMwMAgwAABzFCaEURcm7yEwf4DROA8P9NZfpaJnkw745i+LmZkAgDK6Qnn"
"""The same times as hdrhistogram 0.10.8 wrote them; results of the first version are stored so."""


def repacked(change, at):
    """The library's histogram with some of its unpacked bytes changed."""
    packed = base64.b64decode(FROM_THE_LIBRARY)
    plain = bytearray(zlib.decompress(packed[8:]))
    plain[at : at + len(change)] = change
    body = zlib.compress(bytes(plain))
    return base64.b64encode(packed[:4] + len(body).to_bytes(4, "big") + body).decode()


def test_values(golden):
    golden.values(raises=ValueError)
