"""Whether the load generator itself was what was measured: B101 to B105, B107 and B108."""

import math
from collections.abc import Iterator

from benchsuite.core.observations import Evidence
from benchsuite.core.results import Finding, Level
from benchsuite.core.units import (
    format_count,
    format_duration,
    format_number,
    format_percent,
    format_rate,
)
from benchsuite.findings.registry import Rule, finding
from benchsuite.findings.target import starves
from benchsuite.findings.window import is_surely_beyond

LIMIT = ("B101", "B102", "B103")
"""The load generator was the limit, not the server."""

USUAL_SHARE = 0.25
"""Of the median response time: timers that are half that late spoil the tail alone."""

HOST_BUSY_PERCENT = 95.0  #: Of all CPUs of a load host, by whatever runs there.
DRIFT_FINE_S = 0.005  #: Of two clocks, over a load: no window is that exact.
LAG_ALWAYS_FINE_S = 0.001  #: A timer is never that exact.


@finding("B101", "generator-cpu", weak=70, invalid=90)
def cpu(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """CPU share of the busiest load process"""
    percent = evidence.load_cpu_percent
    yield from rule.weighed(
        percent,
        f"The busiest load process used {format_percent(percent)} of a CPU: the load generator "
        "may be what was measured.",
        hint="Use less load or a heavier workload, or free a CPU for it.",
    )


@finding(
    "B102", "generator-lag", weak=10, invalid=100, invalid_words="and half of the timers above 25 %"
)
def lag(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """lateness of a timer in the load process (p99) against the median response time, where it is
    above 1 ms
    """
    # A timer in the load process that fires late sends and receives late, too.
    late_s = evidence.load_lag_p99_s
    median_s = evidence.total.response_time.at(50) if evidence.total else None
    if late_s is None or not median_s or late_s <= LAG_ALWAYS_FINE_S:
        return
    level = rule.level(late_s / median_s * 100)
    usual_s = evidence.load_lag_p50_s
    if level is Level.INVALID and usual_s is not None and usual_s <= USUAL_SHARE * median_s:
        level = Level.WEAK
    if level:
        yield rule.found(
            level,
            f"A timer in the load process fired {format_duration(late_s)} late (p99), at a median "
            f"response time of {format_duration(median_s)}.",
            hint="See whether it is busy itself (B101) or others held it up (B401); else try "
            "less load, and look for code of the journey that computes or blocks.",
            value=late_s / median_s * 100,
        )


@finding("B103", "generator-ceiling", weak=70, invalid=90, by_stage=True)
def ceiling(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """throughput against this generator's own ceiling"""
    highest = evidence.ceiling_rate
    if not highest or evidence.total is None:
        return
    percent = evidence.total.throughput / highest * 100
    yield from rule.weighed(
        percent,
        f"The throughput of {format_rate(evidence.total.throughput)} is "
        f"{format_percent(percent)} of this generator's ceiling on this machine, "
        f"{format_rate(highest)}.",
        hint="The server may be faster than the generator can show: use a heavier workload, or "
        "free CPUs. After changes to the machine, run checkbench --calibrate again.",
    )


@finding(
    "B104",
    "rate-missed",
    weak=2,
    invalid=10,
    invalid_words="or one dropped",
    by_stage=True,
    beyond=True,
)
def rate_missed(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """starts made against starts planned (open model)"""
    arrivals = evidence.arrivals
    if arrivals is None or arrivals.offered_rate <= 0:
        return
    planned, achieved = arrivals.offered_rate, arrivals.achieved_rate
    percent = abs(planned - achieved) / planned * 100
    if level := Level.INVALID if arrivals.dropped else rule.level(percent):
        never = f"; {format_count(arrivals.dropped)} arrivals were never sent"
        yield rule.found(
            level,
            f"{format_rate(achieved)} were started where {format_rate(planned)} were planned, "
            f"{format_percent(percent)} apart"
            f"{never * (arrivals.dropped > 0)}.",
            hint="See whether a lower --rate or a higher --max-in-flight keeps to the plan; the "
            "target may be at its capacity (B304), or the generator late (B102).",
            value=percent,
        )


@finding("B105", "littles-law", weak=5, invalid=15, by_stage=True, beyond=True)
def littles_law(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """users against requests in flight (closed model); those against throughput × mean time

    Users who wait must be in flight, else they lost time inside the generator, which no figure
    shows; and those in flight must be the throughput (open model: arrivals) times the mean response
    time (Little 1961), but for what crosses the edges of a short window or piles up.
    """
    total, waiting, under_way = evidence.total, evidence.waiting_users, evidence.under_way
    if total is None:
        return
    in_flight, mean_s = total.concurrency, total.response_time.mean_s
    lost = (waiting or 0.0) - (in_flight or 0.0)
    # a user who pauses wakes as late as any timer; that is no small part of a fast answer
    if in_flight and waiting and lost > evidence.wakes_per_s * LAG_ALWAYS_FINE_S:
        gap = lost / waiting * 100
        yield from rule.weighed(
            gap,
            f"{format_number(waiting)} {evidence.who} did not pause, but only "
            f"{format_number(in_flight)} {evidence.units} were in flight on average: "
            f"{format_percent(gap)} of their time was lost in the load generator.",
            hint=f"Use fewer {evidence.who} or a heavier workload. A journey that computes between "
            "its requests loses that time, too.",
        )
    if total.failures or mean_s is None:
        return  # mean times are those of the successes
    if under_way is not None:
        if under_way.mean and is_surely_beyond(evidence):
            explained = under_way.arrived_per_s * mean_s
            gap = abs(under_way.mean - explained) / under_way.mean * 100
            yield from rule.weighed(
                gap,
                f"{format_number(under_way.mean)} requests were under way on average, but "
                f"{format_rate(under_way.arrived_per_s)} × mean response time accounts for "
                f"{format_number(explained)}: {format_percent(gap)} apart.",
                hint="More requests arrive than are answered: use a lower --rate.",
            )
    elif in_flight and waiting and not starves(evidence):
        explained = total.throughput * mean_s
        begin, end = evidence.window or (0.0, math.inf)
        longest = (total.response_time.max_s or 0.0) / (end - begin)  # one answer at an edge
        gap = max(0.0, abs(in_flight - explained) - longest) / in_flight * 100
        yield from rule.weighed(
            gap,
            f"{format_number(in_flight)} {evidence.units} were in flight on average, but "
            f"throughput × mean response time accounts for {format_number(explained)}: "
            f"{format_percent(gap)} apart.",
            hint="See in the charts whether the load and its times were steady (B301), or increase "
            "--warmup and --duration.",
        )


@finding("B107", "not-measured", invalid=0)
def broken(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """load processes and throw-away databases that failed"""
    if evidence.broken:
        yield rule.found(
            Level.INVALID,
            "The measurement failed, not the target: the load generator or a throw-away database "
            "ended the run.",
            hint="The failure's message says what to do; then repeat the run.",
        )


@finding(
    "B108",
    "load-host",
    weak=0,
    unit=" s",
    weak_words="or a host short of CPU",
    invalid_words="a host whose part is missing",
)
def load_hosts(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """seconds for which nothing was heard from a load host, or by which it was late"""
    # What the others measured stays, and is less than the load that was planned.
    for host in evidence.load_hosts:
        share = format_percent(100 * host.share)
        if host.lost:
            yield rule.found(
                Level.INVALID,
                f"{host.lost} Its share of the load was {share}.",
                hint="What the other load hosts measured is here; look after that host and repeat "
                "the run.",
            )
        elif off_s := max(host.silent_s, host.late_s, (host.clock_drift_s or 0.0) - DRIFT_FINE_S):
            what = {
                host.silent_s: "was silent for",
                host.late_s: "heard of the begin late, by",
            }.get(off_s, "has a clock that ran away by")
            yield rule.found(
                Level.WEAK,
                f"Load host {host.name}, with {share} of the load, {what} "
                f"{format_duration(off_s)}.",
                hint="Look after its network and what else runs there, and repeat the run.",
                value=off_s,
            )
        if (busy := host.busy_percent or 0.0) > HOST_BUSY_PERCENT:
            yield rule.found(
                Level.WEAK,
                f"Load host {host.name}, with {share} of the load, was short of CPU: its "
                f"{host.cpus} CPUs were busy for {format_percent(busy)} of the time.",
                hint="Use more load hosts or less load, or end other programs there.",
            )
