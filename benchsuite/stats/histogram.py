"""HdrHistograms of times: 1 µs to 1 h, three significant digits, mergeable over processes and
seconds.
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from hdrh.histogram import HdrHistogram
from numpy.typing import NDArray

LOWEST_US = 1
HIGHEST_US = 3_600_000_000
DIGITS = 3


def empty() -> HdrHistogram:
    return HdrHistogram(LOWEST_US, HIGHEST_US, DIGITS)


def of(seconds: NDArray[np.float64]) -> HdrHistogram:
    """A histogram of times in seconds; above an hour counts as an hour."""
    histogram = empty()
    microseconds = np.clip(np.rint(seconds * 1e6), LOWEST_US, HIGHEST_US).astype(np.int64)
    values, counts = np.unique(_rounded(microseconds), return_counts=True)
    for value, count in zip(values.tolist(), counts.tolist(), strict=True):
        histogram.record_value(value, count)
    return histogram


def _rounded(microseconds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Drops the digits a histogram of this precision can't keep, so that equal ones are counted
    once.

    2**11 sub-buckets hold three digits: a value of b bits keeps its highest 11.
    """
    bits = np.frexp(microseconds.astype(np.float64))[1]
    shift = np.maximum(bits - 11, 0)
    rounded: NDArray[np.int64] = (microseconds >> shift) << shift
    return rounded


def encode(histogram: HdrHistogram) -> str:
    """The compressed text form of HdrHistogram, readable by every implementation of it."""
    return str(histogram.encode().decode("ascii"))


def decode(text: str) -> HdrHistogram:
    return HdrHistogram.decode(text)


def merged(texts: Iterable[str]) -> HdrHistogram:
    total = empty()
    for text in texts:
        total.add(decode(text))
    return total


def value_at(histogram: HdrHistogram, percent: float) -> float:
    """Seconds at a percentile (nearest rank over all samples) of a histogram that is not empty."""
    return values_at(histogram, (percent,))[percent]


def values_at(histogram: HdrHistogram, percents: Sequence[float]) -> dict[float, float]:
    """Seconds at several percentiles, in one pass; empty when the histogram is.

    The nearest rank is the smallest one with that share of the samples at or below it.
    HdrHistogram itself rounds the rank to the nearest whole number: half of the time one too low.
    """
    total = histogram.get_total_count()
    if not total:
        return {}
    exact = {percent: 100 * math.ceil(percent * total / 100 - 1e-9) / total for percent in percents}
    values = histogram.get_percentile_to_value_dict(list(exact.values()))
    return {percent: float(values[at]) / 1e6 for percent, at in exact.items()}


def share_above(text: str, seconds: float) -> float | None:
    """Of all samples of an encoded histogram; None when it is empty."""
    histogram = decode(text) if text else empty()
    total = histogram.get_total_count()
    if not total:
        return None
    above = sum(
        item.count_at_value_iterated_to
        for item in histogram.get_recorded_iterator()
        if item.value_iterated_to > seconds * 1e6
    )
    return float(above / total)
