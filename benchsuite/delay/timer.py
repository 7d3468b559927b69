"""Calls at moments of the monotonic clock, to some hundredths of a millisecond.

With an event loop's own timers a page that asks its database eight times would be late eight times.
"""

import asyncio
import heapq
import itertools
from collections.abc import Callable
from time import monotonic

from benchsuite.system.timers import TimerFd


class Timer:
    """One timerfd for any number of calls; after `close()` there are no more."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = TimerFd()
        self._loop = loop
        self._closed = False
        self._loop.add_reader(self._timer.file, self._ring)
        self._calls: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        """Keeps calls of one moment in order, and callables from being compared."""

    def at(self, moment: float, call: Callable[[], None]) -> None:
        """Calls at that moment of `time.monotonic()`, soon when it has passed."""
        if self._closed:  # a connection that was accepted just before the end
            return
        heapq.heappush(self._calls, (moment, next(self._numbers), call))
        if self._calls[0][0] == moment:
            self._timer.arm(moment)

    def close(self) -> None:
        self._closed = True
        self._loop.remove_reader(self._timer.file)
        self._timer.close()
        self._calls.clear()

    def _ring(self) -> None:
        self._timer.clear()
        calls = self._calls
        while calls and calls[0][0] <= monotonic():
            heapq.heappop(calls)[2]()
        if calls:
            self._timer.arm(calls[0][0])
