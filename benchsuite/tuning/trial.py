"""What is asked of a tuning, what it measures, and what it is told of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from benchsuite.core import units
from benchsuite.core.specs.objective import Goal, Objective
from benchsuite.core.specs.spec import Option
from benchsuite.servers.running import is_address


class Phase(StrEnum):
    PROBE = "probe"
    SCREEN = "screen"
    LADDER = "ladder"  #: Of tunings stored before there was `BISECT`, as the next one.
    RACE = "race"
    CONFIRM = "confirm"
    DIAGNOSE = "diagnose"  #: Says what limits the pick, and never counts.
    VARY = "vary"  #: The pick in other settings.
    FLAME = "flame"  #: Says where the pick's CPU time goes, and never counts.
    BISECT = "bisect"  #: One rate a start, nearer to what just holds each time.
    STRAIN = "strain"  #: More than that, then half of it twice: whether it recovers.


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A server in a size."""

    server: str
    processes: int
    threads: int | None = None  #: None where they can't be set.
    options: tuple[tuple[str, Option], ...] = ()
    slots: int | None = None  #: Requests it answers at once; None without a limit.
    connections: int | None = None  #: To each database alias, at most; None where it isn't known.
    interface: str = "wsgi"  #: Or "asgi".
    cpus: int | None = None  #: That it has; None for those of all candidates.
    changes: tuple[tuple[str, Option], ...] = ()  #: Other fields of a RunSpec by dotted names.

    @property
    def size(self) -> str:
        """ "3×8", or "3" where threads can't be set."""
        return str(self.processes) if self.threads is None else f"{self.processes}×{self.threads}"

    @property
    def settings(self) -> list[str]:
        """ "backpressure=1000", "preload=yes", "pool=8"."""
        every = (*self.options, *self.changes)
        return [f"{name.rpartition('.')[2]}={units.in_words(value)}" for name, value in every]

    @property
    def runs_already(self) -> bool:
        """Whether it is the address of a target, of which nothing can be chosen."""
        return is_address(self.server)

    @property
    def name(self) -> str:
        if self.runs_already:
            return self.server
        where = [] if self.cpus is None else [f"on {units.counted(self.cpus, 'CPU')}"]
        return " ".join([self.server, self.size, *self.settings, *where])

    @property
    def words(self) -> str:
        """ "uwsgi, 2 processes × 6 threads"."""
        if self.runs_already:
            return self.server
        size = units.counted(self.processes, "process")
        if self.threads is not None:
            size += f" × {units.counted(self.threads, 'thread')}"
        return ", ".join([self.server, size, *self.settings])


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """Users who ask again at once, or Poisson arrivals at rising rates."""

    users: int = 0  #: 0 for arrivals.
    rates: tuple[float, ...] = ()
    warmup_s: float
    window_s: float

    @property
    def duration_s(self) -> float:
        return max(1, len(self.rates)) * (self.warmup_s + self.window_s)

    @property
    def words(self) -> str:
        """ "12 users, 3 s", "150, 163, 176 /s, 5 s each"."""
        window = units.format_period(self.window_s)
        if self.users:
            return f"{units.counted(self.users, 'user')}, {window}"
        return f"{', '.join(map(units.format_number, self.rates))} /s, {window} each"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One start to be measured."""

    candidate: Candidate
    phase: Phase
    load: Load
    seed: int  #: Of the arrivals; the same for all candidates of a block.
    reason: str  #: Why it is made, for the log of decisions.
    ends_early: bool = False  #: Whether it ends where less than half are in time.
    wait_s: float = 0.0  #: Before it begins, as the machine was busy.


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One rate of a start, or its only window."""

    rate: float  #: 0 for users.
    offered: float | None = None  #: Due in its window, which may end early; None of users.
    planned: int  #: Arrivals in the window.
    met: tuple[int, ...]  #: How many met each goal of the objective.
    failures: int = 0
    goodput: float = 0.0
    percentile_s: float | None = None  #: That the first goal's share of the planned arrivals had.

    def words(self, goal: Goal) -> str:
        """ "96.3 % at 150/s", of the first goal; "a mean of 43 ms at 150/s"."""
        if not self.rate:
            return units.format_rate(self.goodput) if self.goodput else "no right answer"
        share = self.met[0] / max(1, self.planned)
        shown = goal.reached(share) if goal.is_mean else units.format_percent(100 * share)
        return f"{shown} at {units.format_number(self.rate)}/s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What was seen of a start; levels that were not reached are left out."""

    levels: Sequence[Level] = ()
    took_s: float  #: From the begin to the end, start and drain included.
    response_s: float | None = None  #: Mean of the right answers.
    cpu_s: float | None = None  #: CPU time of the target for a request.
    memory_bytes: float | None = None  #: Of the server's processes together.
    connections: int | None = None  #: Most that the target had open to the database.
    codes: tuple[str, ...] = ()  #: Findings that make it say nothing; it then has no levels.
    limit: tuple[str, ...] = ()  #: The load generator was it: only levels that held then count.
    fails: tuple[str, ...] = ()  #: Findings by which the target itself failed at a level.
    wrong: str = ""  #: What most of the wrong answers said, where there are many.
    failure: str = ""  #: Why it did not start, or what ended it before its time.
    named: tuple[str, ...] = ()  #: Limits, by a diagnostic start and those that confirmed together.

    @property
    def says_nothing(self) -> bool:
        """Whether the machine or the load generator spoiled it, rather than its server."""
        return bool(self.codes) and not self.levels

    @property
    def cause(self) -> str:
        """Why it failed, without the log, which its run has."""
        return self.failure.strip().partition("\n")[0].rstrip(".:")

    def words(self, goal: Goal) -> str:
        """In a line what a search is told of it; `goal` is the first one of its objective."""
        levels = [level.words(goal) for level in self.levels if level.planned or level.goodput]
        parts = (
            ("", self.cause),
            ("disturbed by ", ", ".join(self.codes)),
            ("", ", ".join(levels)),
            ("the limit was not the server: ", ", ".join(self.limit)),
            ("the server failed: ", ", ".join(self.fails)),
            ("wrong answers said: ", self.wrong),
            ("limits: ", ", ".join(self.named)),
        )
        return "; ".join(before + what for before, what in parts if what) or "no right answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What one user and a full load found, of one candidate."""

    response_s: float  #: One user alone.
    cpu_s: float  #: CPU time of a request.
    goodput: float  #: Under full load.
    memory_bytes: float | None  #: Of one process.


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Who holds the objective at the highest rate, or at `rate` with least memory."""

    objective: Objective
    cpus: int  #: Of the target; of `scaling` the most.
    alone_s: float | None = None  #: That one user waits, where the objective was proposed by it.
    budget_s: float = 900.0  #: All starts together, as they are measured.
    seed: int = 0
    rate: float | None = None  #: Arrivals a second that have to be held; None for the highest.
    only: Candidate | None = None  #: The capacity of this one is asked, and no other is tried.
    scaling: tuple[Candidate, ...] = ()  #: Of each the capacity is asked: one with several CPUs.
    unshared: int = 0  #: CPUs that the load generator leaves to the server.
    current: Candidate | None = None  #: What runs now: raced and confirmed whatever it shows.
    thorough: bool = False  #: Confirm in windows of 40 s.
    for_cpus: int | None = None  #: Asked for, and pinned; of more than `cpus` only a bound is said.
    connections_limit: Mapping[str, int | None] = field(default_factory=dict)
    """Kind of database → max_connections less those reserved; None where it isn't known."""
    aliases: Mapping[str, int] = field(default_factory=dict)
    """Kind of database → how many entries of DATABASES are on it; 1 where it isn't told."""
    instances: int = 1  #: Machines or containers that run the same server on that database.
    unable: Mapping[str, str] = field(default_factory=dict)  #: Server → why it can't run here.
    keeps_connections: bool = False  #: CONN_MAX_AGE is not 0.
    pool: int | None = None  #: Connections of each process to each database at most, by its pool.
    gil: bool = True  #: Whether a process of the target's Python uses one CPU at most.
    window_factor: float = 1.0  #: All windows are so many times as long.
    profiles: bool = False  #: Whether there is a profiler to see where the pick's CPU time goes.
    most_per_s: float | None = None  #: That a target elsewhere may be asked; no rate is above.
