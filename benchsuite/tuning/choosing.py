"""Which candidate needs least: of those that hold about as much as the best, or at one rate.

The least memory that holds a rate: all candidates once at that rate, then the ones that need
least in fresh starts, until one of them holds it.
"""

import math
from collections.abc import Generator, Sequence

from benchsuite.bottlenecks.evidence import Ratio, ratio
from benchsuite.stats.ranks import FEWEST_STARTS
from benchsuite.tuning import confirming
from benchsuite.tuning.candidates import excess
from benchsuite.tuning.fresh import fresh
from benchsuite.tuning.making import Making
from benchsuite.tuning.notebook import Notebook, State
from benchsuite.tuning.probing import unsaid
from benchsuite.tuning.racing import tried
from benchsuite.tuning.trial import Candidate, Load, Observation, Phase, Trial

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


STARTS = 6  #: To confirm.
FEWER = 5  #: Where time is short.
ARRIVALS = 150  #: Planned in the window that screens, at least.
LONGEST_S = 20.0
HOPE = -1.2
"""Logits below its goals in one short window, from which fresh starts don't bring a candidate back:
a share of 85 % where 95 % were asked."""

Picked = Generator[Trial, Observation, Candidate | None]


def hold(making: Making, candidates: list[Candidate], rate: float) -> Picked:
    """The one of least memory that holds the rate; None where none was shown to."""
    book, current = making.book, making.question.current
    window_s = min(LONGEST_S, max(3.0, ARRIVALS / rate))
    load = Load(rates=(rate,), warmup_s=1, window_s=window_s * making.question.window_factor)
    candidates = tried(making, candidates, load)
    for one in making.shuffled(candidates) if len(candidates) > 1 else []:
        seen = yield from making.start(one, Phase.SCREEN, load, f"each once at {rate:g}/s")
        _judge(making, one, seen)
    starts = STARTS if 2 * _cost_s(making, rate, STARTS) <= making.left_s else FEWER
    hopeful = [one for one in candidates if book.state(one) in (None, State.RACING)]
    pick = None
    for one in sorted(hopeful, key=lambda one: needs(book, one)):
        if pick is not None:
            book.decide(one, State.BEHIND, "it may hold the rate, and needs more")
        elif _cost_s(making, rate, starts) + _others_s(making, hopeful, one, rate) > making.left_s:
            book.decide(one, State.RACING, "the budget left no time for its fresh starts")
        elif (yield from _holds(making, one, rate, starts, "the one that needs least")):
            book.decide(one, State.RECOMMENDED)
            pick = one
    if current in hopeful and not book.of(current, Phase.CONFIRM):
        state = book.states[current]
        yield from _holds(making, current, rate, starts, "what runs now")
        book.decide(current, *state)
    return pick


def _others_s(making: Making, hopeful: Sequence[Candidate], one: Candidate, rate: float) -> float:
    """What fresh starts of what runs now will take, where these are not its own."""
    now = making.question.current
    if now is None or now == one or now not in hopeful or making.book.of(now, Phase.CONFIRM):
        return 0.0
    return _cost_s(making, rate, FEWER)


def _rates(making: Making, rate: float) -> tuple[float, ...]:
    """The one asked for, and as much more as windows of that length flatter."""
    window_s, limit_s = making.confirming((rate,)).window_s, making.question.objective.limit_s
    return rate, rate * confirming.flattered(window_s, limit_s)


def _cost_s(making: Making, rate: float, starts: int) -> float:
    return making.cost_s(making.confirming(_rates(making, rate)), starts)


def _holds(
    making: Making, one: Candidate, rate: float, starts: int, whose: str
) -> Generator[Trial, Observation, bool]:
    book = making.book
    yield from fresh(making, one, _rates(making, rate), starts, whose)
    held = confirming.held_by(book, one)
    if why := excess(book, one):
        book.decide(one, State.OVER, why)
    elif held is None or held.shown < _rates(making, rate)[-1]:
        book.decide(one, State.BEHIND, _why(making, one, rate))
    else:
        return True
    return False


def _why(making: Making, one: Candidate, rate: float) -> str:
    shares, goal = confirming.shares(making.book, one, rate), making.question.objective.goals[0]
    if not shares:
        return "its fresh starts say nothing"
    mean = sum(shares) / len(shares)
    found = f"{100 * mean:.3g} % in time at {rate:g}/s in {len(shares)} fresh starts"
    return f"{found}{', which does not show that it holds' if mean >= goal.share else ''}"


def _judge(making: Making, one: Candidate, seen: Observation) -> None:
    book = making.book
    points = book.points(book.of(one, Phase.SCREEN))
    if not points:
        book.decide(one, State.NO_STATEMENT, unsaid(seen))
    elif why := excess(book, one):
        book.decide(one, State.OVER, why)
    elif max(point.margin for point in points) < HOPE and one != making.question.current:
        share = min(seen.levels[0].met) / seen.levels[0].planned
        found = f"{100 * share:.3g} % in time at {points[0].rate:g}/s"
        book.decide(one, State.DROPPED, f"dropped after its first start, with {found}")
    else:
        book.decide(one, State.RACING)
