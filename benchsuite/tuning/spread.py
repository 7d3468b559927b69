"""How much starts of one size differ here, and whether the machine was equally fast."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from statistics import median

from benchsuite.core.units import format_duration
from benchsuite.tuning.notebook import RISING, Entry, Notebook
from benchsuite.tuning.trial import Candidate, Phase

USUAL = 0.04
"""Standard deviation of the logarithm of the rate that a start holds, as windows of a few seconds
show it; less is chance, where starts are few."""
NORMAL = 1.4826  #: Standard deviation of a normal distribution, in medians of its deviations.
TOGETHER = 4  #: So many sizes, of which each was started at a time, tell what they have in common.
LEAST, EACH, APART = 1.3, 1.0, 0.027
"""So many spreads below the estimate is the highest rate; each further one is so many lower, and
so much of the logarithm more, by which the short windows of the search flatter."""


def spread(notebook: Notebook) -> float:
    """Standard deviation of the logarithm of what starts of one size hold, of all sizes that were
    started more than once in the race or under a full load. By the median of their deviations: one
    size whose rates were far off must not count for all. What all starts of a time have in common,
    because the machine was faster then, is no difference between starts.
    """
    raced = [notebook.blocks(one) for one in notebook.states]
    loaded = [dict(enumerate(notebook.through(one))) for one in notebook.states]
    deviations = [*_deviations(raced), *_deviations(loaded)]
    return max(USUAL, NORMAL * median(deviations or [0.0]))


def _deviations(sizes: Sequence[Mapping[int, float]]) -> Iterator[float]:
    """Of each start from the mean of its size, beside what others deviate at its time; `sizes` have
    a figure for each time.
    """
    by_place: dict[int, list[float]] = {}
    for figures in sizes:
        if (count := len(figures)) > 1:
            mean = sum(figures.values()) / count
            for time, figure in figures.items():
                by_place.setdefault(time, []).append(_lost(count) * (figure - mean))
    for together in by_place.values():
        if (count := len(together)) < TOGETHER:
            yield from map(abs, together)
        else:
            common = median(together)
            yield from (_lost(count) * abs(one - common) for one in together)


def _lost(count: int) -> float:
    """How much further so many lie from what they are about than from their own mean."""
    return math.sqrt(count / (count - 1))


def below(notebook: Notebook, steps: Sequence[float]) -> tuple[float, ...]:
    """Shares of an estimate that are so many steps below the highest worth confirming."""
    apart = spread(notebook)
    return tuple(math.exp(-(LEAST + EACH * step) * apart - APART * step) for step in steps)


APART_OVER_TIME = 1.4
"""Times as much CPU time of a request in one start as in another with no lower rates. What a
request takes changes with the rate, too: more where requests are in each other's way, which is
why higher rates show nothing, and some tenths where so few come that caches forget them."""
ENOUGH_S = 1.0  #: Of CPU time in a start, which telemetry of each second tells exactly enough.
COMPARED = (*RISING, Phase.CONFIRM)


def cautions(notebook: Notebook, pick: Candidate) -> list[str]:
    """Of starts of the pick whose requests cost much more than those of others."""
    costs = [cost for one in notebook.of(pick, *COMPARED) if (cost := _cost(one))]
    slower = [
        (one / other, other, one)
        for (rate, one), (higher, other) in permutations(costs, 2)
        if rate <= higher and one >= APART_OVER_TIME * other
    ]
    if not slower:
        return []
    _, least, most = max(slower)
    return [
        f"The machine was not equally fast all the time: a request took {format_duration(least)} "
        f"of CPU in one run of {pick.name} and {format_duration(most)} in another. Tune again "
        "where nothing else uses it."
    ]


def _cost(start: Entry) -> tuple[float, float] | None:
    """Its highest rate, and the CPU time of a request; None of too little work."""
    cpu_s, levels = start.seen.cpu_s, start.seen.levels
    if not cpu_s or cpu_s * sum(one.planned for one in levels) < ENOUGH_S:
        return None
    return max(one.rate for one in levels), cpu_s
