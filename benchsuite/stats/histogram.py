"""Histograms of times: 1 µs to 1 h, three significant digits, mergeable over processes and seconds.

Their steps and their text form are those of HdrHistogram (V2, compressed), so that every
implementation of it reads what is stored here. A step is named by its number: below 2048 µs each
microsecond is one, and from there on each power of two has 1024 of them.
"""

import base64
import struct
import zlib
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

LOWEST_US = 1
HIGHEST_US = 3_600_000_000
DIGITS = 3
Histogram = NDArray[np.int64]  #: How many samples each step has, up to the last that has any.
HALF = 1024  #: Steps of a power of two; twice as many hold three digits.
BITS = 11  #: So many leading bits of a value say its step.
OUTER = struct.Struct(">II")  #: A word that says what it is, and the length of the packed rest.
INNER = struct.Struct(">IIIIQQd")  #: Packed; offset, digits, lowest and highest value, ratio.
PACKED, COUNTS = 0x1C849314, 0x1C849313
STEPS = HALF * (HIGHEST_US.bit_length() - BITS + 2)  #: More than any histogram has.


def empty() -> Histogram:
    return np.zeros(0, dtype=np.int64)


def of(seconds: NDArray[np.float64]) -> Histogram:
    """A histogram of times in seconds; above an hour counts as an hour."""
    microseconds = np.clip(np.rint(seconds * 1e6), LOWEST_US, HIGHEST_US).astype(np.int64)
    bits = np.frexp(microseconds.astype(np.float64))[1].astype(np.int64)
    power = np.maximum(bits - BITS, 0)
    return np.bincount(power * HALF + (microseconds >> power)).astype(np.int64)


def ends_us(steps: NDArray[np.int64]) -> NDArray[np.int64]:
    """The largest value of each step: what HdrHistogram gives for all values in it."""
    power = np.maximum(steps // HALF - 1, 0)
    ends: NDArray[np.int64] = ((steps - power * HALF + 1) << power) - 1
    return ends


def size(histogram: Histogram) -> int:
    """How many samples it has."""
    return int(histogram.sum())


def merged(texts: Iterable[str]) -> Histogram:
    total = empty()
    for text in texts:
        longer, shorter = sorted((total, decode(text)), key=len, reverse=True)
        total = longer.copy()
        total[: len(shorter)] += shorter
    return total


def values_at(histogram: Histogram, percents: Sequence[float]) -> dict[float, float]:
    """Seconds at several percentiles, by nearest rank; empty when the histogram is. A value is the
    upper end of its step; percentile 0 is the lower end of the first.
    """
    total = size(histogram)
    if not total:
        return {}
    ranks = np.ceil(np.array(percents) * total / 100 - 1e-9)
    steps = np.searchsorted(np.cumsum(histogram), np.maximum(ranks, 1))
    values = np.where(ranks > 0, ends_us(steps), ends_us(steps - 1) + 1)
    return dict(zip(percents, (values / 1e6).tolist(), strict=True))


def within(histogram: Histogram, seconds: float) -> int:
    """How many samples took no longer than that."""
    return int(histogram[ends_us(np.arange(len(histogram))) <= seconds * 1e6].sum())


def encode(histogram: Histogram) -> str:
    """The compressed text form of HdrHistogram, readable by every implementation of it."""
    used = np.flatnonzero(histogram)
    skipped = np.diff(used, prepend=-1) - 1
    words = np.stack((-skipped, histogram[used]), axis=1).ravel()
    counts = _to_bytes(words[words != 0])
    head = INNER.pack(COUNTS, len(counts), 0, DIGITS, LOWEST_US, HIGHEST_US, 1.0)
    packed = zlib.compress(head + counts)
    return base64.b64encode(OUTER.pack(PACKED, len(packed)) + packed).decode("ascii")


def decode(text: str) -> Histogram:
    """Raises ValueError for what is no histogram of this range and precision."""
    try:
        packed = base64.b64decode(text, validate=True)
        kind, length = OUTER.unpack_from(packed)
        plain = zlib.decompressobj().decompress(packed[OUTER.size :], INNER.size + 9 * STEPS)
        inner, counted, _, *range_and_digits, _ = INNER.unpack_from(plain)
    except (ValueError, struct.error, zlib.error) as error:
        raise ValueError(f"{text[:20]!r} … is no encoded HdrHistogram: {error}") from error
    lengths = len(packed) - OUTER.size, len(plain) - INNER.size
    wanted = (PACKED, COUNTS, lengths, DIGITS, LOWEST_US, HIGHEST_US)
    if (kind, inner, (length, counted), *range_and_digits) != wanted:
        raise ValueError(
            f"{text[:20]!r} … is no HdrHistogram of {DIGITS} digits from {LOWEST_US} to "
            f"{HIGHEST_US} µs"
        )
    words = _from_bytes(plain[INNER.size :])
    steps = np.cumsum(np.where(words > 0, 1, np.maximum(-words, 1)))
    if len(steps) and (words.min() < -STEPS or steps[-1] > STEPS):
        raise ValueError(f"{text[:20]!r} … counts beyond {HIGHEST_US} µs")
    histogram = np.zeros(int(steps[-1]) if len(steps) else 0, dtype=np.int64)
    histogram[steps[words > 0] - 1] = words[words > 0]
    return histogram


def _to_bytes(words: NDArray[np.int64]) -> bytes:
    """Each as ZigZag LEB128: seven bits a byte, lowest first, and an eighth on all but the last."""
    folded, sevens = (words << 1) ^ (words >> 63), np.arange(0, 63, 7)
    parts = folded[:, None] >> sevens
    used = (parts > 0) | (sevens == 0)
    more = (parts >> 7) > 0
    written: bytes = ((parts & 0x7F) | (more << 7))[used].astype(np.uint8).tobytes()
    return written


def _from_bytes(written: bytes) -> NDArray[np.int64]:
    parts = np.frombuffer(written, dtype=np.uint8).astype(np.int64)
    if not len(parts):
        return empty()
    begins = np.flatnonzero(np.concatenate(([True], parts[:-1] < 0x80)))
    within = np.arange(len(parts)) - np.repeat(begins, np.diff(begins, append=len(parts)))
    folded = np.add.reduceat((parts & 0x7F) << (7 * within), begins)
    words: NDArray[np.int64] = (folded >> 1) ^ -(folded & 1)
    return words
