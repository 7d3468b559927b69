"""Whether a page waits for acknowledgements: rounds in which it was asked in three ways."""

from dataclasses import dataclass
from math import comb
from statistics import median
from typing import NamedTuple

TIMERS_S = (0.04, 0.2)
"""Least and greatest delay of an acknowledgement on Linux (TCP_DELACK_MIN and _MAX)."""

LATER_S = 0.75 * TIMERS_S[0]
"""What differs by so much may have waited for one; the page itself varies, too."""

CHANCE = 0.001
"""So unlikely must it be that a page which takes long by itself, now and then, did so only where
acknowledgements were late."""


class Round(NamedTuple):
    """Times of one page, one after the other on one connection, in seconds."""

    fresh_s: float  #: The first answer: a new connection acknowledges at once.
    kept_s: float  #: A later one, whose acknowledgements the kernel delays.
    prompt_s: float  #: One after that, acknowledged at once again (TCP_QUICKACK).


@dataclass(frozen=True, slots=True)
class Stall:
    """What the rounds say together."""

    rounds: tuple[Round, ...] = ()

    @property
    def later(self) -> int:
        """Rounds in which only the answer with late acknowledgements was late."""
        return sum(one.kept_s - max(one.fresh_s, one.prompt_s) >= LATER_S for one in self.rounds)

    @property
    def opposite(self) -> int:
        """Rounds in which only the one that was acknowledged at once was: by the page itself."""
        return sum(one.prompt_s - max(one.fresh_s, one.kept_s) >= LATER_S for one in self.rounds)

    @property
    def is_shown(self) -> bool:
        """A page that takes long by itself, however often, does so in all three ways alike, so both
        counts come to the same (sign test).
        """
        count = self.later + self.opposite
        tail = sum(comb(count, more) for more in range(self.later, count + 1))
        return bool(tail / 2**count <= CHANCE)

    @property
    def medians(self) -> Round:
        return Round(*(median(times) for times in zip(*self.rounds, strict=True)))
