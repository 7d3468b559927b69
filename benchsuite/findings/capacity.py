"""Whether the rate of an open run is all that the target can answer: B304."""

import math
from collections.abc import Iterator

from benchsuite.core.observations import Evidence
from benchsuite.core.results import Finding, Level
from benchsuite.core.units import format_percent, format_rate
from benchsuite.findings.registry import INFORMATIONAL, Rule, finding
from benchsuite.stats.levels import HELD

HINT = (
    "At or beyond capacity, times are those of the queue and grow as long as the load lasts: use a "
    "lower --rate."
)


@finding(
    "B304",
    "near-capacity",
    of="time in which the target was busy (open model)",
    weak=95,
    weak_words=INFORMATIONAL,
    by_stage=True,
)
def near_capacity(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """Informational: what is wrong with such a run, other findings weigh."""
    if message := _why(rule, evidence):
        yield rule.found(Level.INFO, message, hint=HINT)


def is_near_capacity(evidence: Evidence) -> bool:
    """Whether waiting in the queue is what the times of an open run show."""
    return bool(_why(near_capacity.rule, evidence))


def is_surely_beyond(evidence: Evidence) -> bool:
    """Whether more was left unanswered than random arrivals leave by chance: twice their spread."""
    under_way, total = evidence.under_way, evidence.total
    if under_way is None or total is None or evidence.window is None:
        return False
    begin, end = evidence.window
    arrived = under_way.arrived_per_s * (end - begin)
    left = arrived - total.throughput * (end - begin)
    return left > max((1 - HELD) * arrived, 2 * math.sqrt(arrived))


def _why(rule: Rule, evidence: Evidence) -> str:
    under_way, total = evidence.under_way, evidence.total
    if under_way is None or total is None:
        return ""
    arrived = under_way.arrived_per_s
    if total.throughput < HELD * arrived:
        return (
            f"Beyond capacity: {format_rate(arrived)} arrived, but only "
            f"{format_rate(total.throughput)} were answered."
        )
    busy = evidence.busy_percent
    if busy is not None and busy > rule.weak:
        return f"Near capacity: the target was busy {format_percent(busy)} of the time."
    return ""
