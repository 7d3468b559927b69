"""All that the checks look at. Everything is optional: what is not known gives no finding."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchsuite.core.results import Accounts, Asked, IdleMemory, Interval, Recovery, Summary
from benchsuite.core.samples import REQUEST
from benchsuite.core.stall import Stall


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrivals:
    """What became of the plan of an open model, counted over the window."""

    offered: float  #: Starts scheduled per second.
    achieved: float  #: Starts really made per second.
    dropped: int = 0  #: Arrivals that were never sent.


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderWay:
    """Open model: what came, and what was there, in the window."""

    arrived_per_s: float  #: Requests that were meant to be sent.
    mean: float
    """Requests that had arrived and were not answered, those included that waited to be sent."""
    slots_busy_percent: float | None = None
    """Of the requests that the target answers at once; None where that has no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """One of the prober's. Each is asked twice; one that was slow both times more often, which says
    whether it is the connection or was the moment.
    """

    times_s: tuple[float, ...]  #: How long each of its requests waited.
    hung: bool = False  #: The last one was not answered in time.
    lost: bool = False  #: The last one was refused or broken off.
    beside_s: tuple[float, ...] = ()
    """The same of other connections' first requests, just before and after those beyond its own
    first two."""
    broke_alone: bool = False
    """It was one of both while the others' requests around it were answered right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probes:
    """What the prober saw in the window, beside what the load saw of the same request."""

    sent: int  #: At most two of a connection, as the next three.
    answered: int  #: Rightly.
    hung: int = 0  #: Given up, or not answered at the end.
    lost: int = 0  #: Refused or broken off.
    connections: tuple[Connection, ...] = ()
    lateness_s: float
    """Median lateness of the prober's own timer: what waiting for a CPU adds to its times."""
    load: Summary  #: Of the same request.
    users: float | None = None
    """Users of a closed model that were not pausing; None in the open model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What journeys claim to have brought to an end, and what the target's database holds of it."""

    claimed: int  #: Over the whole load, warm-up and drain included.
    stored: int  #: Rows that came during the load.
    in_doubt: int = 0
    """Journeys that failed or never ended: their last page may have been stored all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """Open model: what became of the journeys of each connection that was used."""

    used: int
    starved: int
    """Those of which less than a tenth was answered, while the others waited for nothing."""
    answered: float  #: Share of all journeys that were answered.


@dataclass(frozen=True, slots=True, kw_only=True)
class Turnover:
    """Processes of the target that ended in the window, each counted."""

    replaced: int = 0  #: Those for which new ones came, and these, where they ended too.
    gone: int = 0  #: Those for which none came.


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Service times that lie together one of TCP's timers above the fastest: reason to ask."""

    at_s: float  #: The timer: 0.04 or 0.2.
    percent: float
    """Share of the successes in the window that took just that much longer, or a little more."""
    fastest_s: float
    """The fastest success of the whole load: on a new connection nothing stalls yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontShares:
    """What the front and what stands behind it used of their CPUs; 100 is one CPU."""

    name: str
    front_percent: float
    front_cpus: int  #: CPUs that the front can use at once.
    target_percent: float
    target_cpus: int  #: CPUs that the target's processes can use at once.
    answering_percent: float  #: Front, target, workers and the services of the run together.
    cpus: int  #: Those on which all of them run.


@dataclass(frozen=True, slots=True, kw_only=True)
class HostShares:
    """What else happened on the machine in the window; percent of all its CPUs."""

    steal_percent: float | None = None  #: Taken by the hypervisor for others.
    others_percent: float | None = None  #: Used by processes that are not of this run.
    culprit: str = ""  #: The program of them that used most, in words.
    throttled_percent: float | None = None
    """Share of the scheduler's periods in which a control group of the run was held back."""
    stopped_percent: float | None = None
    """Share of the looks in which a process of the run was stopped by a signal."""
    memory_pressure_percent: float | None = None
    """Share of the time in which some process waited for memory (PSI)."""
    listen_overflows: int | None = None
    """Connections that found a listener's queue full, on the whole machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockCheck:
    """Whether time passed evenly while the load ran."""

    wall_step_s: float | None = None  #: By how much the wall clock ran away from the monotonic one.
    gap_s: float | None = None
    """Longest time by which a reading was late, or in which the machine was suspended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything known about one run."""

    stage: str = ""  #: Which one this is about, as "200 users"; empty for a whole run.
    stages: Sequence["Evidence"] = ()  #: The same of each stage, of a run that has stages.
    headline: int | None = None  #: Which of the stages gives the run its figures, from 0.

    unit: str = REQUEST  #: What the total is of: requests, messages, handshakes or events.
    total: Summary | None = None
    handshakes: Sequence[Summary] = ()  #: Of WebSockets.
    journeys: Sequence[Summary] = ()  #: One for each name of a journey.
    intervals: Sequence[Interval] = ()
    window: tuple[float, float] | None = None
    """In seconds since the first request, as the intervals are."""

    load_cpu_percent: float | None = None  #: Of the busiest load process; 100 is one CPU.
    load_lag_p99_s: float | None = None
    ceiling_rate: float | None = None
    """Requests a second that this generator makes at most, against the null responder."""
    arrivals: Arrivals | None = None
    under_way: UnderWay | None = None
    waiting_users: float | None = None
    """Users of a closed model that were not pausing, on average."""
    wakes_per_s: float = 0.0  #: How often a pause of any of them ended.
    probes: Probes | None = None
    unprobed: str = ""  #: Why there are no probes.

    broken: bool = False
    """Whether the load generator or a throw-away database failed, so that the run ended early."""
    died: bool = False  #: Whether the server's first process ended.
    turnover: Turnover | None = None
    log: str = ""  #: The end of the server's log.
    sessions_refused: int | None = None
    """By a database of the run, over the whole load: it tells each in its log."""
    front: FrontShares | None = None  #: Where something stands before the target.
    cluster: Cluster | None = None  #: None where connections are not kept.
    stall: Stall | None = None
    """What the target said when it was asked for that; None when it could not be asked."""
    stored: Stored | None = None
    asked: Asked | None = None  #: None where others than the target may be asked.
    accounts: Accounts | None = None  #: Of WebSockets.
    socket_errors: Sequence[str] = ()  #: What consumers raised, each kind once.
    left_out: int | None = None
    """Messages that the channel layer left out for full channels, over the whole load."""
    layers_apart: int = 0  #: Processes of which each has a layer in memory of its own.
    front_timeout_s: float | None = None
    """After how long a front ends what is silent; None without one, or where it is not known."""
    idle: IdleMemory | None = None  #: Where memory per connection is asked for.
    closed: IdleMemory | None = None
    """What each connection left behind, where they were opened and closed again and again."""
    recovery: Recovery | None = None  #: Where all connections were cut.
    journeys_by_user: Sequence[int] = ()
    """Journeys that each user of a closed model completed, those with none included."""
    slots: Slots | None = None

    host: HostShares | None = None
    clock: ClockCheck | None = None
    busy_after_percent: float | None = None
    """What the target used of a CPU when the load had ended; 100 is one."""
    cpus_shared: Sequence[frozenset[int]] = ()
    """CPUs on which both generator and target may run, look by look."""
    work_s: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Of whose CPUs ("target"): the time of a fixed piece of work there, in each second."""

    busy_percent: float | None = None
    """Open model: how much of what can answer was in use: its CPUs or its slots, the fuller of
    them; 100 when nothing more could have been answered."""

    unwatched: Sequence[str] = ()  #: What could not be seen, and what could not be read of it.

    slowing: Mapping[str, str] = field(default_factory=dict)
    """What in the project's settings slows it down: setting → words."""
    undone: Mapping[str, str] = field(default_factory=dict)
    """What would, if the run had not put it right: setting → words."""
    unchecked: str = ""  #: What of the answers nobody checked, in a sentence.

    @property
    def units(self) -> str:
        """What the total is of, as people count it: "requests"."""
        return f"{self.unit}s"

    @property
    def who(self) -> str:
        """Who makes them: "users", or "connections" where those are WebSockets."""
        return "users" if self.unit == REQUEST else "connections"

    @property
    def is_open(self) -> bool:
        return any(one.arrivals is not None for one in (self, *self.stages))

    @property
    def less(self) -> str:
        """What makes the load lighter, in the words of its model."""
        return "a lower --rate" if self.is_open else "fewer users"

    @property
    def more(self) -> str:
        """What makes it heavier."""
        return "a higher --rate" if self.is_open else f"more --{self.who}"
