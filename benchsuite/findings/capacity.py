"""Whether the rate of an open run is all that the target can answer: B304."""

from collections.abc import Iterator

from benchsuite.core.observations import Evidence
from benchsuite.core.results import Finding, Level
from benchsuite.core.units import format_percent, format_rate
from benchsuite.findings.limits import ANSWERED_OF_ARRIVED, limit

HINT = (
    "Times at or beyond capacity are those of the queue and grow as long as the load lasts; use a "
    "lower --rate."
)


def near_capacity(evidence: Evidence) -> Iterator[Finding]:
    """Informational: what is wrong with such a run, other findings weigh."""
    message = _why(evidence)
    if message:
        yield Finding(code=limit("B304").code, level=Level.INFO, message=message, hint=HINT)


def is_near_capacity(evidence: Evidence) -> bool:
    """Whether waiting in the queue is what the times of an open run show."""
    return bool(_why(evidence))


def _why(evidence: Evidence) -> str:
    under_way, total = evidence.under_way, evidence.total
    if under_way is None or total is None:
        return ""
    arrived = under_way.arrived_per_s
    if total.throughput < ANSWERED_OF_ARRIVED * arrived:
        return (
            f"Beyond capacity: {format_rate(arrived)} arrived, and "
            f"{format_rate(total.throughput)} were answered."
        )
    busy = evidence.busy_percent
    if busy is not None and busy > (limit("B304").weak or 0.0):
        return f"Near capacity: the target was busy {format_percent(busy)} of the time."
    return ""
