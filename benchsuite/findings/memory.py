"""Whether the target's memory stays what it is, and memory per connection can be told: B215, B217
and B303.
"""

from collections.abc import Iterator

from benchsuite.core.observations import Evidence
from benchsuite.core.results import Finding, Level
from benchsuite.core.units import format_bytes, format_count, format_percent
from benchsuite.findings.registry import Rule, finding
from benchsuite.stats.memory import FEWEST_STEPS, growth

MINUTE_S = 60.0


@finding(
    "B215",
    "memory-kept",
    of="memory that each closed WebSocket leaves behind (the lower end of its interval)",
    unit=" bytes",
    weak=1024,
)
def memory_kept(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """A target that grows with each connection it has closed runs full one day."""
    closed = evidence.closed
    if closed is None or closed.each_bytes is None:
        return
    yield from rule.weighed(
        closed.low_bytes,
        f"Each of {format_count(closed.steps[-1][0])} closed connections left "
        f"{format_bytes(closed.each_bytes)} behind in the target's memory.",
        hint="A longer window tells a leak, which goes on, from caches that fill up. Look for "
        "what consumers keep after disconnect, and for groups that are never left.",
    )


@finding(
    "B217",
    "memory-grows",
    of="what the target's memory grows by in a minute (the lower end of its interval), of what it "
    "had when the window began",
    weak=25,
)
def memory_grows(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """Memory is the most that was seen: of a target that grows, the window's length decides it."""
    grown = growth(evidence.memory)
    if grown is None:
        return
    begin = evidence.memory[0][1]
    yield from rule.weighed(
        grown.low * MINUTE_S / begin * 100,
        f"The target's memory grew by {format_bytes(grown.value)} a second (at least "
        f"{format_bytes(grown.low)}) from {format_bytes(begin)}, and went on growing.",
        hint="The memory of this run is that of a window of this length. A longer --warmup "
        "tells a leak, which goes on, from caches that fill up.",
    )


@finding(
    "B303",
    "unsure-slope",
    of="half the interval of the memory per connection, of it",
    weak=10,
    invalid=50,
    invalid_words=f"or fewer than {FEWEST_STEPS} steps",
)
def unsure_slope(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """Memory per connection is a slope: without steps enough, or with steps that lie about, it says
    nothing.
    """
    idle = evidence.idle
    if idle is None:
        return
    if idle.each_bytes is None or idle.low_bytes is None or idle.high_bytes is None:
        yield rule.found(
            Level.INVALID,
            f"Memory was read at {len(idle.steps)} numbers of connections; a slope needs at least "
            f"{FEWEST_STEPS}.",
            hint="Use more --stages, or a workload with more steps.",
        )
        return
    half = (idle.high_bytes - idle.low_bytes) / 2
    percent = half / abs(idle.each_bytes) * 100 if idle.each_bytes else 100.0
    yield from rule.weighed(
        percent,
        f"A connection takes between {format_bytes(idle.low_bytes)} and "
        f"{format_bytes(idle.high_bytes)}: {format_percent(percent)} to either side.",
        hint="Use more --connections, so that they weigh more than what the server does by "
        "itself, and a longer --warmup for each step.",
    )
