"""What samples tell beside figures: who was served how often, how long requests wait for others."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchsuite.core.observations import Cluster
from benchsuite.core.samples import TIMERS_S, Kind
from benchsuite.stats.summary import Samples, Window, about_half, inside

Times = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Traffic:
    """All requests of a load by their moments, in the order in which they were sent."""

    starts: Times
    finishes: Times

    @classmethod
    def of(cls, samples: Samples) -> "Traffic":
        ordered = samples[np.argsort(samples["start"], kind="stable")]
        return cls(ordered["start"], ordered["finish"])

    def backlog_s(self, moments: Times) -> Times:
        """How long each moment finds requests under way that were sent before it: so long a server
        needs that does one after another, in whatever order.
        """
        latest = np.concatenate(([-np.inf], np.maximum.accumulate(self.finishes)))
        return np.maximum(latest[np.searchsorted(self.starts, moments)] - moments, 0.0)

    def own_times_s(self, window: Window) -> tuple[float, float]:
        """Low and high estimate of a window's median request, each less the backlog it found."""
        own = self.finishes - self.starts - self.backlog_s(self.starts)
        own = own[inside(self.starts, window)]
        if not len(own):
            return 0.0, 0.0
        beside = about_half(len(own))
        low, high = np.percentile(own, [50 - beside, 50 + beside])
        return float(low), float(high)

    def expected_s(self, moments: Times, own_s: float) -> Times:
        """The longest that a request of each moment waits if it queues as the load's do: until the
        next of those has its answer or, where none is sent meanwhile, the backlog and its own time.
        """
        alone_s = self.backlog_s(moments) + own_s
        after = np.searchsorted(self.starts, moments)
        starts = np.append(self.starts, np.inf)[after]
        finishes = np.append(self.finishes, np.inf)[after]
        return np.where(starts < moments + alone_s, finishes - moments, alone_s)

    def before_s(self, moments: Times) -> Times:
        """How long after each moment the request before it is answered, negative if before it."""
        before = np.searchsorted(self.starts, moments)
        return np.concatenate(([-np.inf], self.finishes))[before] - moments

    def answered(self, moments: Times) -> NDArray[np.int64]:
        """How many were answered between each moment and the next."""
        return np.diff(np.searchsorted(np.sort(self.finishes), moments))

    def taken_s(self, moments: Times, at_once: int) -> Times:
        """Time that slots, `at_once` at the most, were taken between each moment and the next."""
        if not len(self.starts):
            return np.zeros(len(moments) - 1)
        events = np.concatenate([self.starts, self.finishes])
        order = np.argsort(events, kind="stable")
        under_way = np.cumsum(np.repeat([1, -1], len(self.starts))[order])[:-1]
        taken = np.cumsum(np.diff(events[order]) * np.minimum(under_way, at_once))
        return np.diff(np.interp(moments, events[order], np.concatenate(([0.0], taken))))


STARVED_SHARE = 0.1  #: B206: what a starved user gets at most of what a user gets on average.
BAND_S = 0.02
"""How much longer than the timer a stalled answer may take: its own work, its place in the queue,
and the timers' granularity. It is a reason to ask the target, whose word decides."""
EARLY = 0.75
"""From this share of a timer on: the fastest answer made a connection, too, and on a busy machine
it was none of the fastest."""


def slots_busy_percent(samples: Samples, window: Window, at_once: int) -> float:
    """How much of the time of a window `at_once` slots of a target were taken."""
    taken_s = Traffic.of(samples).taken_s(np.array(window), at_once)
    return float(taken_s[0]) / (window[1] - window[0]) / at_once * 100


def queued(samples: Samples, window: Window, at_once: int) -> float:
    """Mean number of requests in flight over a window beyond the `at_once` that are answered."""
    traffic, edges = Traffic.of(samples), np.array(window)
    all_s, taken_s = (traffic.taken_s(edges, most)[0] for most in (len(samples), at_once))
    return float(all_s - taken_s) / (window[1] - window[0])


def cluster(samples: Samples, window: Window) -> Cluster | None:
    """The timer by which most of a window's successes took longer than the fastest of the load."""
    right = samples[samples["kind"] == Kind.OK]
    if not len(right):
        return None
    times = right["finish"] - right["start"]
    # of the whole load, as new connections don't stall yet
    longer = times[inside(right["intended_start"], window)] - float(times.min())
    if not len(longer):
        return None
    shares = {
        timer: float(((longer >= EARLY * timer) & (longer < timer + BAND_S)).mean()) * 100
        for timer in TIMERS_S
    }
    at_s = max(shares, key=lambda timer: shares[timer])
    return Cluster(at_s=at_s, percent=shares[at_s])


def answers_by_user(requests: Samples, window: Window, users: int) -> tuple[int, ...]:
    """Right answers that each user got inside the window; users are numbered from 0."""
    done = requests[(requests["kind"] == Kind.OK) & inside(requests["finish"], window)]
    return tuple(np.bincount(done["user"], minlength=users)[:users].tolist())


IN_VAIN = (Kind.READ_TIMEOUT, Kind.UNFINISHED)  #: Taken by the server, never answered.


def in_vain(requests: Samples, window: Window) -> int:
    """How many were under way all through a window, in none of its counts, and never answered."""
    through = (requests["start"] < window[0]) & (requests["finish"] >= window[1])
    return int(np.isin(requests["kind"][through], IN_VAIN).sum())
