"""The course of a load by the monotonic clock: ramp and warm-up, window, drain."""

from collections.abc import Callable
from time import monotonic
from typing import Any, Protocol

import gevent
from gevent.event import Event
from locust.env import Environment

from benchsuite.exceptions import LoadError
from benchsuite.load.job import Done
from benchsuite.load.pulse import Pulse
from benchsuite.load.recorder import Recorder
from benchsuite.specs import LoadProfile

TICK_S = 1.0
DRAIN_STEP_S = 0.005
FIRST_START_S = 30.0
"""Longest time in which Locust must have started the first user."""

Say = Callable[[dict[str, Any]], None]


class Crowd(Protocol):
    """The users, from a workload or from a locustfile."""

    def environment(self, first_start: Callable[[], None]) -> Environment: ...

    def end(self) -> None:
        """Lets no request start any more."""

    def busy(self) -> bool:
        """Whether an answer is still waited for."""

    def give_up(self, moment: float) -> None:
        """Writes what is in flight down as unfinished."""

    def quit(self) -> None:
        """Lets the users undo what they did, shortly."""


class Course:
    """One load from "go" to its end."""

    def __init__(
        self, load: LoadProfile, crowd: Crowd, recorder: Recorder, stop: Event, say: Say
    ) -> None:
        self._load = load
        self._crowd = crowd
        self._recorder = recorder
        self._stop = stop
        self._say = say
        self._origin = 0.0
        self._started = Event()
        self._next_tick = 0.0
        self._users: list[tuple[float, int]] = []

    def run(self) -> Done:
        load = self._load
        environment = self._crowd.environment(self._first_start)
        runner = environment.runner or environment.create_local_runner()
        self._runner = runner
        pulse = Pulse()
        runner.start(load.users, load.spawn_rate or load.users)
        if not self._started.wait(FIRST_START_S):
            raise LoadError(f"Locust started no user within {FIRST_START_S:g} s.")
        self._next_tick = self._origin
        begin = self._origin + load.window_start_s
        end = begin + load.duration_s
        self._until(begin)
        pulse.begin()
        self._until(end)
        if self._stop.is_set():
            end = monotonic()
            begin = min(begin, end)
        pulse.end()
        stopped = self._stop.is_set()
        self._crowd.end()
        if runner.spawning_greenlet is not None:
            runner.spawning_greenlet.kill(block=False)
        self._drain()
        self._crowd.give_up(monotonic())
        self._crowd.quit()
        measured = begin < end
        return Done(
            origin=self._origin,
            window=(begin, end),
            stopped=stopped,
            users=tuple(self._users),
            cpu_percent=pulse.cpu_percent if measured else None,
            lag_p99_s=pulse.lag_p99_s if measured else None,
        )

    def _first_start(self) -> None:
        if not self._started.is_set():
            self._origin = monotonic()
            self._started.set()

    def _until(self, moment: float) -> None:
        """Waits for a moment or for the order to stop, and ticks on the way."""
        while not self._stop.is_set():
            self._tick_when_due()
            left = min(moment, self._next_tick) - monotonic()
            if left > 0:
                self._stop.wait(left)
            elif moment <= self._next_tick:
                return

    def _drain(self) -> None:
        limit = monotonic() + self._load.drain_limit_s
        while self._crowd.busy() and monotonic() < limit:
            gevent.sleep(DRAIN_STEP_S)
            self._tick_when_due()

    def _tick_when_due(self) -> None:
        now = monotonic()
        if now < self._next_tick:
            return
        self._next_tick += TICK_S * (1 + (now - self._next_tick) // TICK_S)
        self._recorder.flush()
        users = self._runner.user_count
        self._users.append((now, users))
        self._say({"event": "tick", "elapsed_s": now - self._origin, "users": users})
