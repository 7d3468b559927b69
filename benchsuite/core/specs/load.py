"""How much load for how long."""

import math
from dataclasses import dataclass

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs.spec import Spec, above, option, optional, switch, within

MAX_USERS = 10_000
MAX_DURATION_S = 24 * 3600.0
MAX_LOAD_PROCESSES = 64
MAX_LOAD_HOSTS = 100
MAX_STAGES = 100
MAX_RATE = 1_000_000.0
IN_FLIGHT = 1000
LONGEST_S = 3600.0  #: Of a pause, and of an answer.
LIMIT_S = 600.0  #: How long a fixed amount of work may take, by default; k6's `maxDuration`.
CONNECTIONS = "Connections"  #: Heading of --help.
USER = "user"  #: Who makes requests, unless they are connections.
CLOSED = "closed"
OPEN = "open"
CONSTANT = "constant"
POISSON = "poisson"
IF_CLOSED = ("is_closed", "the closed model (--users, no --rate)")
IF_OPEN = ("is_open", "the open model (--rate)")


@dataclass(frozen=True, slots=True)
class Stage:
    """One level of a load; times are seconds since its start."""

    level: float  #: Users (closed model) or arrivals per second (open model).
    start_s: float  #: From here on the level changes and settles, unmeasured.
    window_start_s: float
    window_end_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadProfile(Spec):
    """Closed model: `users`, each of which waits for its answer. Open model: arrivals at an
    `arrival_rate`, whether or not answers come.

    The load starts with the ramp (`users / spawn_rate`, closed model only) and the warm-up, both
    discarded, followed by the measured window. With several `stages` this is repeated for each. The
    drain, in which nothing new starts, comes last.

    With `iterations` the work is fixed, not the time: each user makes so many journeys, and the
    window reaches from the first one's start to the last one's end.
    """

    group = "Load"
    model: str = CLOSED
    users: int = option(
        10,
        "--users N[,N…]  users at once, each waits for its answer; with stages, the highest",
        within=(1, MAX_USERS),
    )
    spawn_rate: float | None = optional(
        "--spawn-rate N  users started per second",
        above=(0.0, MAX_USERS),
        needs=IF_CLOSED,
        unless="all at once or, where they think, spread over a cycle of theirs",
    )
    think_time_s: float = option(
        0.0,
        "--think-time TIME  pause of a user between journeys",
        within=(0.0, LONGEST_S),
        needs=IF_CLOSED,
    )
    iterations: int | None = optional(
        "--iterations N  journeys of each user, measured as a whole: the load ends with the "
        f"last one, or at --duration (then by default {LIMIT_S:g} s)",
        within=(1, 1_000_000_000),
        needs=IF_CLOSED,
    )
    arrival_rate: float | None = optional(
        "--rate R  instead of users: journeys that begin per second, whatever the answers do",
        above=(0.0, MAX_RATE),
        needs=IF_OPEN,
    )
    arrivals: str = option(
        CONSTANT,
        "--arrivals constant|poisson  with --rate: evenly spaced, or independent of each other, "
        "as people come",
        needs=IF_OPEN,
    )
    max_in_flight: int | None = optional(
        "--max-in-flight N  with --rate: journeys under way at once; later ones wait, and their "
        "waiting counts",
        within=(1, MAX_USERS),
        needs=IF_OPEN,
        unless=f"what arrives within one --timeout, at most {IN_FLIGHT}",
    )
    in_turn: bool = switch(
        "--in-turn  with --rate: connections take journeys in turn, as many as begin in a second",
        needs=IF_OPEN,
        unless="the one used last takes the next, so that few are used",
    )
    ends_below: float | None = None
    """Open model: a stage ends the load when a smaller share of what was due was right in time."""
    ends_within_s: float | None = None
    stages: tuple[float, ...] = ()  #: Levels, one after another; empty for one.
    warmup_s: float = option(
        3.0,
        "--warmup TIME  load before the window, thrown away; with stages, of each",
        within=(0.0, MAX_DURATION_S),
    )
    duration_s: float = option(
        10.0,
        "--duration TIME  length of the measured window; with stages, of each",
        above=(0.0, MAX_DURATION_S),
    )
    timeout_s: float = option(
        30.0,
        "--timeout TIME  a request without its whole answer by then has failed",
        above=(0.0, LONGEST_S),
    )
    drain_s: float | None = optional(
        "--drain TIME  how long answers to open requests are awaited after the load",
        within=(0.0, LONGEST_S),
        unless="--timeout",
    )
    keep_alive: bool = option(
        True, "--keep-alive  use a connection for more than one request", group=CONNECTIONS
    )
    keep_cookies: bool = switch(
        "--keep-cookies  let a user's next journey send the cookies of the one before, on the "
        "same connections",
        opposite=True,
        unless="each journey is a fresh visitor's",
        group=CONNECTIONS,
    )
    processes: int = option(
        1,
        "--load-processes N  processes that make the load together",
        within=(1, MAX_LOAD_PROCESSES),
        group=CONNECTIONS,
    )
    hosts: int = option(
        0,
        "--load-hosts N  other hosts that make the load, each with so many processes: "
        "`benchworker` joins them; needs --listen and --key-file",
        within=(0, MAX_LOAD_HOSTS),
        unless="this machine makes it",
        group=CONNECTIONS,
    )
    cpus: tuple[int, ...] | None = None  #: CPUs on which they may run; None for all.

    def check(self) -> None:
        if self.model not in (CLOSED, OPEN):
            raise UsageError(
                f"The load model {self.model!r} is unknown; there are: {CLOSED}, {OPEN}."
            )
        if len(self.stages) > MAX_STAGES:
            raise UsageError(
                f"--stages may have {MAX_STAGES} levels at most, and has {len(self.stages)}."
            )
        if self.is_open:
            if self.arrival_rate is None:
                raise UsageError("The open model needs --rate: arrivals per second.")
            for rate in self.levels:
                above("rate", rate, 0.0, MAX_RATE)
            shared, what = self.in_flight_limit, "journeys in flight (--max-in-flight)"
        else:
            for users in self.levels:
                within("stages", int(users), 1, MAX_USERS)
                if users != int(users):
                    raise UsageError(f"--stages: {users:g} is not a whole number of users.")
            shared, what = int(min(self.levels)), "users"
        if self.ends_below is not None or self.ends_within_s is not None:
            if not self.is_open or self.ends_below is None or self.ends_within_s is None:
                raise UsageError(
                    "ends_below and ends_within_s say together when an open load ends; give both, "
                    "or none."
                )
            above("ends-below", self.ends_below, 0.0, 1.0)
            above("ends-within", self.ends_within_s, 0.0, self.timeout_s)
        if self.parts > shared:
            makers = f"--load-processes={self.processes}"
            if self.hosts:
                makers = f"--load-hosts={self.hosts} with {makers}"
            raise UsageError(f"{makers} can't share {shared} {what}; use as many at most.")
        if self.iterations is not None and (self.stages or self.warmup_s or self.spawn_rate):
            raise UsageError(
                "--iterations is a fixed amount of work, which is measured as a whole; remove "
                "--stages, --warmup and --spawn-rate."
            )
        if self.longest_s > 2 * MAX_DURATION_S:
            raise UsageError("The stages take more than two days in total; shorten them.")

    @property
    def is_open(self) -> bool:
        return self.model == OPEN

    @property
    def is_closed(self) -> bool:
        return self.model == CLOSED

    @property
    def parts(self) -> int:
        """Load processes, on all hosts."""
        return self.processes * max(1, self.hosts)

    @property
    def level(self) -> float:
        """Users or arrivals per second; with stages, the highest."""
        return self.arrival_rate or 0.0 if self.is_open else float(self.users)

    @property
    def levels(self) -> tuple[float, ...]:
        return self.stages or (self.level,)

    @property
    def most_per_s(self) -> float:
        """Journeys a second that this load begins at most, however soon they end."""
        if self.is_open:
            return max(self.levels)
        if not self.think_time_s:
            return math.inf
        return max(self.spawn_rate or 0.0, max(self.levels) / self.think_time_s)

    @property
    def in_flight_limit(self) -> int:
        """Open model: journeys in progress at once; others wait, which counts. By default as many
        as arrive within one timeout, at most 1000: most machines' limit of connections is near.
        """
        if self.max_in_flight is not None:
            return self.max_in_flight
        return min(IN_FLIGHT, max(1, math.ceil(self.level * self.timeout_s)))

    @property
    def plan(self) -> tuple[Stage, ...]:
        """The stages in order; one for a single level."""
        stages: list[Stage] = []
        moment, before = 0.0, 0.0
        for level in self.levels:
            more = max(0.0, level - before)
            ramp_s = more / self.spawn_rate if self.spawn_rate and self.spawn_rate < more else 0.0
            window_s = moment + ramp_s + self.warmup_s
            end_s = window_s + self.duration_s
            stages.append(Stage(level, moment, window_s, end_s))
            moment, before = end_s, level
        return tuple(stages)

    @property
    def window_start_s(self) -> float:
        """Seconds from the first request to the start of the window."""
        return self.plan[0].window_start_s

    @property
    def window_end_s(self) -> float:
        return self.plan[-1].window_end_s

    @property
    def longest_s(self) -> float:
        """Seconds after which the load must have ended, drain included."""
        return self.window_end_s + self.drain_limit_s

    @property
    def drain_limit_s(self) -> float:
        return self.timeout_s if self.drain_s is None else self.drain_s

    def expected_drain_s(self, goodput: float | None) -> float:
        """Seconds until users have their last answers; none for arrivals. Where that is unknown, a
        drain that was asked for is taken to be needed, as far as it isn't long beside the window.
        """
        if self.is_open:
            return 0.0
        if goodput is None:
            return min(self.drain_s or 0.0, self.duration_s / 2)
        return min(self.drain_limit_s, self.levels[-1] / goodput) if goodput else self.drain_limit_s

    def level_words(self, level: float, who: str = USER) -> str:
        """A level in words: "50 users", "200 /s"; `who` is the singular."""
        if self.is_open:
            return f"{level:,.10g} /s".replace(",", "\u2009")
        return f"{level:.0f} {who}{'s' * (level != 1)}"

    def words_of(self, who: str = USER) -> str:
        """ "100 users", "50, 100, 200 users", "200 /s", "200 /s over 50 connections"."""
        *lower, last = self.levels
        levels = [f"{level:g}" for level in lower] + [self.level_words(last, who)]
        poisson = " (poisson)" * (self.is_open and self.arrivals != CONSTANT)
        over = ""
        if self.is_open and who != USER and self.max_in_flight is not None:
            over = f" over {self.max_in_flight} {who}{'s' * (self.max_in_flight != 1)}"
        if self.iterations is not None:
            over = f" × {self.iterations} journey{'s' * (self.iterations != 1)}"
        return f"{', '.join(levels)}{poisson}{over}"
