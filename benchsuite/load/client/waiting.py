"""Waiting for answers: one timer for all deadlines; everything that has arrived is read first."""

from functools import cache
from time import monotonic
from typing import Any, Protocol

from gevent import get_hub

STEP_S = 0.02  #: How late a deadline may be noticed.


class Waiter(Protocol):
    """Both are called in the hub, and may run the greenlet that waits."""

    def resume(self) -> None: ...

    def expire(self) -> None: ...


class Waiting:
    """All waiters of this process.

    Everything that has arrived in one turn of the loop is first read and timed, and only then
    processed: otherwise each answer's time would include the work on those before it.
    """

    def __init__(self) -> None:
        hub = get_hub()
        self.park = hub.switch
        """Called in a greenlet: others run until somebody switches back to it."""
        self.loop: Any = hub.loop
        self.deadlines: dict[Waiter, float] = {}
        """Monotonic seconds; in order, because all have the same time-out."""
        self._arrived: list[Waiter] = []
        self._timer = self.loop.timer(STEP_S, STEP_S)
        self._timer.start(self._expire)

    def arrived(self, waiter: Waiter) -> None:
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
        due = []
        for waiter, deadline in self.deadlines.items():
            if deadline > now:
                break
            due.append(waiter)
        for waiter in due:
            waiter.expire()


@cache
def waiting() -> Waiting:
    """Those of the load process, which has one thread and one hub."""
    return Waiting()
