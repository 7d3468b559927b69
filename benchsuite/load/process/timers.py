"""Timers of the load process: one wakes a greenlet on time, one tells how late timers are.

With the event loop's own timers an arrival would be half a millisecond late on average, which is
much of a fast page's response time.
"""

from collections import Counter
from time import monotonic, process_time
from typing import Any

import gevent
from gevent import get_hub

from benchsuite.system.timers import TimerFd

READABLE = 1


class Alarm:
    """One alarm clock, for one greenlet at a time."""

    def __init__(self) -> None:
        self._timer = TimerFd()
        self._readable: Any = get_hub().loop.io(self._timer.file, READABLE)

    def wait_until(self, moment: float) -> None:
        """Always lets others have their turn, even when the moment has passed."""
        if moment <= monotonic():
            gevent.sleep(0)
            return
        self._timer.arm(moment)
        get_hub().wait(self._readable)
        self._timer.clear()


INTERVAL_S = 0.01
STEP_S = 0.00001
"""Lateness is counted in steps of this size: a day of it needs no more memory than a second."""


class LagTimer:
    """Watches the load process itself between `begin()` and `end()`."""

    def __init__(self) -> None:
        self._steps: Counter[int] = Counter()
        self._watching = False
        self._begun = (0.0, 0.0)
        self._ended = (0.0, 0.0)
        self._greenlet = gevent.spawn(self._ring)

    def begin(self) -> None:
        self._watching = True
        self._begun = (monotonic(), process_time())

    def end(self) -> None:
        self._watching = False
        self._ended = (monotonic(), process_time())

    @property
    def cpu_percent(self) -> float | None:
        """CPU share of this process; 100 is one CPU. None when nothing was watched."""
        wall = self._ended[0] - self._begun[0]
        return 100 * (self._ended[1] - self._begun[1]) / wall if wall > 0 else None

    def lag_s(self, percent: float) -> float | None:
        """A percentile of the timers' lateness."""
        rank = percent / 100 * self._steps.total()
        seen = 0
        for step in sorted(self._steps):
            seen += self._steps[step]
            if seen >= rank:
                return step * STEP_S
        return None

    def _ring(self) -> None:
        """One that is late hides none that were due meanwhile: each of them was late, too."""
        alarm = Alarm()  # the loop's own timers are up to 1 ms late even when idle
        due = monotonic()
        while True:
            due += INTERVAL_S
            alarm.wait_until(due)
            now = monotonic()
            self._note(now - due)
            while due + INTERVAL_S <= now:
                due += INTERVAL_S
                self._note(now - due)

    def _note(self, late_s: float) -> None:
        if self._watching:
            self._steps[round(max(0.0, late_s) / STEP_S)] += 1
