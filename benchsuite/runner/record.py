"""A run while it is being made, whatever happens next, and what became of it as a frozen value."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from benchsuite import findings as validity
from benchsuite.core.exceptions import BenchsuiteError, DatabaseError, LoadError
from benchsuite.core.observations import Effort, Evidence, FrontShares, OfLevel, Segment
from benchsuite.core.printable import hidden, hidden_in
from benchsuite.core.readings import LOAD, in_window, mean_cpu_percent, memory, work_s
from benchsuite.core.results import Asked, Ceiling, Reading, RunResult, Status, Summary, WebSockets
from benchsuite.core.samples import ANSWERED, EVENT, HANDSHAKE, JOURNEY, REQUEST, UNITS
from benchsuite.findings.generator import littles_law
from benchsuite.findings.sockets import memory_kept
from benchsuite.findings.target import answered_elsewhere, stall
from benchsuite.findings.window import QUEUES_PERCENT, near_capacity
from benchsuite.isolation.facts import Facts
from benchsuite.isolation.served.errors import DENIED, SOCKET
from benchsuite.load.job import Done
from benchsuite.load.parent.driver import NameEntry
from benchsuite.load.parent.figures import Figures, LoadFigures, Window, added, with_broadcasts
from benchsuite.runner.explaining import Profiler, explained
from benchsuite.runner.gains import Answers, Learned, answers
from benchsuite.runner.monitor import INTERVAL_S, Monitor
from benchsuite.runner.planning import Plan
from benchsuite.runner.running_system import ELSEWHERE, FRONT, TARGET, RunningSystem
from benchsuite.stats import signs
from benchsuite.stats.levels import ceiling_rate, climb, level_of
from benchsuite.stats.signs import Traffic
from benchsuite.stats.summary import Samples
from benchsuite.telemetry.sampler import Sampler

CpuShares = Mapping[str, float | None]  #: Of each part that answers, over a window; 100 is one CPU.
Ceilings = Callable[[Mapping[str, object]], Sequence[Ceiling]]
"""What the load generator was seen to make at most in an environment."""
SAME = (
    *("spec", "status", "started_at", "failure_code", "unit", "intervals", "readings"),
    *("websockets", "asked", "diagnosis", "sampler_cpu_percent"),
)
"""Fields that a result has as the record has them."""


class RunRecord:
    """Filled in step by step; a result can be made of it at any moment."""

    def __init__(self, plan: Plan, *, started_at: datetime) -> None:
        work, self.started_at = plan.workload, started_at
        self.plan, self.spec = plan, plan.spec
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
        self.populations, self.unit = work.populations(self.spec.load), work.unit
        self.websockets: WebSockets | None = None
        self.monitor = Monitor(self.serving, ())  #: Of what the load runs against.
        self.learned = Learned()  #: Of what completions leave in tables.
        self.answers: Answers | None = None  #: What became of all that was asked.
        self.seen: int | None = None  #: Requests of the load, by the target's own count.
        self.viewed: int | None = None  #: How often views ran during the load.
        self.asked: Asked | None = None
        self.sends_forms = False  #: Whether the checked journey did.
        self.by_parts = False  #: Whether load hosts have sent figures in place of samples.
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
            self.sampler_cpu_percent, self.monitor.errors = seen.cpu_percent, seen.errors

    def read_samples(self, samples: Samples, names: Sequence[NameEntry]) -> None:
        """Figures from the load's samples; nothing when it was stopped before its window began."""
        if (done := self.done) is None:
            return
        errors, load, work = self.serving.errors, self.spec.load, self.plan.workload
        # a refused handshake is told with its status
        of_sockets = [error for error in errors if error.asked.startswith(f"{SOCKET} ")]
        self.evidence.socket_errors = [one.words for one in of_sockets if one.status != DENIED]
        names = explained(names, errors)
        samples, names = with_broadcasts(samples, names, timeout_s=load.timeout_s)
        figures = Figures(samples, names, done, load, self.unit, self.plan.at_once, self.alike)
        self.read_figures(figures.together(self.populations))
        if self.total is None:
            return
        # the server paces events, and what is fast for one population is not for another
        if load.keep_alive and self.unit != EVENT and not self.populations:
            self.evidence.cluster = signs.cluster(figures.requests, done.window)
        self.traffic = Traffic.of(figures.requests)
        self.websockets = figures.websockets(
            self.readings, reads_memory=work.reads_memory, storm_s=work.storm_s
        )

    def read_parts(self, parts: Sequence[LoadFigures]) -> None:
        """Figures from those of load hosts, whose samples were too many."""
        self.by_parts = True
        if self.done is not None:
            self.read_figures(added(parts, done=self.done, load=self.spec.load, alike=self.alike))

    def read_figures(self, figures: LoadFigures) -> None:
        """The figures of a load that hold for parts of it as well."""
        load = self.spec.load
        users = load.in_flight_limit if load.is_open else int(max(load.levels))
        self.answers, self.intervals = answers(figures.counts, users), figures.intervals
        kinds = Counter[int]()
        for (_, scope, kind), count in figures.counts.items():
            kinds[kind] += count * (scope == REQUEST)
        probes = self.monitor.asked
        self.asked = Asked(
            sent=kinds.total() + self.answers.resent + len(probes),
            answered=sum(kinds[kind] for kind in ANSWERED) + sum(probes),
            seen=self.seen,
            viewed=self.viewed,
        )
        if figures.total is None:
            self.fail(Status.INTERRUPTED, "Stopped before the window began: nothing was measured.")
            return
        self.total, self.segments = figures.total, figures.segments
        several = load.stages or self.populations
        by_level = (segment.total for segment in figures.segments if several)
        self.summaries = (*figures.by_name.values(), *by_level)

    @property
    def headline(self) -> int | None:
        """The place of the stage that stands for the run; None without stages or requests."""
        load = self.spec.load
        if not load.stages or not self.segments or not (self.total and self.total.requests):
            return None
        levels = [level_of(one.total, one.arrived_per_s or 0.0) for one in self.segments]
        return climb(levels).headline

    def ask_again(self) -> None:
        """Asks the target, after a whole run, what only it can tell, if times give reason to."""
        cluster = self.evidence.cluster
        if self.status is not Status.FINISHED or cluster is None:
            return
        seen = self.monitor.stall() if stall.rule.level(cluster.percent) else None
        if seen is not None and (seen.is_shown or self.asks_one_page):
            self.evidence.stall = seen

    @property
    def asks_one_page(self) -> bool:
        """Whether what the prober asks is all that the figures are of."""
        return [one.scope for one in self.summaries if one.scope in UNITS[self.unit]] == [REQUEST]

    @property
    def readings(self) -> tuple[Reading, ...]:
        """In seconds since the first request, or the first reading where no request is known."""
        if not self._seen:
            return ()
        origin = self.done.origin if self.done is not None else self._seen[0].second
        return tuple(replace(one, second=one.second - origin) for one in self._seen)

    @property
    def window(self) -> tuple[float, float] | None:
        """Begin and end of the window in seconds since the first request."""
        return None if self.done is None else self.since_origin(self.done.window)

    def load_ended(self) -> None:
        """Hears what an agent has still to tell of the target."""
        if self.done is not None:
            self._seen = (*self._seen, *self.monitor.ended(self.done.window))
            if self.monitor.agent is not None:
                seen_by = self.monitor.agent.agent
                self.settings_changed[f"(agent {seen_by.name})"] = seen_by.words

    def since_origin(self, window: Window) -> Window:
        """A span of the monotonic clock in seconds since the first request."""
        origin = self.done.origin if self.done is not None else 0.0
        return window[0] - origin, window[1] - origin


def gathered(record: RunRecord, done: Done, ceilings: Sequence[Ceiling]) -> Evidence:
    """The evidence of a run whose window has begun, with that of each of its stages."""
    spec, load, plan, window = record.spec, record.spec.load, record.plan, record.window
    sockets, monitor, agent = record.websockets, record.monitor, record.monitor.agent
    # stages are meant to differ, and so is a storm from the calm around it; a fixed amount of work
    # begins with a storm and ends with those who are last
    is_even = not (load.stages or load.iterations or plan.workload.storm_s is not None)
    reads_memory = is_even and record.unit != HANDSHAKE  # see `closed`
    whole = replace(
        record.evidence,
        unit=record.unit,
        total=record.total,
        journeys=[one for one in record.summaries if one.scope == JOURNEY],
        handshakes=[one for one in record.summaries if one.scope == HANDSHAKE],
        intervals=record.intervals if is_even else (),
        memory=memory(record.readings, TARGET, window) if reads_memory else (),
        unmade=None if done.stopped or load.iterations is None else done.unmade,
        window=window,
        work_s={part: work_s(record.readings, part, window) for part in (TARGET, LOAD)},
        load_cpu_percent=done.cpu_percent,
        load_lag_p50_s=done.lag_p50_s,
        load_lag_p99_s=done.lag_p99_s,
        unheld=record.learned.words,
        asked=None if plan.workload.locustfile else record.asked,
        slowing=record.facts.slowing,
        undone=record.facts.undone,
        diagnosed=spec.diagnoses,
        turnover=monitor.turnover(done.window),
        log=monitor.log,
        sessions_refused=monitor.sessions_refused,
        host=monitor.host.shares(*done.window),
        clock=monitor.host.clock(INTERVAL_S),
        cpus_shared=monitor.cpus_shared,
    )
    if sockets is not None:
        whole.accounts, whole.recovery = sockets.accounts, sockets.recovery
        whole.idle, whole.closed = sockets.idle, sockets.closed
    # processes that share a project's layer in memory only in its name
    if set(record.facts.memory_layers) - ({"default"} if spec.layer.backend else set()):
        whole.layers_apart = plan.server.processes * spec.server.instances
    if agent is not None:
        whole.agent, whole.load_machine = agent.agent, None if agent.is_here else whole.host
        whole.host = agent.seen.host
    if not plan.server.starts and whole.host is not None and agent is None:
        # here or not, nothing here says more
        others_percent = None if plan.most_per_s is None else whole.host.others_percent
        whole.host = replace(whole.host, listen_overflows=None, others_percent=others_percent)
    whole.unwatched = (*monitor.unwatched(done), *_unseen(record))
    parts = [_of(segment, whole, record, ceilings) for segment in record.segments]
    if not load.stages and not record.populations:
        return parts[0] if parts else whole
    return replace(whole, stages=parts, headline=record.headline)


def _unseen(record: RunRecord) -> Iterator[str]:
    """What can't be known of such a target or load, and which checks need it."""
    is_seen = record.plan.server.starts or record.monitor.agent is not None
    is_counted = record.asked is None or record.asked.seen is not None
    if not is_seen:
        yield "processes, CPU and memory of the target, so whether it was the limit (B203, B204)"
    if not record.plan.server.starts:
        if not record.serving.run_header:
            yield (
                "who answered, and how many of the requests the target saw (B202, B213), as it has "
                "no benchsuite.target.middleware.run_middleware"
            )
        elif not is_counted:
            yield "how many of the requests the target saw (B213), as it is on several hosts"
        if record.sends_forms:
            yield "whether what was sent is stored (B208)"
    if record.plan.most_per_s is None and not is_seen:
        yield "what else this machine did, as the target is on it (B401)"
    if record.by_parts:
        yield (
            "what all samples show together: what slow answers have in common, whether a timer of "
            f"TCP holds them up ({stall.number}), and at a --rate how busy the server's slots are "
            f"({near_capacity.number})"
        )
    if not record.spec.load.is_open and None in [one.waiting_users for one in record.segments]:
        why = "users need not all do the same"
        if record.alike or record.populations:
            why = "the run was stopped, or no journey ended"
        yield f"whether users lost time in the load generator ({littles_law.number}), as {why}"
    if any(segment.total.failures for segment in record.segments):
        what = f"response times account for what was in flight ({littles_law.number})"
        yield f"whether {what}, as requests failed"
    sockets = record.websockets if is_seen and record.unit == HANDSHAKE else None
    if sockets and sockets.closed is None and record.plan.workload.storm_s is None:
        what = f"whether closed connections leave memory behind ({memory_kept.number})"
        yield f"{what}, as it was read, or connections were made, too seldom"
    if record.serving.instructions is not None and not is_counted:
        yield f"how many of the requests the target saw ({answered_elsewhere.number})"


def _of(
    segment: Segment, whole: Evidence, record: RunRecord, ceilings: Sequence[Ceiling]
) -> Evidence:
    """The same run, looked at over one segment."""
    load, total, monitor = record.spec.load, segment.total, record.monitor
    on = monitor.cpus_target
    window = record.since_origin(segment.window)
    parts = {TARGET, FRONT, *(one.part for one in record.readings)} - {LOAD, *ELSEWHERE}
    used = {part: mean_cpu_percent(record.readings, part, window) for part in parts}
    cpus_percent = _cpus_busy(record, used, on)
    # what the prober asks, if the load's figures of it are known
    name = None if load.stages else monitor.page
    pages = (one for one in record.summaries if one.scope == REQUEST and one.name == name)
    page = total if record.asks_one_page else next(pages, None)
    probes = monitor.probes(segment, page, record.traffic) if page else None
    unprobed = "the journeys of stages ask several pages"
    if not monitor.page:
        unprobed = "the prober can only ask a page that each journey gets first, by a plain GET"
    if record.by_parts:
        unprobed = "it is compared with all samples, which were too many to be sent"
    # requests that may be in flight: users, or as many as there were in the open model
    in_flight = max(1.0, total.concurrency or 0.0) if load.is_open else total.level or load.users
    # messages and mixtures have no ceiling: it was requests that were calibrated
    has_ceiling = record.unit == REQUEST and not record.populations
    busy_percent = None  #: None in a closed model, where a target is meant to be busy.
    if segment.under_way is not None:
        shares = (segment.slots_busy_percent, cpus_percent)
        busy_percent = max((share for share in shares if share is not None), default=None)
    return replace(
        whole,
        stage=total.name if load.stages or record.populations else "",
        total=total,
        window=window,
        arrivals=total.arrivals,
        ceiling_rate=ceiling_rate(ceilings, load, in_flight) if has_ceiling else None,
        **{one.name: getattr(segment, one.name) for one in fields(OfLevel)},
        probes=probes,
        unprobed="" if probes else unprobed,
        slots_held=record.plan.slots_held(in_flight),
        front=_front(record, used, on),
        busy_percent=busy_percent,
        effort=_effort(record, used, segment, cpus_percent),
    )


def _cpus_busy(record: RunRecord, used: CpuShares, on: frozenset[int] | None) -> float | None:
    """The fuller of the CPUs that can answer and those that the server's processes can use."""
    answering = [share for share in used.values() if share is not None]
    if not on or not answering:
        return None
    own = 0.0
    if record.plan.server.starts:  # else nobody knows how many of its processes serve
        own = (used[TARGET] or 0.0) / _usable_cpus(record.plan, len(on))
    return min(max(sum(answering) / len(on), own), 100.0)


def _usable_cpus(plan: Plan, cpus: int) -> int:
    """How many of these its processes can use at once: each one of them, or all without a GIL."""
    holds_gil = not plan.server.serves_project or plan.server.python.facts.get("gil", True)
    return min(plan.server.processes * plan.spec.server.instances, cpus) if holds_gil else cpus


def _effort(
    record: RunRecord, used: CpuShares, segment: Segment, cpus_percent: float | None
) -> Effort | None:
    """Of the CPUs, by readings, where they are busy; else of the slots."""
    done, traffic = record.done, record.traffic
    if done is None or traffic is None or segment.under_way is None:
        return None
    begin, end = record.since_origin(segment.window)
    if record.plan.at_once and (cpus_percent or 0.0) <= QUEUES_PERCENT:
        words = "slot time"
        moments = np.arange(math.ceil(begin), math.floor(end) + 1, dtype=np.float64)
        taken_s = traffic.taken_s(moments + done.origin, record.plan.at_once)
    else:
        words = "CPU time"
        cpu_s: defaultdict[float, float] = defaultdict(float)
        for part in used:
            for reading in in_window(record.readings, part, (begin, end)):
                cpu_s[reading.second] += (reading.cpu_percent or 0.0) / 100 * INTERVAL_S
        seconds = sorted(cpu_s)
        moments = np.array([one - INTERVAL_S for one in seconds[:1]] + seconds)
        taken_s = np.array([cpu_s[second] for second in seconds])
    answered = traffic.answered(moments + done.origin)
    return Effort(words, tuple((taken_s / np.maximum(answered, 1)).tolist()))


def _front(record: RunRecord, used: CpuShares, on: frozenset[int] | None) -> FrontShares | None:
    """What the front used beside those behind it; None without one, or where it was not seen."""
    plan, front, target = record.plan, used[FRONT], used[TARGET]
    if plan.front is None or not on or front is None or target is None:
        return None
    return FrontShares(
        name=plan.spec.server.front,
        front_percent=front,
        front_cpus=plan.front.parallel or len(on),
        target_percent=target,
        target_cpus=_usable_cpus(plan, len(on)),
        answering_percent=sum(share for share in used.values() if share is not None),
        cpus=len(on),
    )


def result(
    record: RunRecord, environment: Mapping[str, Any], ceilings: Ceilings = lambda environment: ()
) -> RunResult:
    """Without passwords, whoever told them: command lines, logs, drivers' errors."""
    ended_at, server = datetime.now(UTC), record.plan.server
    python = server.python if server.starts else None
    evidence = Evidence(broken=record.evidence.broken)
    if record.total is not None and record.done is not None:
        evidence = gathered(record, record.done, ceilings(environment))
    findings = validity.assess(evidence)
    headline = None if record.headline is None else record.segments[record.headline]
    total = replace(headline.total, scope="all", order=0) if headline else record.total
    return RunResult(
        **{name: getattr(record, name) for name in SAME},
        ended_at=ended_at,
        failure=hidden(record.failure),
        argv=hidden_in(record.serving.argv),
        programs=hidden_in(record.serving.programs),
        delay=hidden_in(record.serving.delay),
        server_version=server.version(server.python),
        python_version=python.version if python else None,
        revision=record.facts.revision,
        python=dict(python.facts) if python else {},
        packages=dict(python.packages) if python else {},
        processes=server.processes if python else None,
        threads=server.threads if python else None,
        startup_s=record.serving.startup_s,
        window=record.since_origin(headline.window) if headline else record.window,
        total=hidden_in(total),
        summaries=hidden_in(record.summaries),
        findings=hidden_in(findings),
        verdict=validity.verdict(findings) if record.total is not None else None,
        environment=environment if record.monitor.agent is None else record.monitor.agent.facts,
        settings_changed=hidden_in(record.settings_changed),
        log_tail=hidden(record.serving.log),
    )
