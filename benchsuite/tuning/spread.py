"""How much starts of one size differ here, and at which rates fresh ones should therefore be."""

import math
from collections.abc import Sequence
from statistics import median

from benchsuite.tuning.notebook import Notebook

USUAL = 0.04
"""Standard deviation of the logarithm of the rate that a start holds, as windows of a few seconds
show it; less is chance, where starts are few."""
NORMAL = 1.4826  #: Standard deviation of a normal distribution, in medians of its deviations.
LEAST, EACH, APART = 1.3, 1.0, 0.027
"""So many spreads below the estimate is the highest rate; each further one is so many lower, and
so much of the logarithm more, by which the short windows of the search flatter."""


def spread(book: Notebook) -> float:
    """Standard deviation of the logarithm of what starts of one size hold, of all sizes that were
    started more than once in the race or under a full load. By the median of their deviations: one
    size whose rates were far off must not count for all.
    """
    found = [0.0]
    for one in book.states:
        for figures in (list(book.blocks(one).values()), book.through(one)):
            if len(figures) > 1:
                mean = sum(figures) / len(figures)
                lost = math.sqrt(len(figures) / (len(figures) - 1))
                found += [lost * abs(figure - mean) for figure in figures]
    return max(USUAL, NORMAL * median(found))


def below(book: Notebook, steps: Sequence[float]) -> tuple[float, ...]:
    """Shares of an estimate that are so many steps below the highest worth confirming."""
    apart = spread(book)
    return tuple(math.exp(-(LEAST + EACH * step) * apart - APART * step) for step in steps)
