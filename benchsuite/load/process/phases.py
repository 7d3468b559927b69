"""The phases of a load by the monotonic clock: ramp and warm-up, window, drain."""

from collections.abc import Callable
from math import inf
from time import monotonic
from typing import Any

import gevent
from gevent.event import Event

from benchsuite.core.exceptions import LoadError
from benchsuite.core.specs.load import Stage
from benchsuite.load.client.target import SpoolRecorder
from benchsuite.load.job import Done, Job
from benchsuite.load.process.locustfile import LocustfileUsers
from benchsuite.load.process.timers import LagTimer
from benchsuite.load.process.users import Journeys

TICK_S = 1.0
DRAIN_STEP_S = 0.005
FIRST_START_S = 30.0  #: How long Locust may take to start the first user.
ENTER_S = 0.01  #: How long each standby user may take to get ready, such as to connect.
Say = Callable[[dict[str, Any]], None]
Pool = Journeys | LocustfileUsers


class Phases:
    """One load from "go" to its end."""

    def __init__(
        self, job: Job, users: Pool, recorder: SpoolRecorder, stop: Event, say: Say
    ) -> None:
        """Does what takes time before the load begins."""
        self._load = job.load
        self._shared_origin = job.parts > 1 or bool(users.standing_by)
        self._spawn_rate = job.load.spawn_rate and job.load.spawn_rate / job.parts
        self._pool = users
        self._recorder = recorder
        self._stop = stop
        users.on_finish = stop.set
        self._say = say
        self._origin = 0.0
        self._started = Event()
        self._next_tick = inf  #: No tick is due before the load begins.
        self._users: list[tuple[float, int]] = []
        self._connections: list[tuple[float, int]] = []
        self._runner = users.runner(self._first_start)
        if count := users.standing_by:
            self._runner.start(count, count)
            limit_s = FIRST_START_S + count * ENTER_S
            if not users.wait_for_standing_by(limit_s):
                raise LoadError(f"Locust did not start {count} users within {limit_s:g} s.")

    def run(self, origin: float) -> Done:
        """The load from its start, a moment of the monotonic clock, to its end."""
        lag_timer = LagTimer()
        self._until(origin)
        self._pool.begin(origin)
        first, *further = self._load.plan
        self._rise(first)
        if not self._started.wait(FIRST_START_S):
            raise LoadError(f"Locust started no user within {FIRST_START_S:g} s.")
        if self._shared_origin:
            self._origin = origin
        self._next_tick = self._origin
        begin = self._origin + first.window_start_s
        end = self._origin + self._load.window_end_s
        self._until(begin)
        lag_timer.begin()
        for stage in further:
            self._until(self._origin + stage.start_s)
            if not self._stop.is_set():
                self._rise(stage)
        self._until(end)
        if self._stop.is_set():
            end = self._pool.finished_at or monotonic()
            begin = min(begin, end)
        lag_timer.end()
        stopped = self._stop.is_set() and self._pool.finished_at is None
        if self._load.iterations is not None and not stopped:
            end = self._pool.work_ended_at(end)
        unmade = self._pool.unmade
        self._pool.end()
        if self._runner.spawning_greenlet is not None:
            self._runner.spawning_greenlet.kill(block=False)
        limit = monotonic() + self._load.drain_limit_s
        while (awaited := self._pool.awaited()) and monotonic() < limit:
            gevent.sleep(DRAIN_STEP_S)
            self._tick_when_due(awaited)
        self._pool.give_up(monotonic())
        sent, dropped = self._pool.tallies()
        self._pool.quit()
        measured = begin < end
        return Done(
            origin=self._origin,
            window=(begin, end),
            stopped=stopped,
            users=tuple(self._users),
            connections=tuple(self._connections),
            cpu_percent=lag_timer.cpu_percent if measured else None,
            lag_p50_s=lag_timer.lag_s(50) if measured else None,
            lag_p99_s=lag_timer.lag_s(99) if measured else None,
            sent=sent,
            dropped=dropped,
            unmade=unmade,
            traffic=self._pool.traffic(),
        )

    def _rise(self, stage: Stage) -> None:
        if count := self._pool.rise(stage.level):
            self._runner.start(count, self._spawn_rate or count)

    def _first_start(self) -> None:
        if not self._started.is_set():
            self._origin = monotonic()
            self._started.set()

    def _until(self, moment: float) -> None:
        """Waits for a moment or for the order to stop, and ticks meanwhile."""
        while not self._stop.is_set():
            self._tick_when_due()
            left = min(moment, self._next_tick) - monotonic()
            if left > 0:
                self._stop.wait(left)
            elif moment <= self._next_tick:
                return

    def _tick_when_due(self, awaited: int | None = None) -> None:
        now = monotonic()
        if now < self._next_tick:
            return
        self._next_tick += TICK_S * (1 + (now - self._next_tick) // TICK_S)
        self._recorder.flush()
        users = self._pool.count()
        self._users.append((now, users))
        if (connections := self._pool.connections()) is not None:
            self._connections.append((now, connections))
        tick = {"elapsed_s": now - self._origin, "users": users, "awaited": awaited}
        within_s = self._load.ends_within_s
        for stage in self._load.plan:
            # of the window under way, if it may end the load: when it began, and what is late
            begun = self._origin + stage.window_start_s
            if within_s is not None and begun < now < self._origin + stage.window_end_s:
                tick |= {"begun": begun, "overdue": self._pool.overdue(begun, now - within_s)}
        self._say({"event": "tick", **tick})
