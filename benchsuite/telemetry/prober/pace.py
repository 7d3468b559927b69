"""How often the prober asks: as the load's own figures allow, whatever its own answers take."""

from collections import deque
from dataclasses import dataclass

from benchsuite.core.specs import LoadProfile
from benchsuite.findings.prober import FEWEST_PROBES

USUAL_SHARE = 0.01
"""Of what the load asks, the prober asks this much: it must not be a load itself."""

MOST_SHARE = 0.05
"""Where that is too seldom for `ENOUGH` in a window, it asks more often, but at most this much."""

ENOUGH = 2 * FEWEST_PROBES  #: In a window: twenty connections, each asked twice.

LEAST_PAUSE_S = 0.2
"""Five times a second costs 2 ms of CPU a second, and gives `ENOUGH` in windows of 8 s."""

SHORT_S = 10.0  #: A fixed amount of work is taken to last so long, as nobody knows.

AT_ONCE = 8  #: Requests that may wait for an answer. All of eight that hang are proof that most do.

PATIENCE_S = 1.0
PATIENCE = 30  #: A probe hangs when it has waited so long, and so many times the load's median.

SLOW = 1.5  #: An answer that takes so many times the load's median is slow.

LOOK_BACK = 5  #: Ticks over which the load's rate is told: answers of a slow page come in bursts.


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """What the prober keeps to until it is told another."""

    pause_s: float  #: Between two requests, on average.
    patience_s: float
    at_once: int
    slow_s: float  #: A connection whose answers take longer is asked more often.


class Pacing:
    """Follows a load second by second."""

    def __init__(self, load: LoadProfile) -> None:
        self._load = load
        self._seen: deque[tuple[float, int]] = deque([(0.0, 0)], maxlen=LOOK_BACK + 1)
        self._p50_s: float | None = None

    def told(self, elapsed_s: float, requests: int, p50_s: float | None) -> None:
        """`requests` have ended since the load's begin; `p50_s` is the median of the last."""
        self._seen.append((elapsed_s, requests))
        self._p50_s = p50_s or self._p50_s

    @property
    def pace(self) -> Pace:
        load, rate = self._load, self._rate
        wanted_s = (load.duration_s if load.iterations is None else SHORT_S) / ENOUGH
        pause_s = wanted_s
        if rate:
            usual_s = max(LEAST_PAUSE_S, 1 / (USUAL_SHARE * rate))
            pause_s = max(min(usual_s, wanted_s), 1 / (MOST_SHARE * rate))
        if not self._p50_s:  # a page that is slower than the warm-up, perhaps
            limit_s = load.timeout_s
            return Pace(pause_s=pause_s, patience_s=limit_s, at_once=1, slow_s=limit_s)
        return Pace(
            pause_s=pause_s,
            patience_s=min(load.timeout_s, max(PATIENCE_S, PATIENCE * self._p50_s)),
            at_once=AT_ONCE,
            slow_s=SLOW * self._p50_s,
        )

    @property
    def _rate(self) -> float:
        """Requests a second that the load makes."""
        (then, before), (now, requests) = self._seen[0], self._seen[-1]
        if requests > before:
            return (requests - before) / (now - then)
        if requests:
            return requests / now
        return min(self._load.levels) if self._load.is_open else 0.0
