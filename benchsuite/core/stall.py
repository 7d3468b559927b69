"""Whether a page waits for acknowledgements: rounds of requests in three ways."""

from dataclasses import dataclass
from math import comb
from statistics import median
from typing import NamedTuple

TIMERS_S = (0.04, 0.2)
"""Shortest and longest delay of an acknowledgement on Linux (TCP_DELACK_MIN and _MAX)."""

LATER_S = 0.75 * TIMERS_S[0]
"""A difference that may be a wait for one; the page itself varies, too."""

CHANCE = 0.001
"""The largest probability that a page which is sometimes slow by itself was slow only with late
acknowledgements."""


class Round(NamedTuple):
    """Times of one page, one after another on one connection, in seconds."""

    fresh_s: float  #: The first answer: a new connection acknowledges at once.
    kept_s: float  #: A later one, whose acknowledgements the kernel delays.
    prompt_s: float  #: One after that, acknowledged at once again (TCP_QUICKACK).


@dataclass(frozen=True, slots=True)
class Stall:
    """The result of all rounds."""

    rounds: tuple[Round, ...] = ()

    @property
    def later(self) -> int:
        """Rounds in which only the answer with delayed acknowledgements was late."""
        return sum(one.kept_s - max(one.fresh_s, one.prompt_s) >= LATER_S for one in self.rounds)

    @property
    def opposite(self) -> int:
        """Rounds in which only the promptly acknowledged answer was late: because of the page."""
        return sum(one.prompt_s - max(one.fresh_s, one.kept_s) >= LATER_S for one in self.rounds)

    @property
    def is_shown(self) -> bool:
        """A page that is slow by itself is so in all three ways, with equal counts (sign test)."""
        count = self.later + self.opposite
        tail = sum(comb(count, more) for more in range(self.later, count + 1))
        return bool(tail / 2**count <= CHANCE)

    @property
    def medians(self) -> Round:
        return Round(*(median(times) for times in zip(*self.rounds, strict=True)))
