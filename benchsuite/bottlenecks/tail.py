"""What makes some answers slow while the others are not: L16."""

from collections.abc import Iterator

from benchsuite.bottlenecks.evidence import Evidence
from benchsuite.bottlenecks.registry import bottleneck
from benchsuite.core.results import Common, Pattern
from benchsuite.core.units import format_duration, format_percent
from benchsuite.stats.patterns import LONGEST, LOWER

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
def slow_for_some(evidence: Evidence) -> Iterator[dict[str, str]]:
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
