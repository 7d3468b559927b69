"""The open model inside Locust: its users are slots that make a journey for each arrival.

One user is started for every journey that may be in flight; they wait before the load begins. A
dispatcher wakes one for each arrival of the schedule. If no slot is free, the arrival queues for
the next one, and its waiting counts, because it keeps its intended start.
"""

from collections import deque
from collections.abc import Callable
from math import inf
from time import monotonic
from typing import Any

import gevent
from gevent import get_hub
from gevent.event import Event
from gevent.hub import Waiter
from gevent.lock import BoundedSemaphore
from locust import User
from locust.exception import StopUser

from benchsuite.load.client.target import LoadEnded, Recorder, Target
from benchsuite.load.process.schedule import Tally, arrivals
from benchsuite.load.process.timers import Alarm
from benchsuite.load.process.users import Journeys, UserClient
from benchsuite.workloads.base import Workload

MOST_ENTERING = 50  #: Slots that get ready at a time: all at once would be a storm of connections.
TURN_S = 1.0  #: A slot has its turn about so often: before servers close idle connections.


class OpenModel(Journeys):
    """All slots, and the arrivals they wait for."""

    def __init__(self, target: Target, workload: Workload, recorder: Recorder) -> None:
        super().__init__(target, workload, recorder)
        job = target.job
        self.standing_by = job.share(job.load.in_flight_limit)
        self._moments = arrivals(job.load, seed=job.seed, part=job.part, parts=job.parts)
        self._next = inf  #: The earliest arrival that nobody has taken yet.
        self._end = inf
        self._turns: deque[tuple[UserClient, Any]] = deque()  #: As many as begin in TURN_S, or all.
        self._free: list[tuple[UserClient, Any]] = []
        """The others that wait. The last one takes the next arrival, so that few connections are
        used."""
        turning = TURN_S * min(job.load.levels) if job.load.in_turn else 0.0
        self._turning = inf if workload.in_turn else turning
        self._completes = True
        self._entered = 0  #: Slots that have got ready.
        self._entering = BoundedSemaphore(MOST_ENTERING)
        self._freed = Event()

    def wait_for_standing_by(self, limit_s: float) -> bool:
        """Slots still getting ready count, too: samples will show what keeps them waiting."""
        return super().wait_for_standing_by(limit_s) or len(self._users) == self.standing_by

    def begin(self, origin: float) -> None:
        super().begin(origin)
        self._sent = Tally(self._job.load, origin)
        self._advance()
        self._dispatcher = gevent.spawn(self._dispatch)

    def rise(self, level: float) -> int:
        """All slots were started before the load."""
        self._level = level
        return 0

    def count(self) -> int:
        return len(self._under_way)

    def end(self) -> None:
        """No more arrivals; those that arrived are still sent, and journeys are completed."""
        self._end = monotonic()

    def awaited(self) -> int:
        unsent = self._next < self._end
        return len(self._under_way) or int(unsent or self._sockets.busy)

    def overdue(self, since: float, before: float) -> int:
        """Of those that were never sent about as many as the level makes of the time."""
        unsent_s = before - max(self._next, since)
        level = self._level / self._job.parts
        never_sent = 1 + int(unsent_s * level) if unsent_s > 0 else 0
        return never_sent + sum(
            since <= intended < before
            for client in self._under_way
            for _, intended, _ in client.in_flight
        )

    def tallies(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        dropped = Tally(self._job.load, self._origin)
        while self._next < self._end:
            dropped.add(self._next)
            self._advance()
        return tuple(self._sent.counts), tuple(dropped.counts)

    def _advance(self) -> None:
        self._next = self._origin + next(self._moments, inf)

    def _take(self) -> float | None:
        """The earliest arrival, if it is due."""
        moment = self._next
        if moment > monotonic() or moment >= self._end:
            return None
        self._sent.add(moment)
        self._advance()
        return moment

    def _dispatch(self) -> None:
        alarm = Alarm()
        wake: Callable[..., object] = get_hub().loop.run_callback
        while self._next < self._end:
            alarm.wait_until(self._next)
            while self._turns or self._free:
                if (moment := self._take()) is None:
                    break
                client, slot = self._turns.popleft() if self._turns else self._free.pop()
                # entered now, so that the drain also waits for slots that have yet to wake up
                self._under_way[client] = (moment, monotonic())
                wake(slot.switch, moment)
            else:
                self._freed.clear()
                self._freed.wait()

    def _live(self, user: User) -> None:
        """A slot's life: a journey for each arrival it takes."""
        client = self._new_client()
        self._users.append((client, user))
        try:
            with self._entering:
                try:  # the workload may fail; the journeys then try again, and report why
                    self._workload.enter(client)
                except Exception:  # noqa: BLE001, S110 - foreign code; without its slot no load would begin
                    pass
                finally:
                    client.settle()
            self._entered += 1
            if self._entered == self.standing_by:
                self._all_ready.set()
            while True:
                if (moment := self._take()) is None:
                    moment = self._wait(client)
                self._journey(client, monotonic(), intended=moment)
        except LoadEnded:
            raise StopUser from None

    def _wait(self, client: UserClient) -> float:
        """Waits for the next arrival that this slot is given."""
        slot: Any = Waiter()
        waiting = self._turns if client.user < self._turning else self._free
        waiting.append((client, slot))
        if not self._freed.is_set():
            self._freed.set()
        moment: float = slot.get()
        return moment
