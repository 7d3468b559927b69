"""How long requests wait for others, as far as the moments of all of them tell."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchsuite.stats.summary import about_half

Times = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Traffic:
    """All requests of a load by their moments, in the order in which they were sent."""

    starts: Times
    finishes: Times

    @classmethod
    def of(cls, samples: NDArray[np.void]) -> "Traffic":
        ordered = samples[np.argsort(samples["start"], kind="stable")]
        return cls(ordered["start"], ordered["finish"])

    def backlog_s(self, moments: Times) -> Times:
        """How long each moment finds requests under way that were sent before it.

        A server that does one after another needs no longer for them, in whatever order.
        """
        latest = np.concatenate(([-np.inf], np.maximum.accumulate(self.finishes)))
        return np.maximum(latest[np.searchsorted(self.starts, moments)] - moments, 0.0)

    def own_times_s(self, window: tuple[float, float]) -> tuple[float, float]:
        """Two times between which the median of a window's requests lies, each less the backlog
        that it found.
        """
        inside = (self.starts >= window[0]) & (self.starts < window[1])
        own = (self.finishes - self.starts - self.backlog_s(self.starts))[inside]
        if not len(own):
            return 0.0, 0.0
        beside = about_half(len(own))
        low, high = np.percentile(own, [50 - beside, 50 + beside])
        return float(low), float(high)

    def expected_s(self, moments: Times, own_s: float) -> Times:
        """The longest that a request of each moment waits for its answer if it queues as the
        load's do: until the next of those has its own or, where none is sent meanwhile, the
        backlog and its own time.
        """
        alone_s = self.backlog_s(moments) + own_s
        after = np.searchsorted(self.starts, moments)
        starts = np.append(self.starts, np.inf)[after]
        finishes = np.append(self.finishes, np.inf)[after]
        return np.where(starts < moments + alone_s, finishes - moments, alone_s)

    def before_s(self, moments: Times) -> Times:
        """When, after each moment, the request that was sent before it is answered; negative where
        it already was.
        """
        before = np.searchsorted(self.starts, moments)
        return np.concatenate(([-np.inf], self.finishes))[before] - moments

    def answered(self, moments: Times) -> NDArray[np.int64]:
        """How many were answered between each moment and the next."""
        return np.diff(np.searchsorted(np.sort(self.finishes), moments))

    def taken_s(self, moments: Times, at_once: int) -> Times:
        """Time that the slots of a target were taken between each moment and the next, where no
        more than `at_once` requests are answered at the same time.
        """
        if not len(self.starts):
            return np.zeros(len(moments) - 1)
        events = np.concatenate([self.starts, self.finishes])
        order = np.argsort(events, kind="stable")
        inside = np.cumsum(np.repeat([1, -1], len(self.starts))[order])[:-1]
        taken = np.cumsum(np.diff(events[order]) * np.minimum(inside, at_once))
        return np.diff(np.interp(moments, events[order], np.concatenate(([0.0], taken))))
