"""Histograms hold their precision, and merging them is counting everything at once."""

import base64
import zlib

import numpy as np
import pytest

from benchsuite.stats import histogram

PRECISION = 0.001
TIMES = np.random.default_rng(7).gamma(2.0, 0.05, 5000)


def value_at(counted: histogram.Histogram, percent: float) -> float:
    return histogram.values_at(counted, (percent,))[percent]


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
    assert value_at(counted, percent) == pytest.approx(
        nearest_rank(TIMES.tolist(), percent), rel=PRECISION
    )


@pytest.mark.parametrize("count", [1, 2, 7, 20, 72, 73, 99, 100, 368])
@pytest.mark.parametrize("percent", [50, 75, 95, 99])
def test_the_rank_is_the_nearest_one_for_small_samples_too(count: int, percent: float) -> None:
    seconds = np.arange(1, count + 1) / 1000
    value = value_at(histogram.of(seconds), percent)
    assert value == pytest.approx(nearest_rank(seconds.tolist(), percent), rel=PRECISION)


def test_percentile_0_is_no_more_than_the_least() -> None:
    counted = histogram.of(np.array([0.05, 3.0]))
    assert histogram.values_at(counted, (0, 1)) == pytest.approx(
        {0: 50_000 // 32 * 32e-6, 1: 0.050015}
    )


def test_several_percentiles_at_once_are_the_same() -> None:
    counted = histogram.of(TIMES)
    wanted = (99, 50, 95.5)
    assert histogram.values_at(counted, wanted) == {
        percent: value_at(counted, percent) for percent in wanted
    }


def test_an_empty_histogram_has_no_percentiles() -> None:
    assert histogram.size(histogram.of(np.array([]))) == 0
    assert histogram.values_at(histogram.empty(), (50, 99)) == {}


def test_the_share_above_a_time_is_counted() -> None:
    text = histogram.encode(histogram.of(np.array([0.001, 0.002, 0.002, 0.05, 3.0])))
    assert histogram.share_above(text, 0.002) == pytest.approx(0.4)
    assert histogram.share_above(text, 3.1) == 0
    assert histogram.share_above(text, 0) == 1
    assert histogram.share_above(histogram.encode(histogram.empty()), 1) is None
    assert histogram.share_above("", 1) is None


@pytest.mark.parametrize("bits", range(1, 32))
def test_every_power_of_two_keeps_its_precision(bits: int) -> None:
    for microseconds in (2**bits - 1, 2**bits, 2**bits + 1):
        value = value_at(histogram.of(np.array([microseconds / 1e6])), 50)
        assert value * 1e6 == pytest.approx(microseconds, rel=PRECISION)


def test_what_is_out_of_range_counts_at_its_edge() -> None:
    counted = histogram.of(np.array([0.0, 1e-9, 4000.0]))
    assert histogram.size(counted) == 3
    assert value_at(counted, 1) == pytest.approx(1e-6)
    assert value_at(counted, 100) == pytest.approx(3600, rel=PRECISION)


def test_merging_is_counting_everything_at_once() -> None:
    parts = [histogram.encode(histogram.of(part)) for part in np.array_split(TIMES, 7)]
    merged, whole = histogram.merged(parts), histogram.of(TIMES)
    percents = (1, 50, 95, 99, 99.9, 100)
    assert histogram.size(merged) == len(TIMES)
    assert histogram.values_at(merged, percents) == histogram.values_at(whole, percents)


def test_merging_nothing_is_empty() -> None:
    assert histogram.size(histogram.merged([])) == 0


def test_the_text_form_is_lossless() -> None:
    counted = histogram.of(TIMES)
    assert histogram.decode(histogram.encode(counted)).tolist() == counted.tolist()
    assert histogram.decode(histogram.encode(histogram.empty())).tolist() == []


def test_a_count_of_any_size_survives() -> None:
    for bits in range(40):
        counted = np.array([0, 2**bits, 0, 0, 2**bits - 1, 2**bits + 1])
        assert histogram.decode(histogram.encode(counted)).tolist() == counted.tolist()


BY_HAND = np.array([0.001, 0.002, 0.002, 0.05, 3.0, 9000.0])
STEPS_BY_HAND = {1000: 1, 2000: 2, 5 * 1024 + 50_000 // 32: 1, 11 * 1024 + 3_000_000 // 2**11: 1}
"""Below 2048 µs a step is a microsecond; 50 ms has 16 bits, of which 5 are dropped, 3 s has 22."""
FROM_THE_LIBRARY = "HISTFAAAADF4nJNpmSzMwMAgwAABzFCaEURcm7yEwf4DROA8P9NZfpaJnkw745i+LmZkAgDK6Qnn"
"""The same times as hdrhistogram 0.10.8 wrote them; results of the first version are stored so."""


def test_what_the_library_wrote_is_read() -> None:
    counted = histogram.decode(FROM_THE_LIBRARY)
    hour = 21 * 1024 + 3_600_000_000 // 2**21
    wanted = {**STEPS_BY_HAND, hour: 1}
    assert {int(step): int(counted[step]) for step in np.flatnonzero(counted)} == wanted
    assert counted.tolist() == histogram.of(BY_HAND).tolist()
    assert histogram.values_at(counted, (50, 80, 100)) == pytest.approx(
        {50: 0.002, 80: 3.0, 100: 3600}, rel=PRECISION
    )


def test_what_is_written_is_what_the_library_writes() -> None:
    ours, theirs = (
        base64.b64decode(text)
        for text in (histogram.encode(histogram.of(BY_HAND)), FROM_THE_LIBRARY)
    )
    assert ours[:4] == theirs[:4]
    assert zlib.decompress(ours[8:]) == zlib.decompress(theirs[8:])


def repacked(change: bytes, at: int) -> str:
    """The library's histogram with some of its unpacked bytes changed."""
    packed = base64.b64decode(FROM_THE_LIBRARY)
    plain = bytearray(zlib.decompress(packed[8:]))
    plain[at : at + len(change)] = change
    body = zlib.compress(bytes(plain))
    return base64.b64encode(packed[:4] + len(body).to_bytes(4, "big") + body).decode()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no base64",
        "aGVsbG8gd29ybGQhIQ==",
        FROM_THE_LIBRARY[:40],
        repacked((2).to_bytes(4, "big"), 12),  # of two digits
        repacked((1000).to_bytes(8, "big"), 24),  # up to a millisecond
        repacked((999).to_bytes(4, "big"), 4),  # longer than it is
        repacked(b"\xff" * 7 + b"\x7f", 40),  # a run of zeros without end
    ],
)
def test_what_is_no_histogram_of_ours_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"HdrHistogram|counts beyond"):
        histogram.decode(text)
