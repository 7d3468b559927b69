"""The schedule of an open model: the intended start of each journey. Pure; knows no clock."""

import math
import random
from collections.abc import Iterator
from itertools import islice

from benchsuite.core.specs import LoadProfile
from benchsuite.core.specs.load import POISSON

TINY = 1e-9  #: Rounding error of arrivals: 0.3 s at 10 /s are three, not four.


def arrivals(load: LoadProfile, *, seed: int, part: int = 0, parts: int = 1) -> Iterator[float]:
    """Ascending moments in seconds since the start of the load, to the end of the last window; the
    same for a seed. Each of `parts` load processes takes every `parts`-th.
    """
    return islice(_all(load, random.Random(seed)), part, None, parts)


def _all(load: LoadProfile, draw: random.Random) -> Iterator[float]:
    for stage in load.plan:
        start_s, end_s, rate = stage.start_s, stage.window_end_s, stage.level
        if load.arrivals == POISSON:
            # gaps are exponential and independent, so each stage may start afresh
            moment = start_s + draw.expovariate(rate)
            while moment < end_s:
                yield moment
                moment += draw.expovariate(rate)
        else:
            # each is computed on its own, so that no error accumulates
            for number in range(math.ceil((end_s - start_s) * rate * (1 - TINY))):
                yield start_s + number / rate


class Tally:
    """Counts moments by the stage whose window they fall into."""

    def __init__(self, load: LoadProfile, origin: float) -> None:
        self.counts = [0 for _ in load.plan]
        self._windows = [
            (origin + stage.window_start_s, origin + stage.window_end_s) for stage in load.plan
        ]

    def add(self, moment: float) -> None:
        for stage, (begin, end) in enumerate(self._windows):
            if begin <= moment < end:
                self.counts[stage] += 1
