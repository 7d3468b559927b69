"""What is asked of a tuning."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchsuite.core.specs.objective import Objective
from benchsuite.tuning.trial import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Which candidate holds the objective at the highest rate, or at `rate` with least memory; or
    which rate `only` holds.
    """

    objective: Objective
    cpus: int  #: Of the target; of `scaling` the most.
    budget_s: float = 900.0  #: All starts together, as they are measured.
    seed: int = 0
    rate: float | None = None  #: Arrivals a second that have to be held; None for the highest.
    only: Candidate | None = None  #: The capacity of this one is asked, and no other is tried.
    scaling: tuple[Candidate, ...] = ()
    """The capacity of each of these is asked: one configuration, with several numbers of CPUs."""
    unshared: int = 0  #: CPUs that the load generator leaves to the server.
    current: Candidate | None = None  #: What runs now: raced and confirmed whatever it shows.
    thorough: bool = False  #: Confirm in windows of 40 s.
    for_cpus: int | None = None
    """The CPUs that the user asked for. The target was pinned to them, so `cpus` is the same; where
    it can't have so many here, only a bound is said for them."""
    connections_limit: Mapping[str, int | None] = field(default_factory=dict)
    """Kind of database → max_connections less those reserved; None where it isn't known."""
    aliases: Mapping[str, int] = field(default_factory=dict)
    """Kind of database → how many entries of DATABASES are on it; 1 where it isn't told."""
    instances: int = 1  #: Machines or containers that run the same server on that database.
    unable: Mapping[str, str] = field(default_factory=dict)
    """Server → why it can't run here."""
    keeps_connections: bool = False  #: CONN_MAX_AGE is not 0.
    pool: int | None = None  #: Connections of each process to each database at most, by its pool.
    gil: bool = True  #: Whether a process of the target's Python uses one CPU at most.
    window_factor: float = 1.0  #: All windows are so many times as long.
    profiles: bool = False  #: Whether there is a profiler to see where the pick's CPU time goes.
