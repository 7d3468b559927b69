"""Which of the calibrated ceilings holds for a load."""

import math
from collections.abc import Sequence

from benchsuite.core.results import Ceiling
from benchsuite.core.specs import LoadProfile

RESPONDER_BUSY_PERCENT = 90.0  #: A responder that used more of a CPU was the limit itself.

MACHINE_BUSY_PERCENT = 10.0  #: With more of all CPUs used by others, the machine was the limit.


def doubt(ceiling: Ceiling) -> str:
    """Why the generator itself may be faster than that, in words; empty when it is not."""
    if (ceiling.responder_cpu_percent or 0.0) > RESPONDER_BUSY_PERCENT:
        return "the responder was the limit"
    if (ceiling.others_percent or 0.0) > MACHINE_BUSY_PERCENT:
        return "the machine was busy"
    return ""


def ceiling_rate(ceilings: Sequence[Ceiling], load: LoadProfile, in_flight: float) -> float | None:
    """Requests per second, measured with the nearest number of requests in flight; None when there
    is none for such a load: its model, its connections, its number of load processes.

    A ceiling that may be too low is not used. The ceiling of a handful of users is another than
    that of a hundred, because a connection's requests take turns with its answers; numbers of users
    are compared by their ratio.
    """
    fitting = [
        one
        for one in ceilings
        if one.model == load.model
        and one.processes == load.processes
        and one.keep_alive == load.keep_alive
        and not doubt(one)
    ]
    if not fitting or in_flight <= 0:
        return None
    return min(fitting, key=lambda one: abs(math.log(one.users / in_flight))).throughput
