"""A run while it is being made: what is known so far, whatever happens next."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np

from benchsuite.core.exceptions import BenchsuiteError, DatabaseError, LoadError
from benchsuite.core.observations import Evidence, Segment, Turn
from benchsuite.core.results import Asked, Reading, Status, Summary, WebSockets
from benchsuite.core.samples import ANSWERED, EVENT, REQUEST, RESENT, Kind
from benchsuite.findings.target import stall
from benchsuite.isolation.facts import Facts
from benchsuite.isolation.served.errors import DENIED, SOCKET
from benchsuite.load.job import Done
from benchsuite.load.parent.driver import NameEntry, Samples
from benchsuite.runner.figures import Figures, Window, segments, without_restart
from benchsuite.runner.gains import Answers, Learned, answers
from benchsuite.runner.monitor import Monitor
from benchsuite.runner.plan import Plan
from benchsuite.runner.reasons import explained
from benchsuite.runner.running_system import RunningSystem
from benchsuite.runner.sockets import websockets, with_broadcasts
from benchsuite.stats import signs
from benchsuite.stats.levels import climb, level_of
from benchsuite.stats.signs import Traffic
from benchsuite.telemetry import Sampler
from benchsuite.telemetry.profiler import Profiler

FEWEST_AFTER, FEW_RIGHT = 20, 0.1
"""Wrong answers that show that it stays so, and the share that may still be right among them."""


class RunRecord:
    """Filled in step by step; a result can be made of it at any moment."""

    def __init__(self, plan: Plan, *, started_at: datetime) -> None:
        work = plan.workload
        self.plan, self.spec, self.started_at = plan, plan.spec, started_at
        self.status = Status.FINISHED
        self.failure = self.failure_code = ""
        self.evidence = Evidence()  #: What is known of it so far; `result()` adds the rest.
        self.serving = RunningSystem()
        self.doing: Callable[[], str] = str  #: What is awaited before there are answers.
        self.settings_changed: dict[str, str] = {}  #: And what else is told beside these.
        self.facts = Facts()  #: Of the project and its data.
        self.done: Done | None = None
        self.total: Summary | None = None  #: Of all stages together, where there are several.
        self.summaries: tuple[Summary, ...] = ()
        self.intervals: tuple[Any, ...] = ()
        self._seen: Sequence[Reading] = ()  #: Their `second` is still that of the monotonic clock.
        self.sampler_cpu_percent: float | None = None
        self.alike = work.alike and not work.locustfile  #: Whether all users do the same.
        self.populations = work.populations(self.spec.load)
        self.unit, self.storm_s = work.unit, work.storm_s
        self.restarts = work.restarts  #: Whether the server is still to be restarted.
        self.away: tuple[float, float] | None = None
        """When the server was being restarted, in moments of the monotonic clock."""
        self.websockets: WebSockets | None = None
        self.monitor: Monitor | None = None
        self.learned = Learned()  #: Of what completions leave in tables.
        self.answers: Answers | None = None  #: What became of all that was asked.
        self.asked_before: int | None = None
        self.asked_after: int | None = None
        """What the target had been asked before and after the load, by its own count."""
        self.viewed: int | None = None  #: How often views ran during the load.
        self.asked: Asked | None = None
        self.asks_target_alone = not (
            work.locustfile or self.spec.server.front_options.get("static")
        )
        self.segments: tuple[Segment, ...] = ()
        self.traffic: Traffic | None = None
        self.profiler: Profiler | None = None
        self.diagnosis: Mapping[str, Any] | None = None  #: What a diagnostic start has seen.

    def fail(self, status: Status, failure: str, code: str = "", *, ours: bool = False) -> None:
        """The first reason stands. `ours` is what broke though the server did nothing wrong."""
        if not self.failure:
            self.status = status
            self.failure, self.failure_code = failure, code or status.value
            self.evidence.broken = ours

    def broke(self, error: BenchsuiteError, *, ours: bool = False) -> None:
        """It fails for that error."""
        ours = ours or isinstance(error, LoadError | DatabaseError)
        self.fail(Status.FAILED, str(error), error.code, ours=ours)

    @contextmanager
    def watched(self, sampler: Sampler) -> Iterator[None]:
        """Telemetry while the body runs, kept also when the body fails."""
        sampler.start()
        try:
            yield
        finally:
            seen = sampler.stop()
            self._seen = seen.readings
            self.sampler_cpu_percent = seen.cpu_percent
            if self.monitor is not None:
                self.monitor.errors = seen.errors

    def read_samples(self, samples: Samples, names: Sequence[NameEntry]) -> None:
        """Figures from the load's samples; nothing when it was stopped before its window began."""
        done = self.done
        if done is None:
            return
        errors = self.serving.errors
        names = explained(names, errors)
        self.evidence.socket_errors = [  # a refused handshake is told with its status
            one.words
            for one in errors
            if one.asked.startswith(f"{SOCKET} ") and one.status != DENIED
        ]
        load = self.spec.load
        users = load.in_flight_limit if load.is_open else int(max(load.levels))
        self.answers = answers(samples, names, users)
        samples, names = without_restart(samples, names, self.away)
        samples, names = with_broadcasts(samples, names, timeout_s=load.timeout_s)
        figures = Figures(samples, names, done, load, self.unit, self.at_once, self.alike)
        self.intervals = figures.intervals
        kinds = figures.of(REQUEST)["kind"]
        probes = self.monitor.asked if self.monitor is not None else []
        before, after = self.asked_before, self.asked_after
        self.asked = Asked(  # the target may still see a last probe
            sent=len(kinds) + len(figures.of(RESENT)) + len(probes),
            answered=int(np.isin(kinds, ANSWERED).sum()) + sum(probes),
            seen=None if before is None or after is None else after - before,
            viewed=self.viewed,
        )
        self.evidence.turn = _turn(figures.of(REQUEST), done.origin, self.asked_before)
        if done.window[1] <= done.window[0]:
            self.fail(Status.INTERRUPTED, "Stopped before the window began: nothing was measured.")
            return
        self.total = figures.total
        # the server paces events, and what is fast for one population is not for another
        if load.keep_alive and self.unit != EVENT and not self.populations:
            self.evidence.cluster = signs.cluster(figures.requests, done.window)
        self.traffic = Traffic.of(figures.requests)
        self.segments = segments(figures, self.populations)
        by_population = [one.total for one in self.segments] if self.populations else []
        self.summaries = (*figures.by_name, *figures.stages, *by_population)
        self.websockets = websockets(
            figures,
            self.readings,
            begin_s=done.origin,
            reads_memory=self.plan.workload.reads_memory,
            storm_s=self.storm_s,
            away=self.away,
        )

    def restart_is_due(self, elapsed_s: float) -> bool:
        """Whether the load has come to where the server is to be restarted."""
        due = self.restarts and self.storm_s is not None and elapsed_s >= self.storm_s
        return due and not self.evidence.died

    def restart(self) -> None:
        """Ends the server and starts it again, once, also when Ctrl-C breaks that off."""
        assert self.serving.restart is not None
        self.restarts = False
        self.away = self.serving.restart()
        if self.monitor is not None:
            self.monitor.census.begin_anew()

    @property
    def headline(self) -> int | None:
        """The place of the stage that stands for the run; None without stages or requests."""
        load = self.spec.load
        if not load.stages or not self.segments or not (self.total and self.total.requests):
            return None
        levels = [level_of(one.total, one.window[1] - one.window[0]) for one in self.segments]
        return climb(levels).headline

    def ask_again(self) -> None:
        """Asks the target, after a whole run, what only it can tell, if times give reason to."""
        cluster, monitor = self.evidence.cluster, self.monitor
        if self.status is not Status.FINISHED or monitor is None:
            return
        self.evidence.busy_after_percent = monitor.busy_after()
        if cluster is None or not stall.rule.level(cluster.percent):
            return
        seen = monitor.stall()
        if seen is not None and (seen.is_shown or self.asks_one_page):
            self.evidence.stall = seen

    @property
    def asks_one_page(self) -> bool:
        """Whether what the prober asks is all that the journeys ask."""
        return sum(summary.scope == REQUEST for summary in self.summaries) == 1

    @property
    def at_once(self) -> int | None:
        """Requests that the target answers at the same time; None where nothing limits them."""
        each = self.plan.server.at_once()
        return each * self.spec.server.instances if each else None

    @property
    def readings(self) -> tuple[Reading, ...]:
        """In seconds since the first request, or the first reading where no request is known."""
        if not self._seen:
            return ()
        origin = self.done.origin if self.done is not None else self._seen[0].second
        seen = self.monitor.with_probes(self._seen) if self.monitor else self._seen
        return tuple(replace(one, second=one.second - origin) for one in seen)

    @property
    def window(self) -> tuple[float, float] | None:
        """Begin and end of the window in seconds since the first request."""
        return None if self.done is None else self.since_origin(self.done.window)

    def since_origin(self, window: Window) -> Window:
        """A span of the monotonic clock in seconds since the first request."""
        origin = self.done.origin if self.done is not None else 0.0
        return window[0] - origin, window[1] - origin


def _turn(requests: Samples, origin: float, asked_before: int | None = None) -> Turn | None:
    """Where answers are right first and hardly any is afterwards; None where that isn't so."""
    requests = np.sort(requests, order="finish")
    right = requests["kind"] == Kind.OK
    before = int(np.argmin(right)) if not right.all() else 0
    after = right[before:]
    if len(after) < FEWEST_AFTER or after.mean() > FEW_RIGHT:
        return None
    at_s = float(requests["finish"][before]) - origin
    return Turn(right=before, at_s=at_s, asked_before=asked_before)
