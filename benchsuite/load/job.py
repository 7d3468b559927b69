"""What the parent and the load process tell each other: JSON lines.

The parent writes one job line, then orders; the end of its standard input tells the child that the
parent is gone. The child writes events to an inherited pipe, never to standard output, and the
samples to files in the spool folder.

    child → {"event": "ready"}                         imported, waits for its job
    parent → job
    child → {"event": "checked", "unchecked", "posts", "requests"}
                                                       answered right; what nobody looks at, whether
                                                       forms were sent, how many requests it made
          | {"event": "refused", "message", "method", "path", "status", "why"}
                                                       or not: the child ends
    parent → "rehearse <kind>"                         any number of times
    child → {"event": "rehearsed", …}                  see `Rehearsal`
    parent → "go <moment>"                             monotonic seconds: then it begins
    child → {"event": "tick", "elapsed_s", …}          each second; becomes a `Tick`
    parent → "stop"                                    optional: drain now
    child → {"event": "done", …}                       see `Done`
    child → {"event": "failed", "message"}             at any time: the load itself broke
    child → {"event": "full"}                          at any time: the spool's disk is
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchsuite.core.results import Traffic
from benchsuite.core.samples import REQUEST
from benchsuite.core.specs import LoadProfile, VisitorSpec, WorkloadSpec

GO, STOP, REHEARSE = b"go", b"stop", b"rehearse "  #: How orders besides the job begin.
LOOK, NEW, AGAIN = "look", "new", "again"
"""Kinds of rehearsals: up to the first form, which is not sent; like any journey of the load; and
with what the one before drew at random."""
CHECK_LIMIT_S = 60.0  #: How much longer than one request's timeout a checked journey may take.
CHECKS = 2  #: How often it is made at most.
REHEARSAL_LIMIT_S = 20.0  #: How long what is rehearsed after that may take at most.
TINY_S = 1e-6  #: What is meant to be the last in a window is inside if it ends so much later.
MOST_SAMPLES = 10_000_000
"""Of a whole load, that hosts send: the parent needs 150 bytes for each. Of more they send figures
that add up, with a histogram of each second."""
SAMPLES_FILE = "samples.bin"  #: Packed with `RECORD`, roughly in the order of their finish.
NAMES_FILE = "names.json"
"""[{"name", "scope", "examples": {kind number: message}, "answers": {kind number: [status, what was
asked]}}, …]: entry i is what `name == i` means in a sample.
"""
OTHER_NAMES = "(other paths)"  #: The name of requests when there are too many names.


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """All that one load process needs to know."""

    base_url: str  #: http://host:port or https://host:port
    run_header: str  #: X-Benchsuite-Run of every answer; empty to accept any server.
    starts: bool = True  #: Whether that is started for the run; else it runs already.
    workload_class: str  #: Dotted path of the workload class.
    workload: WorkloadSpec
    load: LoadProfile
    spool: str = ""  #: Folder for the files above; each process is told its own.
    locustfile: str = ""  #: Path of one whose user classes run instead of the workload's journey.
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables for workloads and locustfiles that set Django up: they get the run's settings."""
    cookies: Mapping[str, str] = field(default_factory=dict)  #: Of the workload's fresh visitors.
    visitor: VisitorSpec = field(default_factory=VisitorSpec)
    signed_in: str = ""  #: In whose session is asked, in words.
    seed: int = 0
    part: int = 0  #: Of the `parts` load processes: every `parts`-th user or arrival is its own.
    parts: int = 1  #: Until it is handed to a process, those of load hosts.
    unit: str = REQUEST  #: What the figures are of, of `benchsuite.core.samples.UNITS`.
    handshake_headers: bool = True  #: Else a subprotocol tells the run in handshakes.
    adds_up: bool = True  #: Whether figures of its parts do, where samples are too many to be sent.
    dialect: str = ""  #: Dotted path of a class that speaks a server's own protocol, if it has one.

    def share(self, whole: int) -> int:
        """How many of the users or slots numbered below `whole` are this process's own."""
        return len(range(self.part, whole, self.parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """A journey before the load, made so that somebody can count what it leaves."""

    kind: str
    right: bool  #: Whether it came to its end, and all its answers were right.
    posts: Mapping[str, int]  #: Name of a request → how many forms were sent by it (POST).
    gains: Mapping[str, int] = field(default_factory=dict)
    """Table → rows that it gained or, below 0, lost; known to the parent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """Progress for people's eyes, and for who ends a load; no figure is ever made from it."""

    elapsed_s: float  #: Seconds since the first request.
    users: int
    requests: int  #: Finished since the first request.
    failures: int
    rate: float  #: Requests finished in the last second.
    p50_s: float | None = None
    p95_s: float | None  #: Of the last second's successes, as the median.
    awaited: int | None = None  #: Answers that the drain still waits for; None before it.
    due: int = 0  #: Of the window that may end the load: answered, or late without an answer.
    in_time: int = 0  #: Of these, answered right within `LoadProfile.ends_within_s`.
    cpu_percent: float | None = None  #: Of the target when it was last looked at, of one CPU.


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The end of a load; times are CLOCK_MONOTONIC seconds."""

    origin: float  #: When the load began.
    window: tuple[float, float]
    """Begin and end of the window; when it was stopped, the end is earlier than planned, and equal
    to the begin if it had not begun yet."""
    stopped: bool  #: Whether it ended before its time.
    users: tuple[tuple[float, int], ...]  #: (moment, users then running), one a second.
    cpu_percent: float | None  #: CPU share of this process in the window.
    lag_p99_s: float | None  #: 99th percentile of the lateness of a timer in the window.
    lag_p50_s: float | None = None
    sent: tuple[int, ...] = ()  #: Open model: arrivals due in each stage's window, sent sometime.
    dropped: tuple[int, ...] = ()  #: Those that never were.
    unmade: int = 0  #: Journeys of a fixed amount of work that had not been made at the limit.
    connections: tuple[tuple[float, int], ...] = ()  #: The same as `users` of open WebSockets.
    traffic: Traffic | None = None  #: Of the window, where compression was asked for.


def stage_windows(load: LoadProfile, done: Done) -> tuple[tuple[float, float], ...]:
    """The windows of the stages that were reached, the last one cut off where it was stopped."""
    end = done.window[1]
    planned = (
        (done.origin + stage.window_start_s, min(done.origin + stage.window_end_s, end))
        for stage in load.plan
    )
    return tuple(window for window in planned if window[0] < window[1])
