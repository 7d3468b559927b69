"""How much starts of one size differ here, and at which rates fresh ones should therefore be."""

import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from benchsuite.tuning.notebook import Notebook

USUAL = 0.04
"""Standard deviation of the logarithm of the rate that a start holds, as windows of a few seconds
show it; less is chance, where starts are few."""
NORMAL = 1.4826  #: Standard deviation of a normal distribution, in medians of its deviations.
TOGETHER = 4  #: So many sizes, of which each was started at a time, tell what they have in common.
LEAST, EACH, APART = 1.3, 1.0, 0.027
"""So many spreads below the estimate is the highest rate; each further one is so many lower, and
so much of the logarithm more, by which the short windows of the search flatter."""


def spread(book: Notebook) -> float:
    """Standard deviation of the logarithm of what starts of one size hold, of all sizes that were
    started more than once in the race or under a full load. By the median of their deviations: one
    size whose rates were far off must not count for all. What all starts of a time have in common,
    because the machine was faster then, is no difference between starts.
    """
    raced = [book.blocks(one) for one in book.states]
    loaded = [dict(enumerate(book.through(one))) for one in book.states]
    deviations = [*_deviations(raced), *_deviations(loaded)]
    return max(USUAL, NORMAL * median(deviations or [0.0]))


def _deviations(sizes: Sequence[Mapping[int, float]]) -> Iterator[float]:
    """Of each start from the mean of its size, beside what others deviate at its time; `sizes` have
    a figure for each time.
    """
    found: dict[int, list[float]] = {}
    for figures in sizes:
        if (count := len(figures)) > 1:
            mean = sum(figures.values()) / count
            for time, figure in figures.items():
                found.setdefault(time, []).append(_lost(count) * (figure - mean))
    for together in found.values():
        if (count := len(together)) < TOGETHER:
            yield from map(abs, together)
        else:
            common = median(together)
            yield from (_lost(count) * abs(one - common) for one in together)


def _lost(count: int) -> float:
    """How much further so many lie from what they are about than from their own mean."""
    return math.sqrt(count / (count - 1))


def below(book: Notebook, steps: Sequence[float]) -> tuple[float, ...]:
    """Shares of an estimate that are so many steps below the highest worth confirming."""
    apart = spread(book)
    return tuple(math.exp(-(LEAST + EACH * step) * apart - APART * step) for step in steps)
