"""The results of a run, as frozen values; times in seconds, a missing value is None."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from benchsuite.core.specs import RunSpec
from benchsuite.core.states import UNREADABLE, Level, Phase, Status, Verdict  # noqa: F401


class Reached(StrEnum):
    """A limit of which finding B204 tells."""

    LISTEN_QUEUE = "listen-queue"
    SESSIONS = "database-sessions"
    POOL = "database-pool"
    SQLITE = "sqlite-lock"
    FILES = "open-files"
    THREADS = "threads"
    PORTS = "ports"
    LOAD_FILES = "open-files-of-load"


PERCENTILES = (10, 50, 75, 90, 95, 99, 99.9)


class Common(StrEnum):
    """What slow answers may have in common."""

    PERIOD = "period"
    PROCESS = "process"
    CONNECTION = "connection"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """Slow answers with something in common, and the percentile that they make higher."""

    common: Common
    share: float  #: Of the answers, that follow it.
    percent: float  #: The percentile that would be lower without them; 100 is the longest.
    at_s: float  #: The percentile.
    without_s: float  #: What it would be.
    period_s: float | None = None
    length_s: float | None = None  #: How long answers are held up in each period.
    slow: int | None = None  #: Processes or connections that are slow.
    groups: int | None = None  #: All of them.


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """Times of a window's successes; percentiles that the sample is too small for are missing."""

    count: int
    mean_s: float | None = None
    min_s: float | None = None
    max_s: float | None = None
    percentiles: Mapping[float, float] = field(default_factory=dict)
    histogram: str = ""  #: HdrHistogram in µs, encoded; empty for nothing.

    def at(self, percent: float) -> float | None:
        return self.percentiles.get(percent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrivals:
    """How an open model's schedule was kept, over the window."""

    offered_rate: float  #: Journeys due, per second.
    achieved_rate: float  #: Journeys started, per second, whenever they were due.
    late: int  #: Journeys started too long after they were due to have found a free slot.
    dropped: int  #: Journeys due for which no slot became free until the drain's end.


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The figures of one name (a request, a journey, or all requests together) over the window."""

    name: str
    scope: str  #: "all", "stage", or that of its samples (`benchsuite.core.samples`): "journey".
    requests: int  #: Requests with their intended start in the window, answered or not.
    failures: int
    resent: int = 0  #: For all and stages: sent again, as the server had closed the connection.
    failures_by_kind: Mapping[str, int] = field(default_factory=dict)
    failure_examples: Mapping[str, str] = field(default_factory=dict)  #: One message for each kind.
    throughput: float  #: Completions per second of the window, right or wrong.
    goodput: float  #: Correct completions per second of the window.
    body_bytes: int = 0
    response_time: Distribution
    service_time: Distribution
    concurrency: float | None = None  #: Mean number of requests in flight, measured.
    queued: float | None = None  #: More than the server answers at once, if limited.
    wait_time: Distribution | None = None  #: Intended to actual start; None in the closed model.
    patterns: tuple[Pattern, ...] = ()  #: For all requests and stages, in their response times.
    arrivals: Arrivals | None = None  #: For all requests and stages of the open model.
    level: float | None = None  #: Of a stage, or the headline's: users or arrivals per second.
    order: int = 0  #: For a stage: its place, from 1.


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """One second of the load: all requests that finished in it."""

    second: int  #: Whole seconds since the first request.
    phase: Phase
    successes: int
    failures: int
    users: int | None = None
    p50_s: float | None = None
    p95_s: float | None = None
    p99_s: float | None = None
    connections: int | None = None  #: Open WebSockets; None without any, as the next two.
    strays: int | None = None  #: Unexpected messages: duplicated, late or damaged.
    closed: int | None = None  #: Connections that ended before the load ended them.
    histogram: str = ""  #: Response times of the successes, encoded.


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One second of one part of the system (`target`, `front`, `database`, `load`, …)."""

    second: float  #: Since the first request (negative before it), else since the first reading.
    part: str
    cpu_percent: float | None = None  #: 100 is one CPU fully used.
    memory_bytes: int | None = None  #: Proportional set size: shared pages are divided.
    processes: int | None = None
    threads: int | None = None
    open_files: int | None = None
    counts: Mapping[str, int] | None = None  #: What a service reports: sessions by state, clients.
    work_s: float | None = None  #: For target and load: CPU time of a fixed piece of work.


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounts:
    """Exact counts of all messages and connections of a window."""

    messages: int  #: Due in the window, sent or not; in a broadcast, one for each subscriber.
    lost: int  #: Sent, but not answered in time.
    duplicated: int
    reordered: int
    corrupt: int  #: Came back changed.
    misdirected: int  #: Came to another connection.
    handshakes: int  #: Connections that existed in the window, and failed attempts.
    handshakes_failed: int  #: Of these, like the next three.
    closings_failed: int  #: Closing handshakes that the server did not answer.
    closed_early: int  #: Connections that the server ended.
    closes: Mapping[int, int] = field(default_factory=dict)  #: By close code.
    broken: int = 0  #: Connections that the load ended, because the server broke the protocol.
    silence_s: float | None = None  #: Median silence before connections ended with 1006.
    unsolicited: int = 0  #: Messages that the server sent by itself.
    unsolicited_bytes: int = 0

    @property
    def strays(self) -> int:
        return self.duplicated + self.reordered + self.corrupt + self.misdirected


@dataclass(slots=True)
class Traffic:
    """How compression was negotiated; runs of earlier versions have its bytes, too."""

    negotiated: dict[str, int] = field(default_factory=dict)
    """Answer to the offer of permessage-deflate → handshakes; the empty one declines it."""
    sent_bytes: int = 0  #: Of messages that the load sent in the window on compressing connections.
    sent_wire_bytes: int = 0  #: The same on the wire, with frame headers.
    received_bytes: int = 0
    received_wire_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleMemory:
    """Memory of the target per idle connection, in bytes."""

    steps: tuple[tuple[int, int], ...]  #: (open connections, bytes of the target) at each step.
    each_bytes: float | None = None  #: The slope over the steps; None with too few.
    low_bytes: float | None = None
    high_bytes: float | None = None  #: Its 95 % interval.
    before_bytes: int | None = None  #: The target's memory before the first connection.


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """The recovery of connections that were all cut at one moment."""

    cut: int
    back: int  #: Connections that were restored before the load ended.
    failed: int  #: Handshakes that failed meanwhile.
    half_back_s: float | None = None
    all_back_s: float | None = None  #: How long it took to restore half, or all of them.
    away_s: float | None = None  #: From the restart's start to its first answer, if not users cut.
    unclosed: int | None = None  #: Connections that the restart ended without a close frame.


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSockets:
    read_no_more: ClassVar = (
        "lagging",
    )  #: The slow subscribers that earlier versions could store.
    accounts: Accounts
    connections: int | None = None  #: The most that were open at once.
    rate_connected: float | None = None  #: Messages per second while connections were open.
    idle: IdleMemory | None = None
    closed: IdleMemory | None = None  #: Memory that each closed connection left behind.
    recovery: Recovery | None = None  #: If all connections were cut.
    compression: Traffic | None = None  #: None if not requested.


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Requests over the whole load, including warm-up, drain and the prober."""

    sent: int
    answered: int  #: With any status.
    seen: int | None = None  #: By the target's own count; None if unknown.
    viewed: int | None = None  #: How often views of the project ran for them; None if unknown.


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One doubt about a run."""

    code: str
    level: Level
    message: str
    hint: str = ""
    value: float | None = None  #: What was compared with the limits; None where nothing is.
    unit: str = ""  #: "%" or "bytes"; empty for a count.
    causes: tuple[str, ...] = ()  #: Codes of what the value counts (`Reached`).
    stages: tuple[str, ...] = ()  #: Those that it weighs on; empty for the whole run.


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """The load generator's limit, measured with a responder that costs next to nothing."""

    model: str = "closed"  #: Closed or open, which also pays for dispatching arrivals.
    processes: int = 1  #: Load processes.
    users: int  #: Requests in flight: users (closed) or slots (open).
    keep_alive: bool
    throughput: float  #: Requests per second.
    load_cpu_percent: float | None = None  #: Of the busiest load process; 100 is one CPU.
    responder_cpu_percent: float | None = None  #: Near 100 the responder was the limit.
    others_percent: float | None = None  #: CPU use of other programs meanwhile.


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program that a run started to be measured or to measure."""

    part: str  #: Where its CPU and memory count: "target", "front", "workers", "database", …
    name: str
    argv: tuple[str, ...]
    version: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)  #: Of a service: what it runs with.


Programs = list[Program]
Patterns = list[Pattern]
"""How these are stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """One run, finished or not."""

    spec: RunSpec
    status: Status
    started_at: datetime
    ended_at: datetime | None = None  #: When all that it had started was gone.
    failure: str = ""  #: Why there is no result; empty when the run finished.
    failure_code: str = ""  #: The same for programs: `BenchsuiteError.code`, or the status.
    argv: tuple[str, ...] = ()  #: Command line of the server or its first instance.
    programs: tuple[Program, ...] = ()  #: All programs in order of start.
    delay: Mapping[str, Any] = field(default_factory=dict)  #: What added latency.
    server_version: str | None = None
    python_version: str | None = None  #: Of the server's interpreter.
    revision: str = ""  #: The measured code's commit, and its changes since; empty if unknown.
    python: Mapping[str, Any] = field(default_factory=dict)  #: Facts of that interpreter.
    packages: Mapping[str, str] = field(default_factory=dict)  #: Distribution → version.
    processes: int | None = None
    threads: int | None = None
    startup_s: float | None = None
    window: tuple[float, float] | None = None
    """In seconds since the first request; with stages, of the stage that the total is of."""
    unit: str = "request"  #: What the total counts: requests, messages or handshakes.
    total: Summary | None = None  #: With stages: that of the headline stage, named by its `level`.
    summaries: tuple[Summary, ...] = ()
    intervals: tuple[Interval, ...] = ()
    readings: tuple[Reading, ...] = ()
    websockets: WebSockets | None = None
    asked: Asked | None = None
    diagnosis: Mapping[str, Any] | None = None  #: What a diagnostic start has seen.
    findings: tuple[Finding, ...] = ()
    verdict: Verdict | None = None
    environment: Mapping[str, Any] = field(default_factory=dict)
    settings_changed: Mapping[str, str] = field(default_factory=dict)
    log_tail: str = ""
    sampler_cpu_percent: float | None = None  #: Cost of monitoring, in percent of one CPU.
