"""Whether what stands before the target is what was measured: B211."""

from collections.abc import Callable, Iterator

from benchsuite.core.observations import Evidence, FrontShares
from benchsuite.core.results import Finding, Level
from benchsuite.core.units import format_count, format_percent
from benchsuite.findings.limits import USED_UP_PERCENT, limit


def front_limit(evidence: Evidence) -> Iterator[Finding]:
    """Servers behind a front that is at its limit come out equal, however different they are.

    Either the front's own processes are busy and the target's have time to spare; or all that
    answers has used its CPUs up together, and the front used more of them than all the rest.
    """
    seen = evidence.front
    if seen is None:
        return
    message = _busy(seen) or _greedy(seen)
    if message is None:
        return
    yield Finding(
        code=limit("B211").code,
        level=Level.WEAK,
        message=message,
        hint="Another server behind it would come out much the same: give the front more processes "
        "or threads and CPUs for them, less to do (TLS, connections that are not kept), or measure "
        "without it.",
    )


def _busy(seen: FrontShares) -> str | None:
    rule = limit("B211")
    front_cpus, target_cpus = (min(one, seen.cpus) for one in (seen.front_cpus, seen.target_cpus))
    front = seen.front_percent / front_cpus
    target = seen.target_percent / target_cpus
    if rule.level(front) is None or rule.level(target) is not None:
        return None
    return (
        f"{seen.name} used {format_percent(front)} of {_cpus(front_cpus)}, which is all that it "
        f"can use, and the target {format_percent(target)} of {_cpus(target_cpus)}."
    )


def _greedy(seen: FrontShares) -> str | None:
    rest = seen.answering_percent - seen.front_percent
    if seen.answering_percent <= USED_UP_PERCENT * seen.cpus or seen.front_percent <= rest:
        return None
    share = seen.front_percent / seen.answering_percent * 100
    return (
        f"All that answers used up the {_cpus(seen.cpus)} that it shares, and {seen.name} took "
        f"{format_percent(share)} of that."
    )


def _cpus(count: int) -> str:
    return f"{format_count(count)} CPU{'s' * (count != 1)}"


BY_STAGE: tuple[Callable[[Evidence], Iterator[Finding]], ...] = (front_limit,)
