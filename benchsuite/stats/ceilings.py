"""Which of the calibrated ceilings holds for a load."""

import math
from collections.abc import Sequence

from benchsuite.results import Ceiling
from benchsuite.specs import LoadProfile

RESPONDER_BUSY_PERCENT = 90.0
"""A responder that used more of a CPU was the limit itself: that is no ceiling of the generator."""


def ceiling_rate(ceilings: Sequence[Ceiling], load: LoadProfile) -> float | None:
    """Requests per second, measured with the nearest number of users; None when there is none.

    The ceiling of a handful of users is lower than that of a hundred, because one connection's
    answers take turns with its requests; numbers of users are compared by their ratio.
    """
    fitting = [
        one
        for one in ceilings
        if one.keep_alive == load.keep_alive
        and (one.responder_cpu_percent or 0.0) <= RESPONDER_BUSY_PERCENT
    ]
    if not fitting:
        return None
    return min(fitting, key=lambda one: abs(math.log(one.users / load.users))).throughput
