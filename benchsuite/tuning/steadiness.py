"""Whether the machine was equally fast all the time, by what requests of one size took of it."""

from itertools import permutations

from benchsuite.core.units import format_duration
from benchsuite.tuning.notebook import Entry, Notebook
from benchsuite.tuning.trial import Candidate, Phase

APART = 1.4
"""Times as much CPU time of a request in one start as in another with no lower rates. What a
request takes changes with the rate, too: more where requests are in each other's way, which is
why higher rates show nothing, and some tenths where so few come that caches forget them."""
ENOUGH_S = 1.0  #: Of CPU time in a start, which telemetry of each second tells exactly enough.
COMPARED = (Phase.LADDER, Phase.RACE, Phase.CONFIRM)


def cautions(book: Notebook, pick: Candidate) -> list[str]:
    """Of starts of the pick whose requests cost much more than those of others."""
    costs = [cost for one in book.of(pick, *COMPARED) if (cost := _cost(one))]
    slower = [
        (one / other, other, one)
        for (rate, one), (higher, other) in permutations(costs, 2)
        if rate <= higher and one >= APART * other
    ]
    if not slower:
        return []
    _, least, most = max(slower)
    return [
        f"The machine was not equally fast all the time: a request took {format_duration(least)} "
        f"of CPU in one start of {pick.name} and {format_duration(most)} in another. Tune again "
        "where nothing else uses it."
    ]


def _cost(start: Entry) -> tuple[float, float] | None:
    """Its highest rate, and the CPU time of a request; None of too little work."""
    cpu_s, levels = start.seen.cpu_s, start.seen.levels
    if not cpu_s or cpu_s * sum(one.planned for one in levels) < ENOUGH_S:
        return None
    return max(one.rate for one in levels), cpu_s
