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


class Alarm:
    """One alarm clock, for one greenlet at a time."""

    def __init__(self) -> None:
        self._timer = TimerFd()
        self._readable: Any = get_hub().loop.io(self._timer.file, 1)  # readable

    def wait_until(self, moment: float) -> None:
        """Always lets others have their turn, even when the moment has passed."""
        if moment <= monotonic():
            gevent.sleep(0)
            return
        self._timer.arm(moment)
        get_hub().wait(self._readable)
        self._timer.clear()


INTERVAL_S = 0.01
STEP_S = 0.00001  #: Lateness is counted in steps: a day needs no more memory than a second.


class LagTimer:
    """Watches the load process itself between `begin()` and `end()`."""

    def __init__(self) -> None:
        self.cpu_percent: float | None = None  #: Of one CPU, while watching.
        self._steps: Counter[int] = Counter()
        self._begun: tuple[float, float] | None = None  #: Monotonic and CPU seconds.
        self._greenlet = gevent.spawn(self._ring)

    def begin(self) -> None:
        self._begun = monotonic(), process_time()

    def end(self) -> None:
        if self._begun is not None:
            wall, used = monotonic() - self._begun[0], process_time() - self._begun[1]
            self.cpu_percent = 100 * used / wall if wall > 0 else None
        self._begun = None

    def lag_s(self, percent: float) -> float | None:
        """A percentile of the timers' lateness."""
        seen, rank = 0, percent / 100 * self._steps.total()
        for step, count in sorted(self._steps.items()):
            seen += count
            if seen >= rank:
                return step * STEP_S
        return None

    def _ring(self) -> None:
        """One that is late hides none that were due meanwhile: each of them was late, too."""
        alarm = Alarm()  # the loop's own timers are up to 1 ms late even when idle
        due = monotonic() + INTERVAL_S
        while True:
            alarm.wait_until(due)
            now = monotonic()
            while due <= now:
                if self._begun is not None:
                    self._steps[round((now - due) / STEP_S)] += 1
                due += INTERVAL_S
