"""The schedule of an open model: the intended start of each journey. Pure; knows no clock."""

import math
import random
from collections.abc import Iterator
from itertools import islice

from benchsuite.core.specs import POISSON, LoadProfile, Stage

TINY = 1e-9
"""Share of an arrival that is rounding error: 0.3 s at 10 /s are three arrivals, not four."""


def arrivals(load: LoadProfile, *, seed: int, part: int = 0, parts: int = 1) -> Iterator[float]:
    """Ascending moments in seconds since the start of the load, to the end of the last window.

    Each of `parts` load processes takes every `parts`-th, so that together they make exactly this
    schedule. The same seed gives the same moments.
    """
    return islice(_all(load, seed), part, None, parts)


def _all(load: LoadProfile, seed: int) -> Iterator[float]:
    order = random.Random(seed)
    for stage in load.plan:
        if load.arrivals == POISSON:
            yield from _poisson(stage, order)
        else:
            yield from _constant(stage)


def _constant(stage: Stage) -> Iterator[float]:
    """Evenly spaced from the start of the stage; each is computed on its own, so that no error
    accumulates.
    """
    length_s = stage.window_end_s - stage.start_s
    for number in range(math.ceil(length_s * stage.level * (1 - TINY))):
        yield stage.start_s + number / stage.level


def _poisson(stage: Stage, order: random.Random) -> Iterator[float]:
    """Independent arrivals: gaps are exponential, so each stage may start afresh."""
    moment = stage.start_s + order.expovariate(stage.level)
    while moment < stage.window_end_s:
        yield moment
        moment += order.expovariate(stage.level)


class Tally:
    """Counts moments by the stage whose window they fall into; they must ascend."""

    def __init__(self, load: LoadProfile, origin: float) -> None:
        self.counts = [0 for _ in load.plan]
        self._windows = [
            (origin + stage.window_start_s, origin + stage.window_end_s) for stage in load.plan
        ]
        self._stage = 0

    def add(self, moment: float) -> None:
        while moment >= self._windows[self._stage][1]:
            if self._stage == len(self._windows) - 1:
                return
            self._stage += 1
        if moment >= self._windows[self._stage][0]:
            self.counts[self._stage] += 1
