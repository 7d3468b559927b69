"""Of those that hold about as much as the best: the one that needs least."""

import math
from collections.abc import Sequence

from benchsuite.bottlenecks.evidence import Ratio, ratio
from benchsuite.stats.ranks import FEWEST_STARTS
from benchsuite.tuning.notebook import Notebook, State
from benchsuite.tuning.refusing import excess
from benchsuite.tuning.trial import Candidate

TIED = 0.03  #: Within this of the best: nobody would act on it.
UNSURE = 0.08  #: Within this where their starts don't show a difference.


def choose(book: Notebook, alive: Sequence[Candidate]) -> Candidate | None:
    """The pick, and in the book which others are behind the best, and which aren't told apart."""
    rates = {one: rate for one in alive if (rate := book.estimate(one))}
    for one in list(rates):
        if why := excess(book, one):
            book.decide(one, State.OVER, why)
            del rates[one]
    if not rates:
        return None
    known = book.known(rates)
    best = max(known, key=lambda one: rates[one])
    for one in rates:
        if one in known:
            _decide(book, one, best, rates[one] / rates[best])
        else:
            book.drop(one)
    tied = [one for one in known if _tied(book, one, best, rates[one] / rates[best])]
    pick = min(tied, key=lambda one: needs(book, one))
    book.decide(pick, State.RECOMMENDED)
    return pick


def needs(book: Notebook, candidate: Candidate) -> tuple[float, float, float]:
    """Memory, then connections, then slots."""
    most = (book.memory_bytes(candidate), candidate.connections, candidate.slots)
    memory, connections, slots = (math.inf if one is None else float(one) for one in most)
    return memory, connections, slots


def against(book: Notebook, candidate: Candidate, other: Candidate) -> Ratio | None:
    """Its rate in the race against the other's, block by block; None with too few blocks."""
    return ratio(book.blocks(candidate), book.blocks(other))


def _decide(book: Notebook, one: Candidate, best: Candidate, estimated: float) -> None:
    """Behind is a claim, so the whole interval of the ratio must say so, over enough starts."""
    compared = against(book, one, best)
    if estimated >= 1 - TIED or (compared and compared.high >= 1 - TIED):
        book.decide(one, State.NOT_TOLD_APART)
    elif compared and _is_known(book, one):
        less, most = (f"{100 * (1 - end):.0f}" for end in (compared.high, compared.low))
        book.decide(one, State.BEHIND, f"{100 * (1 - compared.value):.0f} % less [{less}, {most}]")
    else:
        book.drop(one)


def _is_known(book: Notebook, one: Candidate) -> bool:
    return len(book.blocks(one)) >= FEWEST_STARTS


def _tied(book: Notebook, one: Candidate, best: Candidate, estimated: float) -> bool:
    """Whether it may be picked before the best, because nobody would notice."""
    if estimated >= 1 - TIED or estimated < 1 - UNSURE:
        return estimated >= 1 - TIED
    return _is_known(book, one) and book.state(one) is State.NOT_TOLD_APART
