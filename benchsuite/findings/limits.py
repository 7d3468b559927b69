"""The thresholds of all findings, in one table; docs/reading-results.md explains each.

Above `weak` a figure may be off, above `invalid` it is wrong. None means that this finding has no
such level, or that its rule is no simple threshold: then the check's docstring says it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from benchsuite.core.results import Level


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One row of the table."""

    name: str
    of: str  #: What is compared with the thresholds, and its unit.
    weak: float | None = None
    invalid: float | None = None

    @property
    def code(self) -> str:
        """Number and name, as it stands in results."""
        return next(f"{number} {self.name}" for number, row in LIMITS.items() if row is self)

    def level(self, value: float | None) -> Level | None:
        """How much this value weighs; None when it is within bounds or missing."""
        if value is None:
            return None
        if self.invalid is not None and value > self.invalid:
            return Level.INVALID
        return Level.WEAK if self.weak is not None and value > self.weak else None


LIMITS: Mapping[str, Limit] = {
    "B101": Limit(name="generator-cpu", of="busiest load process, % of a CPU", weak=70, invalid=90),
    "B102": Limit(
        name="generator-lag",
        of="lateness of a timer in the load process (p99), % of the median response time",
        weak=10,
        invalid=100,
    ),
    "B103": Limit(
        name="generator-ceiling", of="throughput, % of the calibrated ceiling", weak=70, invalid=90
    ),
    "B104": Limit(
        name="rate-missed", of="arrivals that were not made in time, %", weak=2, invalid=10
    ),
    "B105": Limit(
        name="littles-law", of="concurrency that is not accounted for, %", weak=5, invalid=15
    ),
    "B106": Limit(
        name="prober-disagrees",
        of="the prober's median from the load's, %; its connections that are slow each time, %, "
        "which are weak only",
        weak=10,
        invalid=50,
    ),
    "B107": Limit(
        name="not-measured", of="load processes and throw-away databases that failed", invalid=0
    ),
    "B201": Limit(name="failures", of="failed requests, %", weak=0.1, invalid=5),
    "B202": Limit(name="wrong-responder", of="answers of another process", invalid=0),
    "B203": Limit(name="target-died", of="processes that were replaced; one that died", weak=0),
    "B204": Limit(name="target-limit", of="limits that were reached", weak=0),
    "B205": Limit(
        name="stall",
        of="answers that took 40 ms or 200 ms longer than the fastest, %, where the target was "
        "seen to wait for acknowledgements",
        weak=10,
    ),
    "B206": Limit(
        name="starvation",
        of="users with less than a tenth of their share, % of all users; open model: connections "
        "that waited in vain, % of those used",
        weak=0,
        invalid=50,
    ),
    "B207": Limit(
        name="layer",
        of="messages that the channel layer left out; reads of Redis that it gave up; processes "
        "that a layer in memory can't join: refused before the run, or invalid with losses",
        weak=0,
    ),
    "B208": Limit(
        name="not-stored", of="completions that the database has too few, or too many", invalid=0
    ),
    "B209": Limit(
        name="messages-astray",
        of="messages that came twice, out of order, damaged or to another connection, %",
        weak=0,
        invalid=1,
    ),
    "B210": Limit(
        name="connections-ended",
        of="WebSockets that were not opened or not ended as they should be, %",
        weak=0,
        invalid=5,
    ),
    "B211": Limit(
        name="front-limit",
        of="CPU share of the front, % of what it can use while the target has time to spare; where "
        "all that answers uses its CPUs up, a front that uses more than the rest",
        weak=70,
    ),
    "B212": Limit(name="sent-again", of="requests that were sent twice, %", weak=0.1, invalid=5),
    "B213": Limit(
        name="answered-elsewhere",
        of="answers to requests that the target never saw, %",
        weak=1,
        invalid=5,
    ),
    "B214": Limit(name="not-checked", of="what answers say that nobody checked; only said"),
    "B215": Limit(
        name="memory-kept",
        of="memory that each closed WebSocket leaves behind, bytes (the lower end of its interval)",
        weak=1024,
    ),
    "B216": Limit(name="not-back", of="WebSockets that never came back after all were cut", weak=0),
    "B301": Limit(name="not-steady", of="trend, step or half of a cycle's swing, %", weak=5),
    "B302": Limit(name="few-samples", of="successes, fewer than a percentile needs"),
    "B303": Limit(
        name="unsure-slope",
        of="half of the interval of the memory per connection, % of it",
        weak=10,
        invalid=50,
    ),
    "B304": Limit(
        name="near-capacity",
        of="open model: share of the time in which the target was busy, %; only said",
        weak=95,
    ),
    "B401": Limit(
        name="noisy-host",
        of="CPU of other processes or stolen, % of all CPUs; throttled periods, %; "
        "looks at a stopped process, %; time that something waited for memory, %",
        weak=5,
        invalid=25,
    ),
    "B402": Limit(name="clock", of="step of the wall clock, or gap in the telemetry", weak=0),
    "B403": Limit(name="shared-cpus", of="CPUs that generator and target may both use"),
    "B404": Limit(
        name="cpu-speed", of="trend or step in the time of a fixed piece of work, %", weak=5
    ),
    "B405": Limit(name="not-watched", of="what could not be seen"),
    "B501": Limit(name="settings", of="settings that slow the project down", weak=0),
}

LAG_ALWAYS_FINE_S = 0.001  #: B102, B105: a timer is never that exact.

PROBER_ALLOWANCE_S = 0.001
"""B106: two clients in Python differ by about this, however they are written."""

FEWEST_PROBES = 20
"""B106: with fewer, the interval of their median is too wide for their silence to say anything."""

FEWEST_CLEAR_PROBES = 6  #: B106: so many, when all say the same, are no chance (median_interval).

CHANCE = 0.01
"""B106: so unlikely must it be that a connection is slow by chance, or loses requests."""

CHANCE_OF_LOAD = 0.05
"""B106: and so unlikely that the load has as many slow requests as the prober slow connections."""

CRASHES = 3
"""B203: so many ends, and half as many requests lost with them, are a server that crashes again and
again."""

ANSWERED_PROBES = 0.9  #: B106: with a smaller share known, others are answered something else.

CONNECT_AGAIN_S = 1.0
"""B204: a connection that was left out of a full queue is tried again after this (RFC 6298)."""

FEWEST_ROUNDS = 4  #: B205: where none of so many rounds shows a page that waits, it doesn't.

FEWEST_JOURNEYS = 10  #: B206: journeys that a user must make on average before a share can be told.

SERVED_SHARE = 0.5
"""B206: when less than that is answered, not only some connections are starved, but all."""

USED_UP_PERCENT = 90.0  #: B211: CPUs of which more is used have no time left worth the name.

FEWEST_SAMPLES = 20  #: B302: a run with fewer successes is invalid.

FEWEST_INTERVALS = 8
"""B301: seconds that a window must have before a trend can be told from noise."""

ANSWERED_OF_ARRIVED = 0.98
"""B304: when less of what arrives in the window is answered in it, work piles up."""

BUSY_AFTER_PERCENT = 25.0  #: B401: an idle server uses next to nothing of a CPU.

WALL_STEP_S = 0.05  #: B402: more than a clock is slewed in a minute.

GAP_S = 1.0  #: B402: a reading that came so late was held up by more than a busy machine.


MOST_TOLD = 5  #: B405: so many reasons are told.


def limit(number: str) -> Limit:
    return LIMITS[number]
