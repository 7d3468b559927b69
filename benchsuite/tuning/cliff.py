"""Whether a server that is asked for a little more than it holds answers almost nothing in time."""

from collections.abc import Sequence

from benchsuite.tuning.notebook import Notebook
from benchsuite.tuning.trial import Candidate, Phase

GOOD = 0.99
BAD = 0.80
WITHIN = 1.1  #: Of the lower rate.
FEWEST = 2  #: Levels on either side.


def cliff(book: Notebook, candidate: Candidate) -> tuple[float, float] | None:
    """The highest rate up to which nearly all is in time, and the rate above it from which it
    collapses; None where shares fall slowly.
    """
    shares = sorted(
        (level.rate, min(level.met) / level.planned)
        for entry in book.of(candidate, Phase.LADDER, Phase.RACE, Phase.CONFIRM)
        for level in entry.seen.levels
        if level.planned and not entry.seen.limit
    )
    goods = [rate for rate, share in shares if share >= GOOD]
    bads = [rate for rate, share in shares if share < BAD]
    for low in reversed(goods):
        for high in bads:
            if low < high <= WITHIN * low and _falls(shares, low, high):
                return low, high
    return None


def _falls(shares: Sequence[tuple[float, float]], low: float, high: float) -> bool:
    """Not where starts differ: where one collapsed below, or one did well above."""
    below = [share for rate, share in shares if rate <= low]
    above = [share for rate, share in shares if rate >= high]
    return min(len(below), len(above)) >= FEWEST and min(below) >= BAD and max(above) < GOOD
