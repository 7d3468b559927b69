"""What a run found out, as frozen values; times in seconds, a missing value is None."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from benchsuite.core.specs import RunSpec


class Phase(StrEnum):
    WARM_UP = "warm-up"
    WINDOW = "window"
    DRAIN = "drain"


class Status(StrEnum):
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class Verdict(StrEnum):
    VALID = "valid"
    WEAK = "weak"
    INVALID = "invalid"


class Level(StrEnum):
    """How much a finding weighs: `info` leaves the verdict as it is."""

    INFO = "info"
    WEAK = "weak"
    INVALID = "invalid"


LATE_S = 0.01
"""A journey that begins so little late found a free slot; waking up takes some time, too."""

PERCENTILES = (10, 50, 75, 90, 95, 99, 99.9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """Times of the successful requests of a window, in seconds.

    A percentile that the sample can't carry is missing from `percentiles`
    (`benchsuite.stats.percentiles.samples_needed`).
    """

    count: int
    mean_s: float | None = None
    min_s: float | None = None
    max_s: float | None = None
    percentiles: Mapping[float, float] = field(default_factory=dict)
    histogram: str = ""
    """The encoded, mergeable HdrHistogram in µs; empty when nothing was counted."""

    def at(self, percent: float) -> float | None:
        return self.percentiles.get(percent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrivals:
    """What became of the plan of an open model, over the window."""

    offered_rate: float  #: Journeys that were meant to begin, per second.
    achieved_rate: float  #: Journeys that did begin, per second, whenever they were meant to.
    late: int  #: Journeys that began more than `LATE_S` after they were meant to, and were sent.
    dropped: int
    """Journeys that were meant to begin and never did: no slot was free until the drain's end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The figures of one name (a request, a journey, or all requests together) over the window."""

    name: str
    scope: str
    """"all" (every request), "stage" (every request of a stage), or what its samples are of
    (`benchsuite.core.samples`): "request", "journey", "message", "handshake" …"""
    requests: int  #: Those whose intended start lies in the window, answered or not.
    failures: int
    resent: int = 0
    """Of all requests and of a stage: those that were sent a second time, on a new connection,
    because the server closed the kept one before it answered."""
    failures_by_kind: Mapping[str, int] = field(default_factory=dict)
    failure_examples: Mapping[str, str] = field(default_factory=dict)  #: One message for each kind.
    throughput: float  #: Completions per second of the window, right or wrong.
    goodput: float  #: Correct completions per second of the window.
    body_bytes: int = 0
    response_time: Distribution
    service_time: Distribution
    concurrency: float | None = None
    """Mean number of requests in flight over the window, measured."""
    wait_time: Distribution | None = None
    """Intended start to start; None in the closed model, which has none."""
    arrivals: Arrivals | None = None  #: Of all requests and of a stage in the open model.
    level: float | None = None
    """Of a stage, and of the total of a run with stages: its users or its arrivals per second."""
    order: int = 0  #: Of a stage: its place, from 1.


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """One second of the load, all requests together, by second of finish."""

    second: int  #: Whole seconds since the first request.
    phase: Phase
    successes: int
    failures: int
    users: int | None = None
    p50_s: float | None = None
    p95_s: float | None = None
    p99_s: float | None = None
    connections: int | None = None
    """WebSockets open at its end; this and the next two are None where there are none."""
    strays: int | None = None  #: Messages that nobody waited for: copies, late ones, damaged ones.
    closed: int | None = None  #: Connections that ended before we had ended them.
    histogram: str = ""  #: Response times of the successes, encoded.


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One second of one part of the system (`target`, `front`, `database`, `load`, …)."""

    second: float
    """Seconds since the first request, negative before it; since the first reading, in a run whose
    load broke before it could tell of any."""
    part: str
    cpu_percent: float | None = None  #: 100 is one CPU fully used.
    memory_bytes: int | None = None
    """Proportional set size of the whole process tree: shared pages are divided, not counted
    twice.
    """
    processes: int | None = None
    threads: int | None = None
    open_files: int | None = None
    counts: Mapping[str, int] | None = None
    """What a service says of itself: a database's connections by state, Redis's clients."""
    work_s: float | None = None
    """Of target and load: CPU time of a fixed piece of work on their CPUs, which tells how fast
    these are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounts:
    """What became of all messages and connections of a window, exactly."""

    messages: int
    """Meant to be sent in the window, also when none could be; in a broadcast, one for each
    subscriber."""
    lost: int  #: Sent, and nothing came back in time.
    duplicated: int
    reordered: int
    corrupt: int  #: Came back as something else.
    misdirected: int  #: Came to another connection.
    handshakes: int  #: Connections that existed in the window, and those that were tried in vain.
    handshakes_failed: int  #: Of these, as the next three.
    closings_failed: int  #: Closing handshakes that the server did not answer.
    closed_early: int  #: Connections that the server ended.
    closes: Mapping[int, int] = field(default_factory=dict)
    """The same by the server's close code; 1006 where no close frame came."""
    broken: int = 0  #: Connections that the load ended, because the server broke the protocol.
    silence_s: float | None = None
    """How long those that ended with 1006 had been silent, in the median."""
    unsolicited: int = 0  #: Messages that the server sent by itself.
    unsolicited_bytes: int = 0

    @property
    def strays(self) -> int:
        return self.duplicated + self.reordered + self.corrupt + self.misdirected


@dataclass(slots=True)
class Traffic:
    """What compression makes of messages, and what was negotiated for it."""

    negotiated: dict[str, int] = field(default_factory=dict)
    """What servers answered to the offer of permessage-deflate → handshakes over the whole load;
    empty where they declined it."""
    sent_bytes: int = 0
    """Of messages that the load sent in the window on connections that compress."""
    sent_wire_bytes: int = 0  #: The same as they went out, with the heads of their frames.
    received_bytes: int = 0
    received_wire_bytes: int = 0

    def negotiate(self, answer: str) -> None:
        """A handshake whose answer says so."""
        self.negotiated[answer] = self.negotiated.get(answer, 0) + 1

    def since(self, begin: "Traffic") -> "Traffic":
        """The bytes since then, and all handshakes."""
        return Traffic(
            self.negotiated,
            self.sent_bytes - begin.sent_bytes,
            self.sent_wire_bytes - begin.sent_wire_bytes,
            self.received_bytes - begin.received_bytes,
            self.received_wire_bytes - begin.received_wire_bytes,
        )

    def __add__(self, other: "Traffic") -> "Traffic":
        names = [*self.negotiated, *other.negotiated]
        return Traffic(
            {name: self.negotiated.get(name, 0) + other.negotiated.get(name, 0) for name in names},
            self.sent_bytes + other.sent_bytes,
            self.sent_wire_bytes + other.sent_wire_bytes,
            self.received_bytes + other.received_bytes,
            self.received_wire_bytes + other.received_wire_bytes,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleMemory:
    """What a connection that says nothing takes of the target's memory, in bytes."""

    steps: tuple[tuple[int, int], ...]
    """(open connections, proportional set size of the target) at each step."""
    each_bytes: float | None = None  #: The slope over the steps; None when there are too few.
    low_bytes: float | None = None
    high_bytes: float | None = None  #: Its 95 % interval.
    before_bytes: int | None = None  #: What the target took before the first connection.


@dataclass(frozen=True, slots=True, kw_only=True)
class Lagging:
    """Subscribers of a broadcast that were slow, and what it took to keep messages for them."""

    subscribers: int
    grown_bytes: Mapping[str, int] = field(default_factory=dict)
    """Part (`target`, `redis`) → by how much its memory grew, from the load's begin to its most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """What became of the connections that were all cut in one moment."""

    cut: int
    back: int  #: Those that were connected again before the load ended.
    failed: int  #: Handshakes that failed meanwhile.
    half_back_s: float | None = None
    all_back_s: float | None = None
    """How long it took until half of them, or all, were; None where they never were."""
    away_s: float | None = None
    """From the begin of the server's restart to its first answer; None where users cut."""
    unclosed: int | None = None  #: Connections that the restart ended without a close frame.


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSockets:
    """What only WebSockets have."""

    accounts: Accounts
    connections: int | None = None  #: The most that were open at once.
    rate_connected: float | None = None
    """Messages per second of the time in which connections were open, not being made or closed."""
    idle: IdleMemory | None = None
    closed: IdleMemory | None = None
    """What each connection that was opened and closed again left behind in the target's memory."""
    recovery: Recovery | None = None  #: Where all connections were cut.
    lagging: Lagging | None = None  #: Where some subscribers of a broadcast were slow.
    compression: Traffic | None = None  #: None where it was not asked for.


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Requests over the whole load, warm-up and drain included, those of the prober too."""

    sent: int
    answered: int  #: With any status.
    seen: int | None = None  #: By the target's own count; None where it can't tell.


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One doubt about a run."""

    code: str
    level: Level
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """What the load generator makes at most, of a responder that costs next to nothing."""

    model: str = "closed"  #: Closed or open: arrivals are dispatched, and that costs too.
    processes: int = 1  #: Load processes.
    users: int
    """Requests in flight all the time: the users of a closed model, the slots of an open one."""
    keep_alive: bool
    throughput: float  #: Requests per second.
    load_cpu_percent: float | None = None  #: Of the busiest load process; 100 is one CPU.
    responder_cpu_percent: float | None = None
    """Near 100, the responder was the limit, and the generator's own ceiling is higher."""
    others_percent: float | None = None
    """What other programs took of all CPUs meanwhile: on a busy machine it is higher, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One program that a run started to be measured, or to be measured with."""

    part: str  #: To which its CPU and memory count: "target", "front", "workers", "database", …
    name: str
    argv: tuple[str, ...]
    version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """One run, whatever became of it."""

    spec: RunSpec
    status: Status
    started_at: datetime
    failure: str = ""  #: Why there is no result; empty when the run finished.
    argv: tuple[str, ...] = ()  #: Of the server, or of its first instance.
    programs: tuple[Program, ...] = ()  #: All that were started, in that order.
    delay: Mapping[str, Any] = field(default_factory=dict)
    """What made the added latency, and how exact it was; empty without any."""
    server_version: str | None = None
    python_version: str | None = None  #: Of the interpreter that the server ran under.
    revision: str = ""
    """Of the measured code: its commit, and what was changed since; empty when not known."""
    python: Mapping[str, Any] = field(default_factory=dict)
    """What that interpreter is: build, implementation, switches."""
    packages: Mapping[str, str] = field(default_factory=dict)
    """What was installed for that interpreter: distribution → version."""
    processes: int | None = None
    threads: int | None = None
    startup_s: float | None = None
    window: tuple[float, float] | None = None
    """Begin and end of the window in seconds since the first request; with stages, of that stage
    whose figures the total has."""
    unit: str = "request"  #: What the total is of: requests, messages or handshakes.
    total: Summary | None = None
    """With stages: of the one that stands for the run (`benchsuite.stats.levels`); its `level` says
    which."""
    summaries: tuple[Summary, ...] = ()
    intervals: tuple[Interval, ...] = ()
    readings: tuple[Reading, ...] = ()
    websockets: WebSockets | None = None
    asked: Asked | None = None
    findings: tuple[Finding, ...] = ()
    verdict: Verdict | None = None
    environment: Mapping[str, Any] = field(default_factory=dict)
    settings_changed: Mapping[str, str] = field(default_factory=dict)
    log_tail: str = ""
    sampler_cpu_percent: float | None = None  #: What watching cost, in percent of one CPU.


def is_completion(workload: str, scope: str, name: str) -> bool:
    """Whether these are figures of journeys with a name of their own, such as "survey coffee"."""
    return scope == "journey" and name.startswith(f"{workload} ")
