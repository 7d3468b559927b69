"""Waiting for answers: one timer for all deadlines; everything that has arrived is read first."""

from functools import cache
from itertools import takewhile
from time import monotonic
from typing import Any

from gevent import get_hub

STEP_S = 0.02  #: How late a deadline may be noticed.


class Waiting:
    """All waiters of this process: `resume()` and `expire()` of each are called in the hub, and may
    run the greenlet that waits. What has arrived in one turn of the loop is first read and timed,
    and only then processed: each time would include the work on those before it.
    """

    def __init__(self) -> None:
        hub = get_hub()
        self.park = hub.switch  #: Called in a greenlet: others run until it is switched to.
        self.loop: Any = hub.loop
        self.deadlines: dict[Any, float] = {}  #: In order, as all have the same time-out.
        self._arrived: list[Any] = []
        self._timer = self.loop.timer(STEP_S, STEP_S)
        self._timer.start(self._expire)

    def arrived(self, waiter: Any) -> None:
        """Resumes the waiter once everything that is there has been read."""
        if not self._arrived:
            self.loop.run_callback(self._resume)
        self._arrived.append(waiter)

    def _resume(self) -> None:
        arrived, self._arrived = self._arrived, []
        for waiter in arrived:
            waiter.resume()

    def _expire(self) -> None:
        now = monotonic()
        for waiter in list(takewhile(lambda one: self.deadlines[one] <= now, self.deadlines)):
            waiter.expire()


@cache
def waiting() -> Waiting:
    """Those of the load process, which has one thread and one hub."""
    return Waiting()
