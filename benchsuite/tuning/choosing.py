"""Of those that hold about as much as the best: the one that needs least."""

import math
from collections.abc import Sequence

from benchsuite.stats.compare import Comparison, Outcome, compare
from benchsuite.stats.ranks import FEWEST_STARTS
from benchsuite.tuning.notebook import Notebook, State
from benchsuite.tuning.refusing import excess
from benchsuite.tuning.trial import Candidate

TIED = 0.03  #: Within this of the best: nobody would act on it.
UNSURE = 0.08  #: Within this where their starts don't show a difference.


def choose(book: Notebook, alive: Sequence[Candidate]) -> Candidate | None:
    """The pick, and in the book which others aren't told apart from the best."""
    rates = {one: rate for one in alive if (rate := book.estimate(one))}
    for one in list(rates):
        if why := excess(book, one):
            book.decide(one, State.OVER, why)
            del rates[one]
    if not rates:
        return None
    best = max(rates, key=lambda one: rates[one])
    tied = [one for one in rates if _tied(book, one, best, rates[one] / rates[best])]
    for one in rates:
        if one in tied:
            book.decide(one, State.NOT_TOLD_APART)
        elif book.state(one) is State.RACING:
            behind = 100 * (1 - rates[one] / rates[best])
            book.decide(one, State.BEHIND, f"{behind:.0f} % behind")
    pick = min(tied, key=lambda one: needs(book, one))
    book.decide(pick, State.RECOMMENDED)
    return pick


def needs(book: Notebook, candidate: Candidate) -> tuple[float, float, float]:
    """Memory, then connections, then slots."""
    most = (book.memory_bytes(candidate), candidate.connections, candidate.slots)
    memory, connections, slots = (math.inf if one is None else float(one) for one in most)
    return memory, connections, slots


def against(book: Notebook, candidate: Candidate, pick: Candidate) -> Comparison | None:
    """Its rate in the race against the pick's, start by start; None with too few starts."""
    theirs, own = (
        [math.exp(one) for one in book.blocks(each).values()] for each in (pick, candidate)
    )
    if min(len(own), len(theirs)) < FEWEST_STARTS:
        return None
    return compare(theirs, own)


def _tied(book: Notebook, one: Candidate, best: Candidate, ratio: float) -> bool:
    if ratio >= 1 - TIED:
        return True
    if ratio < 1 - UNSURE:
        return False
    compared = against(book, one, best)
    return compared is not None and compared.outcome is not Outcome.SHOWN
