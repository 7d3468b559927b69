"""From samples to figures, on samples few enough to count on one's fingers."""

import numpy as np

from benchsuite.core.results import Interval, Summary
from benchsuite.core.samples import Kind
from benchsuite.stats.summary import DTYPE, Samples, intervals, summarise

ORIGIN = 1000.0
WINDOW = (1002.0, 1012.0)


def sample(intended, finish, *, start=None, kind=Kind.OK, size=100):
    """One request; times in seconds since the origin."""
    sent = intended if start is None else start
    return (0, int(kind), 0, 1, size, ORIGIN + intended, ORIGIN + sent, ORIGIN + finish)


def samples(*rows: tuple[object, ...]) -> Samples:
    return np.array(list(rows), dtype=DTYPE)


def summary(*rows: tuple[object, ...], **options: object) -> Summary:
    return summarise(samples(*rows), name="GET /", scope="request", window=WINDOW, **options)


def seconds(*rows: tuple[object, ...], **options: object) -> list[Interval]:
    return list(intervals(samples(*rows), origin=ORIGIN, window=WINDOW, **options))


def test_values(golden):
    golden.values()
