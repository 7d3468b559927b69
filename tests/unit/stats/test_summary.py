"""From samples to figures, on samples few enough to count on one's fingers."""

import numpy as np

from benchsuite.core.samples import Kind
from benchsuite.stats.summary import DTYPE, intervals, summarise

ORIGIN = 1000.0
WINDOW = (1002.0, 1012.0)


def sample(intended, finish, *, start=None, kind=Kind.OK, size=100):
    """One request; times in seconds since the origin."""
    sent = intended if start is None else start
    return (0, int(kind), 0, 1, size, ORIGIN + intended, ORIGIN + sent, ORIGIN + finish)


def samples(*rows):
    return np.array(list(rows), dtype=DTYPE)


def summary(*rows, **options):
    return summarise(samples(*rows), name="GET /", scope="request", window=WINDOW, **options)


def seconds(*rows, **options):
    return list(intervals(samples(*rows), origin=ORIGIN, window=WINDOW, **options))


def test_values(golden):
    golden.values()
