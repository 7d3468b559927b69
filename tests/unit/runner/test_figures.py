"""What the samples of each level of load say."""

from dataclasses import replace

import numpy as np

from benchsuite.load.parent.driver import NameEntry
from benchsuite.load.parent.figures import Figures
from benchsuite.stats import summary
from tests.unit.load.parent.test_driver import DONE

NAMES = (
    NameEntry(name="GET /", scope="request", examples={}),
    NameEntry(name="get", scope="journey", examples={}),
)
ORIGIN = 100.0


def figures(load, *requests, **done):
    """Of requests by user, intended start, start and finish since the origin; a journey each."""
    samples = np.zeros(2 * len(requests), dtype=summary.DTYPE)
    for index, (user, *times) in enumerate(requests):
        for scope in (0, 1):
            one = samples[2 * index + scope]
            one["name"], one["user"] = scope, user
            one["intended_start"], one["start"], one["finish"] = (ORIGIN + at for at in times)
    window = (ORIGIN + load.window_start_s, ORIGIN + load.window_end_s)
    none = (0,) * len(load.levels)
    given = {"origin": ORIGIN, "window": window, "sent": none, "dropped": none, **done}
    return Figures(samples, NAMES, replace(DONE, **given), load, alike=True)


def segments(figures, populations=()):
    return figures.together(populations).segments


def steady(user, begin, end, takes):
    """A user's requests, one after another."""
    count = round((end - begin) / takes)
    starts = [begin + number * takes for number in range(count)]
    return [(user, start, start, start + takes) for start in starts]


def test_values(golden):
    golden.values()
