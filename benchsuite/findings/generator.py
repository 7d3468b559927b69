"""Whether the load generator itself was what was measured: B101 to B105."""

from collections.abc import Callable, Iterator

from benchsuite.core.observations import Evidence, UnderWay
from benchsuite.core.results import Finding, Level, Summary
from benchsuite.core.units import (
    format_count,
    format_duration,
    format_number,
    format_percent,
    format_rate,
)
from benchsuite.findings.limits import LAG_ALWAYS_FINE_S, limit


def cpu(evidence: Evidence) -> Iterator[Finding]:
    rule = limit("B101")
    percent = evidence.load_cpu_percent
    level = rule.level(percent)
    if level is not None:
        yield Finding(
            code=rule.code,
            level=level,
            message=f"The load process used {format_percent(percent)} of a CPU: it may be what "
            "was measured.",
            hint=f"Use {evidence.less} or a heavier workload, or give the load a machine's free "
            "CPU.",
        )


def lag(evidence: Evidence) -> Iterator[Finding]:
    """A timer in the load process that fires late sends and receives late, too."""
    rule = limit("B102")
    late_s = evidence.load_lag_p99_s
    median_s = evidence.total.response_time.at(50) if evidence.total else None
    if late_s is None or not median_s or late_s <= LAG_ALWAYS_FINE_S:
        return
    level = rule.level(late_s / median_s * 100)
    if level is not None:
        yield Finding(
            code=rule.code,
            level=level,
            message=f"A timer in the load process was {format_duration(late_s)} late (p99), at a "
            f"median response time of {format_duration(median_s)}.",
            hint=f"The load process waited for a CPU: stop other programs, or use {evidence.less}.",
        )


def ceiling(evidence: Evidence) -> Iterator[Finding]:
    """Close to what the generator makes of a server that costs nothing, it is what is measured."""
    rule = limit("B103")
    highest = evidence.ceiling_rate
    if not highest or evidence.total is None:
        return
    percent = evidence.total.throughput / highest * 100
    level = rule.level(percent)
    if level is not None:
        yield Finding(
            code=rule.code,
            level=level,
            message=f"{format_rate(evidence.total.throughput)} are {format_percent(percent)} of "
            f"the {format_rate(highest)} that this generator makes at most on this machine.",
            hint="The server may do more than the generator can ask for: use a heavier workload, "
            "or free CPUs; after changes to the machine repeat: checkbench --calibrate.",
        )


def rate_missed(evidence: Evidence) -> Iterator[Finding]:
    """An open model that didn't keep to its plan measured another load than it says."""
    rule = limit("B104")
    arrivals = evidence.arrivals
    if arrivals is None or arrivals.offered <= 0:
        return
    percent = abs(arrivals.offered - arrivals.achieved) / arrivals.offered * 100
    level = Level.INVALID if arrivals.dropped else rule.level(percent)
    if level is not None:
        dropped = (
            f"; {format_count(arrivals.dropped)} arrivals were never sent"
            if arrivals.dropped
            else ""
        )
        yield Finding(
            code=rule.code,
            level=level,
            message=f"{format_rate(arrivals.achieved)} were started where "
            f"{format_rate(arrivals.offered)} were planned, {format_percent(percent)} apart"
            f"{dropped}.",
            hint="The target is beyond its capacity, or the generator at its own: use a lower "
            "--rate, or a higher --max-in-flight.",
        )


def littles_law(evidence: Evidence) -> Iterator[Finding]:
    """Users who wait for an answer must be in flight, and those in flight must be the throughput
    times the mean response time (Little 1961); in the open model, the rate of arrivals times it.

    What lacks in the first is time that users lost inside the generator, and that no figure shows.
    What lacks in the second is work that crosses the edges of a short window; in the open model
    also work that piles up, because more arrives than is answered.
    """
    total = evidence.total
    if total is None:
        return
    if total.concurrency and evidence.waiting_users:
        yield from _lost_in_generator(evidence, evidence.waiting_users, total.concurrency)
    if total.failures:
        return  # mean times are those of the successes
    if evidence.under_way is not None:
        yield from _piled_up(evidence.under_way, total)
    elif total.concurrency and evidence.waiting_users:
        yield from _lost_at_edges(evidence, total, total.concurrency)


def _lost_in_generator(
    evidence: Evidence, waiting_users: float, in_flight: float
) -> Iterator[Finding]:
    lost = waiting_users - in_flight
    gap = lost / waiting_users * 100
    level = limit("B105").level(gap)
    # Who pauses wakes as late as any timer; that is no small part of a fast answer.
    if level is not None and lost > evidence.wakes_per_s * LAG_ALWAYS_FINE_S:
        yield Finding(
            code=limit("B105").code,
            level=level,
            message=f"{format_number(waiting_users)} {evidence.who} did not pause, but only "
            f"{format_number(in_flight)} {evidence.units} were in flight on average: "
            f"{format_percent(gap)} of their time was lost in the load generator.",
            hint=f"Use fewer {evidence.who} or a heavier workload; a journey that computes much "
            "between its requests takes that time, too.",
        )


def _lost_at_edges(evidence: Evidence, total: Summary, in_flight: float) -> Iterator[Finding]:
    mean_s = total.response_time.mean_s
    if mean_s is None:
        return
    explained = total.throughput * mean_s
    gap = abs(in_flight - explained) / in_flight * 100
    level = limit("B105").level(gap)
    if level is not None:
        yield Finding(
            code=limit("B105").code,
            level=level,
            message=f"{format_number(in_flight)} {evidence.units} were in flight on average, but "
            f"throughput × mean response time accounts for {format_number(explained)}: "
            f"{format_percent(gap)} apart.",
            hint="The window is too short for response times like these: give --warmup and "
            "--duration more time.",
        )


def _piled_up(under_way: UnderWay, total: Summary) -> Iterator[Finding]:
    mean_s = total.response_time.mean_s
    if mean_s is None or not under_way.mean:
        return
    explained = under_way.arrived_per_s * mean_s
    gap = abs(under_way.mean - explained) / under_way.mean * 100
    level = limit("B105").level(gap)
    if level is not None:
        yield Finding(
            code=limit("B105").code,
            level=level,
            message=f"{format_number(under_way.mean)} requests were under way on average, but "
            f"{format_rate(under_way.arrived_per_s)} × mean response time accounts for "
            f"{format_number(explained)}: {format_percent(gap)} apart.",
            hint="More arrives than is answered, so that each waits longer than the one before: "
            "lower --rate. Or the window is too short for response times like these: give "
            "--warmup and --duration more time.",
        )


def broken(evidence: Evidence) -> Iterator[Finding]:
    """Such a start says nothing about the server, and enters no median."""
    if evidence.broken:
        yield Finding(
            code=limit("B107").code,
            level=Level.INVALID,
            message="The measuring failed, not what was measured: the load generator or a "
            "throw-away database ended the run.",
            hint="The reason of the failure says what to do; then repeat the run.",
        )


CHECKS: tuple[Callable[[Evidence], Iterator[Finding]], ...] = (cpu, lag, broken)
BY_STAGE: tuple[Callable[[Evidence], Iterator[Finding]], ...] = (
    ceiling,
    rate_missed,
    littles_law,
)
