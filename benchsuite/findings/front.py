"""Whether the front, not the target behind it, was what was measured: B211."""

from collections.abc import Iterator

from benchsuite.core.observations import Evidence, FrontShares
from benchsuite.core.results import Finding, Level
from benchsuite.core.units import format_count, format_percent
from benchsuite.findings.registry import Rule, finding

USED_UP_PERCENT = 90.0  #: CPUs of which more is used have no time left worth mentioning.


@finding(
    "B211",
    "front-limit",
    of="CPU share of the front, of what it can use; or its part of CPUs that are used up",
    weak=70,
    weak_words="or more than all others",
    by_stage=True,
)
def front_limit(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """Servers behind a front that is at its limit come out equal, however different they are.

    Either the front's own processes are busy and the target's have time to spare; or all that
    answers has used its CPUs up together, and the front used more of them than all the rest.
    """
    seen = evidence.front
    if seen is not None and (limit := _busy(rule, seen) or _greedy(seen)):
        percent, message = limit
        yield rule.found(
            Level.WEAK,
            message,
            hint="Another server behind it would come out much the same: give the front more "
            "processes or threads, with CPUs for them, or less to do (TLS, new connections), or "
            "measure without it.",
            value=percent,
        )


def _busy(rule: Rule, seen: FrontShares) -> tuple[float, str] | None:
    front_cpus, target_cpus = (min(one, seen.cpus) for one in (seen.front_cpus, seen.target_cpus))
    front = seen.front_percent / front_cpus
    target = seen.target_percent / target_cpus
    if rule.level(front) is None or rule.level(target) is not None:
        return None
    return front, (
        f"{seen.name} used {format_percent(front)} of {_cpus(front_cpus)}, which is all that it "
        f"can use, and the target {format_percent(target)} of {_cpus(target_cpus)}."
    )


def _greedy(seen: FrontShares) -> tuple[float, str] | None:
    rest = seen.answering_percent - seen.front_percent
    if seen.answering_percent <= USED_UP_PERCENT * seen.cpus or seen.front_percent <= rest:
        return None
    share = seen.front_percent / seen.answering_percent * 100
    return share, (
        f"Front, target and services together used up {_cpus(seen.cpus)}, and {seen.name} took "
        f"{format_percent(share)} of that."
    )


def _cpus(count: int) -> str:
    return f"{format_count(count)} CPU{'s' * (count != 1)}"
