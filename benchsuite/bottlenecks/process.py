"""What holds up a process beside its work, or some answers alone: L11, L12, L15 and L16."""

from collections.abc import Iterator

from benchsuite.bottlenecks.evidence import CPU, REST, LimitEvidence
from benchsuite.bottlenecks.registry import bottleneck
from benchsuite.core.results import Common, Pattern
from benchsuite.core.units import (
    format_bytes,
    format_duration,
    format_number,
    format_percent,
    format_period,
)
from benchsuite.stats.patterns import LONGEST, LOWER

NEARLY_ALL = 0.9
PRESSURE_PERCENT = 5.0
FAULTS_PER_S = 50.0
GROWN = 0.02  #: Of the memory, over the window.
DAY_S = 86_400.0
COLLECTING = 0.05
LONG = 0.25  #: Of the objective.


@bottleneck("L11", "stall", when="finding B205 says that answers wait for acknowledgements")
def stalls(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    if evidence.stall:
        yield {
            "says": "Answers wait for a timer of TCP, not for the server.",
            "evidence": evidence.stall,
            "fix": "Take another server, put a proxy in front of it, or set TCP_NODELAY.",
        }


@bottleneck(
    "L12",
    "memory",
    when="the target has at least 90 % of the memory that it may have; or processes wait for "
    "memory at least 5 % of the time, or read back at least 50 pages a second",
)
def memory(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    used, limit = evidence.memory_bytes, evidence.memory_limit_bytes
    waits, faults = evidence.memory_pressure_percent, evidence.major_faults_per_s
    signs = []
    if used and limit and used >= NEARLY_ALL * limit:
        signs.append(f"the target has {format_bytes(used)} of {format_bytes(limit)}")
    if (waits or 0.0) >= PRESSURE_PERCENT:
        signs.append(f"processes wait for memory {format_percent(waits)} of the time")
    if (faults or 0.0) >= FAULTS_PER_S:
        signs.append(f"{format_number(faults)} pages a second are read back from disk")
    if signs:
        text = "; ".join(signs)
        yield {
            "says": "There is too little memory.",
            "evidence": f"{text[:1].upper()}{text[1:]}.",
            "fix": "Use fewer processes with more threads, load the project before the server "
            "forks (preload), or add memory.",
        }


@bottleneck(
    "L12a",
    "memory-grows",
    when="the target's memory grows by at least 2 % over the window, in its later half, too, and "
    "at least 0.7 times as fast",
    explains=(),
)
def growing(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    grows, window_s, used = evidence.memory_grows, evidence.window_s, evidence.memory_bytes
    if not grows or not window_s or not used or not evidence.rate:
        return
    if grows * window_s >= GROWN * used:
        limit = evidence.memory_limit_bytes
        left_s = (limit - used) / grows if limit else DAY_S
        left = f": {format_bytes(limit)} are used up after {format_period(left_s)} more of this"
        yield {
            "says": "The target's memory grows and doesn't stop.",
            "evidence": f"It has {format_bytes(used)} and grows by "
            f"{format_bytes(grows / evidence.rate)} a request, {format_bytes(60 * grows)} a minute"
            f"{left if 0 < left_s < DAY_S else ''}.",
            "fix": "Find what keeps it (tracemalloc), such as a cache without a limit; until then, "
            "replace processes after so many requests, where the server can.",
        }


@bottleneck(
    "L15",
    "gc",
    when="diagnostic run: pauses of the garbage collector take at least 5 % of the CPU time, or "
    "one takes a quarter of the objective",
    explains=(CPU, REST),
)
def collecting(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    diagnosis = evidence.diagnosis
    if diagnosis is None:
        return
    much = diagnosis.collecting_share >= COLLECTING
    goal_s = evidence.objective_s
    if much or (goal_s is not None and diagnosis.longest_pause_s >= LONG * goal_s):
        yield {
            "says": "Pauses of the garbage collector hold up requests.",
            "evidence": f"They take {format_percent(100 * diagnosis.collecting_share)} of the CPU "
            f"time; the longest took {format_duration(diagnosis.longest_pause_s)}.",
            "fix": "Call gc.freeze() once the project is loaded, and raise gc.set_threshold().",
            "gain": f"Up to {format_percent(100 * diagnosis.collecting_share)} of the CPU time."
            if much
            else "",
        }


LOOK = {
    Common.PERIOD: "Look for what runs so often: timers, threads, cron jobs, the garbage collector "
    "(--diagnose times it), autovacuum or checkpoints of the database.",
    Common.PROCESS: "Look at what such a process does beside its answers, and what it lacks: its "
    "log, its CPU, a cache of its own, more connections than the others have.",
    Common.CONNECTION: "Look at what such connections share: the process or thread that serves "
    "them, the server behind a proxy, the data of their users.",
}


@bottleneck(
    "L16",
    "slow-for-some",
    when="slow answers come in equal turns, or from few processes or connections, by more than "
    f"chance (0.1 %), and without them p99 would be at least {100 * (1 - LOWER):.0f} % lower (or "
    "p99.9, p95, the longest answer)",
    explains=(),
    unless=("L11",),
)
def slow_for_some(evidence: LimitEvidence) -> Iterator[dict[str, str]]:
    for pattern in evidence.patterns:
        limited = "the longest" if pattern.percent == LONGEST else f"p{pattern.percent:g}"
        yield {
            "says": _says(pattern),
            "evidence": f"{format_percent(100 * pattern.share)} of the answers: without them, "
            f"{limited} would be {format_duration(pattern.without_s)} instead of "
            f"{format_duration(pattern.at_s)}.",
            "fix": LOOK[pattern.common],
        }


def _says(pattern: Pattern) -> str:
    if pattern.common is Common.PERIOD:
        period, length = map(format_duration, (pattern.period_s, pattern.length_s))
        return f"Every {period}, answers are held up for {length}."
    what = "processes" if pattern.common is Common.PROCESS else "connections"
    verb = "is" if pattern.slow == 1 else "are"
    return f"{pattern.slow} of {pattern.groups} {what} {verb} slower than the others."
