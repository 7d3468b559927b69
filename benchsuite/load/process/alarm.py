"""Wakes a greenlet at a moment of the monotonic clock, to some hundredths of a millisecond.

With the event loop's own timers an arrival would be half a millisecond late on average, which is
much of a fast page's response time.
"""

from time import monotonic
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
