"""Everything that checks look at. All of it is optional: unknown values give no finding."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchsuite.core import results
from benchsuite.core.results import Summary
from benchsuite.core.samples import REQUEST, Stall


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """One of the prober's. Each gets two requests."""

    times_s: tuple[float, ...]  #: How long each of its requests waited.
    hung: bool = False  #: Whether the last one was not answered in time.
    lost: bool = False  #: Whether the last one was refused or broken off.
    beyond_s: tuple[float, ...] = ()  #: How much longer than the load's at its moment, if known.
    ahead_s: tuple[float, ...] = ()  #: How much sooner than the load's request before it.


@dataclass(frozen=True, slots=True, kw_only=True)
class Probes:
    """What the prober saw in the window, with the load's figures of the same request."""

    sent: int
    answered: int  #: Correctly.
    hung: int = 0  #: Given up, or not answered at the end.
    lost: int = 0  #: Refused or broken off.
    connections: tuple[Connection, ...] = ()
    lateness_s: float  #: Median of its own timer: the wait for a CPU that its times include.
    load: Summary  #: The load's figures of the same request.
    own_s: float = 0.0  #: The load's median without what others under way explain, or less.
    users: float | None = None  #: Users that were not pausing; None in the open model.

    @property
    def median_s(self) -> float:
        """The load's."""
        return self.load.service_time.at(50) or 0.0

    @property
    def failed(self) -> float:
        """Share of the load's requests."""
        return self.load.failures / self.load.requests if self.load.requests else 0.0


MAILS_SENT, FILES_STORED = BESIDE_ROWS = ("mails sent", "files stored")  #: Counted so.


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What journeys claim to have completed, and what the target's database contains."""

    claimed: int  #: Rows that completions must have left, warm-up and drain included.
    stored: int  #: Rows that came during the load.
    in_doubt: int = 0  #: Rows that what failed or never ended may have left all the same.
    completions: int = 0  #: Of which these rows are claimed.
    table: str = ""  #: That gained rows, or of `BESIDE_ROWS`; empty for `Workload.count()`.
    left: tuple[int, ...] = (1,)  #: Rows by each rehearsed completion.
    excuse: str = ""  #: Why a difference proves nothing, in a sentence.

    @property
    def agrees(self) -> bool:
        return self.claimed <= self.stored <= self.claimed + self.in_doubt


@dataclass(frozen=True, slots=True, kw_only=True)
class Turnover:
    """Processes of the target that ended in the window."""

    replaced: int = 0  #: Replaced by new ones, including those that ended in turn.
    gone: int = 0  #: Not replaced.


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Service times clustered one TCP timer above the fastest: a reason to check."""

    at_s: float  #: The timer: 0.04 or 0.2.
    percent: float  #: Share of a window's successes that took that much longer, or a little more.


@dataclass(frozen=True, slots=True)
class Effort:
    """Open model: what the target's fullest resource spends on an answer, whoever waits."""

    words: str  #: "CPU time".
    each_s: Sequence[float]  #: For each answer, by second of the window.


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontShares:
    """CPU use of the front and of what is behind it; 100 is one CPU."""

    name: str
    front_percent: float
    front_cpus: int  #: CPUs that the front can use at once.
    target_percent: float
    target_cpus: int  #: CPUs that the target's processes can use at once.
    answering_percent: float  #: Front, target, workers and the services of the run together.
    cpus: int  #: Those on which all of them run.


@dataclass(frozen=True, slots=True, kw_only=True)
class HostShares:
    """Other activity on the machine in the window, in percent of all its CPUs."""

    steal_percent: float | None = None  #: Taken by the hypervisor for others.
    others_percent: float | None = None  #: Used by processes of other programs.
    culprit: str = ""  #: The one that used most, in words.
    throttled_percent: float | None = None
    """Share of the scheduler's periods in which a control group of the run was throttled."""
    stopped_percent: float | None = None  #: Of readings: a process was stopped by a signal.
    memory_pressure_percent: float | None = None  #: Of the time: some waited (PSI).
    listen_overflows: int | None = None  #: Connections that met a full listen queue, machine-wide.


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """A program of ours on another host; times in seconds."""

    name: str
    clock_ahead: float | None = None  #: Of its monotonic clock before ours; below 0: behind.
    clock_error_s: float | None = None  #: How far that may be off.
    clock_drift_s: float | None = None  #: How far its clock ran away from ours meanwhile.
    silent_s: float = 0.0  #: The longest time that nothing was heard from it during the load.
    lost: str = ""  #: Why its part is missing from the figures; empty where it isn't.

    @property
    def clock_words(self) -> list[str]:
        """What is stored of its clock."""
        words = []
        if self.clock_ahead is not None and self.clock_error_s is not None:
            way = "ahead" if self.clock_ahead >= 0 else "behind"
            error = f"±{1e3 * self.clock_error_s:.2f} ms"
            words.append(f"its clock {abs(self.clock_ahead):.3f} s {way} ({error}), converted")
        if self.clock_drift_s is not None:
            words.append(f"{1e3 * self.clock_drift_s:.2f} ms of drift")
        return words


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent(Peer):
    """The agent on the machine of a target that already runs."""

    watches: str  #: "processes named gunicorn"
    readings: int = 0

    @property
    def words(self) -> str:
        """What is stored of it with the run."""
        parts = [f"{self.watches} watched in {self.readings} readings", *self.clock_words]
        return "; ".join([*parts, *filter(None, [self.lost])])


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What an agent saw of its target, and of their machine, in a window."""

    turnover: Turnover | None = None
    host: HostShares | None = None
    cpus: tuple[int, ...] = ()  #: On which the target may run.
    errors: tuple[str, ...] = ()  #: What could not be read.


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadHost(Peer):
    """Another host that made a part of the load; times in seconds."""

    share: float  #: Of the users or arrivals that it was to make.
    cpus: int = 0
    late_s: float = 0.0  #: How long after the common begin it heard of it.
    cpu_percent: float | None = None  #: Of its busiest load process; 100 is one CPU.
    busy_percent: float | None = None  #: Of all its CPUs, by any program, during the load.
    samples: int = 0
    packed_bytes: int = 0  #: Of these samples, as they were sent.
    messages: int = 0  #: Received from it, samples included.

    @property
    def words(self) -> str:
        """What is stored of it with the run."""
        parts = [f"{self.share:.0%} of the load", f"{self.cpus} CPUs", *self.clock_words]
        if self.cpu_percent is not None:
            parts.append(f"{self.cpu_percent:.0f} % of a CPU used")
        if self.samples:
            parts.append(f"{self.samples} samples, {self.packed_bytes} bytes sent")
        return "; ".join([*parts, *filter(None, [self.lost])])


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockCheck:
    """Whether time passed evenly while the load ran."""

    wall_step_s: float | None = None  #: Drift of the wall clock against the monotonic one.
    gap_s: float | None = None  #: Longest delay of a reading, or longest suspension of the machine.


@dataclass(slots=True, kw_only=True)
class OfLevel:
    """What the samples tell of one level of load."""

    unit: str = REQUEST  #: What the total counts: requests, messages, handshakes or events.
    arrived_per_s: float | None = None  #: Open model: requests due.
    under_way: float | None = None  #: Of these, on average not answered or not even sent yet.
    slots_busy_percent: float | None = None  #: Open model: of requests answered at once.
    waiting_users: float | None = None  #: Of a closed model: those not pausing, on average.
    wakes_per_s: float = 0.0  #: How often a pause of any of them ended.
    answers_by_user: Sequence[int] = ()  #: Right answers of each user of a closed model.
    in_vain: int = 0  #: Requests that waited through the whole window and were never answered.


@dataclass(slots=True, kw_only=True)
class Segment(OfLevel):
    """A level of load that was reached; `window` in monotonic seconds."""

    total: Summary
    window: tuple[float, float]


@dataclass(slots=True, kw_only=True)
class Evidence(OfLevel):
    broken: bool = False  #: Whether load generator or throw-away database ended it early.
    stage: str = ""  #: The stage that this is about, as "200 users"; empty for a whole run.
    stages: Sequence["Evidence"] = ()  #: The same for each stage.
    headline: int | None = None  #: The stage with the run's headline figures, from 0.
    total: Summary | None = None
    handshakes: Sequence[Summary] = ()  #: Of WebSockets.
    journeys: Sequence[Summary] = ()  #: One for each name of a journey.
    intervals: Sequence[results.Interval] = ()
    window: tuple[float, float] | None = None  #: Since the first request, as the intervals.
    load_cpu_percent: float | None = None  #: Of the busiest load process; 100 is one CPU.
    load_lag_p50_s: float | None = None
    load_lag_p99_s: float | None = None
    load_hosts: Sequence[LoadHost] = ()  #: Empty where this machine made the load.
    ceiling_rate: float | None = None  #: This generator's ceiling in requests a second.
    arrivals: results.Arrivals | None = None
    unmade: int | None = None  #: Journeys of a fixed amount of work not made in time.
    probes: Probes | None = None
    unprobed: str = ""  #: Why there are no probes.
    slots_held: int | None = None
    """All that the target has, where kept connections of the load leave none to others."""
    died: str = ""  #: The name of a program of the run that ended.
    turnover: Turnover | None = None
    log: str = ""  #: The end of the server's log.
    sessions_refused: int | None = None  #: Logged by a database of the run, over the whole load.
    front: FrontShares | None = None  #: None without a front.
    cluster: Cluster | None = None  #: None where connections are not kept.
    stall: Stall | None = None  #: Result of checking for that; None if it could not be checked.
    stored: Stored | None = None
    unheld: str = ""  #: Why journeys that send forms are held to no rows, in a sentence.
    asked: results.Asked | None = None  #: None if others than the target may answer.
    accounts: results.Accounts | None = None  #: Of WebSockets.
    socket_errors: Sequence[str] = ()  #: What consumers raised, each kind once.
    left_out: int | None = None  #: Messages that the channel layer dropped: full channels.
    layers_apart: int = 0  #: Processes with separate in-memory layers.
    idle: results.IdleMemory | None = None  #: If memory per connection is measured.
    closed: results.IdleMemory | None = None  #: Memory that each closed connection left.
    recovery: results.Recovery | None = None  #: Where all connections were cut.
    memory: Sequence[tuple[float, int]] = ()
    """(second, bytes of the target) in the window, where the load is the same all along."""
    host: HostShares | None = None
    load_machine: HostShares | None = None  #: Of the load's, where the target is on another.
    agent: Agent | None = None  #: None where none was asked to watch the target.
    clock: ClockCheck | None = None
    cpus_shared: Sequence[frozenset[int]] = ()  #: CPUs of both generator and target, by reading.
    work_s: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Part ("target") → time of a fixed piece of work on its CPUs in each second."""
    busy_percent: float | None = None  #: Open model: of CPUs or slots, the higher one.
    effort: Effort | None = None
    unwatched: Sequence[str] = ()  #: What could not be observed or read.
    slowing: Mapping[str, str] = field(default_factory=dict)  #: What slows the project → words.
    undone: Mapping[str, str] = field(default_factory=dict)  #: The same of what runs change.
    unchecked: str = ""  #: What was not checked in the answers, in a sentence.
    diagnosed: str = ""  #: What a diagnostic start looked at; empty for others.

    @property
    def units(self) -> str:
        """What the total counts, in the plural: "requests"."""
        return f"{self.unit}s"

    @property
    def who(self) -> str:
        """Who makes them: "users", or "connections" for WebSockets."""
        return "users" if self.unit == REQUEST else "connections"
