"""Who of the subscribers got what, put together from samples."""

from typing import Any

import numpy as np

from benchsuite.stats.summary import DTYPE


def samples(*rows: tuple[int, float, float, float]) -> Any:
    """(user, intended, start, finish)."""
    made = np.zeros(len(rows), DTYPE)
    for place, (user, intended, start, finish) in enumerate(rows):
        made[place]["user"] = user
        made[place]["intended_start"] = intended
        made[place]["start"] = start
        made[place]["finish"] = finish
    return made


OPENED = samples((0, 0, 0, 1.0), (1, 0, 0, 1.1), (2, 0, 0, 1.2))
NONE = samples()


def test_values(golden):
    golden.values()
