"""What the rules look at: figures of a run over its window, and where the time of requests goes."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchsuite.core.plain import Page
from benchsuite.core.results import Pattern
from benchsuite.core.units import format_duration, format_percent, listed
from benchsuite.stats.compare import Estimate

TARGET, DATABASE = "target", "database"  #: Parts of the system whose CPU the rules tell apart.
BEHIND = 0.02  #: Of what arrives, that has to go without an answer to show a limit.


@dataclass(frozen=True, slots=True, kw_only=True)
class Alone:
    """The same work of one user, whom nobody delays."""

    mean_s: float
    p95_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """Another configuration that did the same work, and this run's figures divided by its."""

    processes: int  #: Of all instances.
    threads: int
    interface: str
    rate: Estimate  #: Of the answers per second.
    cpu: Estimate  #: Of the CPU time of a request.


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What a diagnostic start saw, on average over its requests."""

    requests: int
    loaded: bool = False  #: Whether times contain turns of other requests.
    request_s: float
    queries: float = 0.0  #: In a request.
    query_s: float = 0.0
    connecting_s: float = 0.0  #: Opening and closing connections, after the answer, too.
    pages: Sequence[Page] = ()
    collecting_share: float = 0.0  #: Of the processes' CPU time, in pauses of the collector.
    longest_pause_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Profiled:
    """The function of the project in which most CPU time goes, with what it calls elsewhere."""

    function: str = ""  #: Empty where none stands out.
    place: str = ""  #: "shop/views.py:12"
    share: float = 0.0  #: Of the samples of the profiler.


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitEvidence:
    """Figures of one run; CPU in percent of one CPU."""

    window_s: float | None = None  #: How long it was watched.
    rate: float | None = None  #: Answers per second, right or wrong.
    highest_rate: float | None = None  #: The most that any run of the same work had on these CPUs.
    offered_rate: float | None = None  #: Open model: arrivals per second.
    dropped: int = 0  #: Open model: arrivals that were never sent.
    response_s: float | None = None  #: Mean of the right answers.
    wait_s: float = 0.0  #: Open model: mean wait to be sent.
    p95_s: float | None = None
    patterns: Sequence[Pattern] = ()  #: What slow answers have in common.
    in_flight: float | None = None  #: Mean number of requests sent and not answered.
    queued: float | None = None  #: Of these, how many were more than the server answers at once.
    failed_share: float = 0.0
    in_vain_share: float = 0.0  #: Of the requests, that were waited for and never answered.
    objective_s: float | None = None  #: Within which answers shall come.

    processes: int | None = None  #: Of all instances.
    sized: str = "--processes="  #: Before a number of these; of one instance an option.
    threads: int | None = None  #: Of each process.
    sets_threads: bool = True  #: Whether the server can be given threads.
    slots: int | None = None  #: Requests answered at once; None without a limit.
    interface: str = ""
    reuses_connections: bool = True  #: Whether threads with a connection answer further requests.
    holds_gil: bool = True  #: Whether one thread of a process runs Python at a time.

    cpus: float | None = None  #: CPUs that the target may use, or what its quota is worth.
    cpu_percent: Mapping[str, float] = field(default_factory=dict)  #: By part, of all that answers.
    idle_percent: float | None = None  #: Of the time of these CPUs, whoever uses them.
    load_percent: float = 0.0  #: Of the load generator, where it shares those CPUs.
    database_beside_percent: float = 0.0  #: Of databases that the run has not started, anywhere.
    busiest_percent: float | None = None  #: Of the target's busiest process.
    run_delay_percent: float | None = None  #: Threads that were ready and had no CPU; 100 is one.

    active: float | None = None  #: Mean number of database sessions that execute a query.
    active_samples: int = 0  #: How many such sessions were seen in all.
    waits: Mapping[str, float] = field(default_factory=dict)  #: "Lock:tuple" → share of sessions.
    connections: int | None = None  #: The most that the database had.
    connections_limit: int | None = None
    connections_wanted: int | None = None  #: The most that the server may hold; None: no limit.
    pool: int | None = None  #: Largest size of the connection pool of a process.

    reached: Sequence[str] = ()  #: Limits that were reached (`core.results.Reached`).
    reached_words: str = ""  #: What finding B204 says of them.
    stall: str = ""  #: What finding B205 says.
    memory_bytes: int | None = None  #: Most that the target had.
    memory_limit_bytes: int | None = None
    memory_grows: float | None = None  #: Bytes a second; None where it is not shown to.
    memory_pressure_percent: float | None = None  #: Time in which something waited for memory.
    major_faults_per_s: float | None = None
    alone: Alone | None = None
    alternatives: Sequence[Other] = ()
    diagnosis: Diagnosis | None = None
    profiled: Profiled | None = None

    @property
    def cpu_s(self) -> float | None:
        """CPU time of a request in all that answers."""
        return self._each_s(sum(self.cpu_percent.values()) if self.cpu_percent else None)

    @property
    def own_cpu_s(self) -> float | None:
        """The same without the database, which the request waits for."""
        own = [one for part, one in self.cpu_percent.items() if part != DATABASE]
        return self._each_s(sum(own)) if TARGET in self.cpu_percent else None

    @property
    def run_delay_s(self) -> float | None:
        """How long a request waits for a CPU."""
        return self._each_s(self.run_delay_percent)

    @property
    def queue_s(self) -> float | None:
        """How long a request waits for a slot (Little's law)."""
        return self._each_s(None if self.queued is None else 100 * self.queued)

    @property
    def database_s(self) -> float | None:
        """How long a request has the database at work; Little's law, or as one user's was timed."""
        if self.active is not None:
            return self._each_s(100 * self.active)
        timed = self.diagnosis
        return timed.query_s if timed and not timed.loaded else None

    @property
    def inside_s(self) -> float | None:
        """How long a request is in the server after it has found a slot."""
        before = self.wait_s + (self.queue_s or 0.0)
        return None if self.response_s is None else max(0.0, self.response_s - before)

    @property
    def own_share(self) -> float | None:
        """Of the CPUs, by all that answers and by the load generator."""
        used = (sum(self.cpu_percent.values()) + self.load_percent) / 100
        return used / self.cpus if self.cpus and self.cpu_percent else None

    @property
    def busy_share(self) -> float | None:
        """The same by all programs, where that is known."""
        if self.own_share is None or self.idle_percent is None:
            return self.own_share
        return max(self.own_share, 1 - self.idle_percent / 100)

    @property
    def others_cpus(self) -> float:
        """CPUs that other programs use, of those that the target may use."""
        return ((self.busy_share or 0.0) - (self.own_share or 0.0)) * (self.cpus or 0.0)

    @property
    def mean_process_percent(self) -> float | None:
        """CPU of a process of the target, were all equally busy."""
        target, count = self.cpu_percent.get(TARGET), self.processes
        return target / count if count and target is not None else None

    @property
    def busiest(self) -> float | None:
        """CPU of the busiest process: what was seen, else the mean, which is no more than that."""
        return self.busiest_percent or self.mean_process_percent

    @property
    def inside(self) -> float | None:
        """Mean number of requests that the server is at."""
        return None if self.in_flight is None else self.in_flight - (self.queued or 0.0)

    @property
    def served_alike(self) -> float | None:
        """Requests that get on at a time, took each as long as one user's (Little's law)."""
        return self.rate * self.alone.mean_s if self.rate and self.alone else None

    @property
    def slots_share(self) -> float | None:
        """Of the slots, how many had a request."""
        inside, slots = self.inside, self.slots
        return min(1.0, inside / slots) if slots and inside is not None else None

    @property
    def database_share(self) -> float | None:
        """Of the time in the server."""
        its_s, inside_s = self.database_s, self.inside_s
        return its_s / inside_s if inside_s and its_s is not None else None

    @property
    def is_pressed(self) -> bool:
        """Whether more is asked than can be answered at once, so that something is the limit."""
        # the wait to be sent is mostly the load's own timer; where it is not, arrivals fall behind
        queues = (self.queue_s or 0.0) >= 0.1 * (self.response_s or math.inf)
        full = (self.own_share or 0.0) >= 0.9
        slowed = self.alone is not None and (self.response_s or 0.0) >= 2 * self.alone.mean_s
        in_vain = self.in_vain_share >= BEHIND
        # fewer are answered than arrive, by more than chance has in flight at both ends of a window
        offered = self.offered_rate
        by_chance = max(10.0, 3 * math.sqrt(2 * (self.in_flight or 0.0)))
        least = max(BEHIND * (offered or 0.0), by_chance / (self.window_s or math.inf))
        is_behind = offered is not None and offered - (self.rate or 0.0) >= least
        return queues or is_behind or bool(self.dropped) or in_vain or full or slowed

    def _each_s(self, percent: float | None) -> float | None:
        return None if percent is None or not self.rate else percent / 100 / self.rate


SENDING = "waiting to be sent"
QUEUE = "queue in the server"
CPU = "CPU"
RUN_DELAY = "waiting for a CPU"
DATABASE_TIME = "database"
REST = "something else"
MEASURED = (SENDING, QUEUE, CPU, RUN_DELAY, DATABASE_TIME)
EVERYTHING = (*MEASURED, REST)
BUSY_PERCENT = 90.0  #: Of a CPU, from which a process has no time left.
CLOSE = 0.1  #: Of the mean, that the parts may miss or exceed.
FAILED = 0.05  #: From this share of failures on, means of successes and CPU are of different work.


@dataclass(frozen=True, slots=True)
class Budget:
    """The mean response time and its known parts, in seconds and in their order."""

    response_s: float
    parts: dict[str, float]
    unknown: tuple[str, ...] = ()  #: Parts that nobody measured: they are in the rest.
    busy: bool = False  #: Whether a process has no time left, so that requests wait for it.

    @property
    def rest_s(self) -> float:
        """What no part accounts for; below 0 where parts overlap."""
        return self.response_s - sum(self.parts.values())

    def share(self, *names: str) -> float:
        """Of the mean, in these parts; `REST` is one."""
        known = {**self.parts, REST: max(0.0, self.rest_s)}
        return sum(known.get(name, 0.0) for name in names) / self.response_s

    @property
    def sentence(self) -> str:
        parts = [
            f"{format_duration(seconds)} {name}"
            for name, seconds in self.parts.items()
            if seconds >= 0.005 * self.response_s
        ]
        words = f"A request took {format_duration(self.response_s)} on average"
        if parts:
            words += f": {listed(parts)}"
        if abs(self.rest_s) <= CLOSE * self.response_s:
            return f"{words}."
        if self.rest_s < 0:
            over = format_percent(100 * sum(self.parts.values()) / self.response_s)
            return f"{words}. These overlap: together they are {over} of it."
        rest = format_duration(self.rest_s)
        if self.busy:
            return f"{words}; for {rest} it waited for a process that was busy with others."
        missing = f" (not measured: {listed(self.unknown)})" if self.unknown else ""
        return f"{words}; {rest} are {REST}{missing}."


def budget(evidence: LimitEvidence) -> Budget | None:
    """None where the mean or the CPU is not known, or where many requests failed."""
    if not evidence.response_s or evidence.own_cpu_s is None or evidence.failed_share > FAILED:
        return None
    known = {
        SENDING: evidence.wait_s,
        QUEUE: evidence.queue_s,
        CPU: evidence.own_cpu_s,
        RUN_DELAY: evidence.run_delay_s,
        DATABASE_TIME: evidence.database_s,
    }
    return Budget(
        evidence.response_s,
        {name: seconds for name, seconds in known.items() if seconds is not None},
        tuple(name for name, seconds in known.items() if seconds is None),
        (evidence.busiest or 0.0) >= BUSY_PERCENT,
    )
