"""Whether the load generator itself was what was measured, or an independent client sees the same
times: B101 to B108.
"""

import math
from collections.abc import Iterator, Sequence

from benchsuite.core.observations import Connection, Evidence, Probes
from benchsuite.core.results import Finding, Level
from benchsuite.core.units import (
    counted,
    format_count,
    format_duration,
    format_number,
    format_percent,
    format_rate,
)
from benchsuite.findings.registry import Rule, finding
from benchsuite.findings.target import stall, starves
from benchsuite.findings.window import is_surely_beyond
from benchsuite.stats import histogram
from benchsuite.stats.distributions import at_least
from benchsuite.stats.summary import about_half, median_interval

LIMIT = ("B101", "B102", "B103")  #: The load generator was the limit, not the server.
USUAL_SHARE = 0.25  #: Of the median response time: if half are less late, the tail alone is off.
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
        yield rule.finding(
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
        never = f"; {counted(arrivals.dropped, 'arrival')} never sent"
        yield rule.finding(
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
    total, waiting = evidence.total, evidence.waiting_users
    arrived_per_s, under_way = evidence.arrived_per_s, evidence.under_way
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
    if arrived_per_s is not None:
        if under_way and is_surely_beyond(evidence):
            explained = arrived_per_s * mean_s
            gap = abs(under_way - explained) / under_way * 100
            yield from rule.weighed(
                gap,
                f"{format_number(under_way)} requests were under way on average, but "
                f"{format_rate(arrived_per_s)} × mean response time accounts for "
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
        yield rule.finding(
            Level.INVALID,
            "The measurement failed, not the target.",
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
    for host in evidence.load_hosts:
        share, drift_s = format_percent(100 * host.share), host.clock_drift_s or 0.0
        drift_s = drift_s if drift_s > DRIFT_FINE_S else 0.0
        if host.lost:
            yield rule.finding(
                Level.INVALID,
                f"{host.lost} Its share of the load was {share}.",
                hint="What the other load hosts measured is here; look after that host and repeat "
                "the run.",
            )
        elif off_s := max(host.silent_s, host.late_s, drift_s):
            what = {
                host.silent_s: "was silent for",
                host.late_s: "heard of the begin late, by",
            }.get(off_s, "has a clock that ran away by")
            yield rule.finding(
                Level.WEAK,
                f"Load host {host.name}, with {share} of the load, {what} "
                f"{format_duration(off_s)}.",
                hint="Look after its network and what else runs there, and repeat the run.",
                value=off_s,
            )
        if (busy := host.busy_percent or 0.0) > HOST_BUSY_PERCENT:
            yield rule.finding(
                Level.WEAK,
                f"Load host {host.name}, with {share} of the load, was short of CPU: its "
                f"{host.cpus} CPUs were busy for {format_percent(busy)} of the time.",
                hint="Use more load hosts or less load, or end other programs there.",
            )


PROBER_ALLOWANCE_S = 0.001  #: Two clients in Python differ by about this, however they are written.
FEWEST_PROBES = 20  #: With fewer, the interval of their median is too wide to say anything.

FEWEST_CLEAR_PROBES = 6  #: So many, when all say the same, are no chance (median_interval).
CHANCE = 0.01  #: So unlikely must it be that the load would lose as many requests.
ANSWERED_PROBES = 0.9  #: With a smaller share known, others are answered something else.
LOAD_WAITS = (
    "The load sees answers later than others do: see whether it is short of CPU (B101, B102), and "
    "compare both while the load runs: their connections and headers."
)
OTHERS_WAIT = (
    "Others wait longer than the load does, and its requests that were sent later were answered "
    "sooner. Compare both while the load runs: new connections with kept ones, and their headers."
)


@finding("B106", "prober-disagrees", weak=10, invalid=50, by_stage=True)
def prober_disagrees(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """an independent client's median against the load's

    What hangs has waited for so long, and is evidence like an answer that took that long. What was
    refused or broken off is, too, where the load fails more seldom.

    The distance is between the near ends of the 95 % intervals of both medians, less the prober's
    own waiting for a CPU. It meets all n users of a closed model, so it may see (n + 1) / n times
    what they see (Sevcik & Mitrani 1981, Reiser & Lavenberg 1980). Each connection counts once.
    What it found under way and the load's own requests did not is no doubt.
    """
    probes = evidence.probes
    if probes is None or not probes.median_s or any(stall(evidence)) or starves(evidence):
        return  # its connection rests between its requests: it never stalls, and is served last
    if evidence.slots_held:
        return  # it waits for a user to leave, as one more user would
    median_s, lost = probes.median_s, _lost(probes)
    allowance_s = PROBER_ALLOWANCE_S + probes.lateness_s
    seen = [one for one in probes.connections if lost or not one.lost]
    if len(seen) < FEWEST_CLEAR_PROBES:
        return
    low_s, _ = median_interval([_least_s(one, one.times_s) for one in seen])
    _, high_s = median_interval([_most_s(one) for one in seen])
    least_s, most_s = _median_of_load(probes)
    # somebody who is none of the users waits so much longer than one of them
    longer = (probes.users + 1) / max(1.0, probes.users) if probes.users else 1.0
    above_s = low_s - most_s * longer - allowance_s
    below_s = least_s - high_s - allowance_s
    apart_s, slower = max(above_s, below_s), above_s > below_s
    if rule.level(apart_s / median_s * 100) is None:
        return
    unexplained_s = _unexplained_s(probes, seen, slower=slower) - allowance_s
    percent = min(apart_s, unexplained_s) / median_s * 100
    level = rule.level(percent)
    if level is None:  # what it found under way explains the difference
        return
    if math.isinf(low_s):
        yield rule.finding(
            level,
            f"{format_count(lost)} of the {format_count(probes.sent)} requests of an independent "
            "prober were refused or broken off, but only "
            f"{format_percent(probes.failed * 100)} of the load's failed.",
            hint="See the server's log, its limits of connections and its listen queue.",
            value=lost / probes.sent * 100,
        )
        return
    most = "more" if math.isinf(high_s) else format_duration(high_s)
    yield rule.finding(
        level,
        f"An independent prober saw a median service time of {format_duration(low_s)} to "
        f"{most}{_unanswered(probes)}, but the load saw {format_duration(median_s)}: "
        f"{format_percent(percent)} apart, without the prober's own waiting and what it found "
        "under way.",
        hint=OTHERS_WAIT if slower else LOAD_WAITS,
        value=percent,
    )


def _unexplained_s(probes: Probes, seen: Sequence[Connection], *, slower: bool) -> float:
    """How much of the distance remains without what each found under way, where that is known:
    slower is who waits longer than those sent later, faster who is answered before one sent
    earlier.
    """
    if not any(one.beyond_s for one in seen):
        return math.inf
    if slower:
        return median_interval([_least_s(one, one.beyond_s) for one in seen])[0]
    _, high_s = median_interval([_most_s(one) for one in seen])
    ahead_s, _ = median_interval([_least_s(one, one.ahead_s) for one in seen])
    return max(probes.own_s - high_s, ahead_s)


def _median_of_load(probes: Probes) -> tuple[float, float]:
    """Where the load's median lies: between the answers of the ranks around it, as of a page that
    takes either of two ways equally often.
    """
    times, median_s = probes.load.service_time, probes.median_s
    if not times.histogram:
        return median_s, median_s
    ranks = about_half(times.count)
    known = histogram.values_at(histogram.decode(times.histogram), [50 - ranks, 50 + ranks])
    return min(median_s, *known.values()), max(median_s, *known.values())


def unchecked(evidence: Evidence) -> Iterator[str]:
    """Where others' times could not be held against the load's, and why."""
    for stage in evidence.stages or (evidence,):
        if why := _why_unchecked(stage):
            at = f" at {stage.stage}" if stage.stage else ""
            yield f"whether others see the times that the load sees{at} (B106), as {why}"
        if stage.unprobed:
            return  # it is the same for all stages


def _why_unchecked(evidence: Evidence) -> str:
    probes = evidence.probes
    if probes is None or any(stall(evidence)):
        return evidence.unprobed
    if not probes.median_s:
        return "no request of the load was answered correctly"
    if evidence.slots_held:
        return (
            "kept connections of the load hold all "
            f"{format_count(evidence.slots_held)} slots of the server"
        )
    if any(prober_disagrees(evidence)):
        return ""
    known = probes.answered + probes.hung + probes.lost
    if known < ANSWERED_PROBES * probes.sent:
        return (
            f"{format_count(probes.sent - known)} of the prober's {format_count(probes.sent)} "
            "requests were answered differently from the load's"
        )
    if known < FEWEST_PROBES:
        return (
            f"the prober, which must be no load itself, asked only {format_count(known)} times and "
            f"needs {FEWEST_PROBES}: increase --duration"
        )
    return ""


def _least_s(connection: Connection, times_s: Sequence[float]) -> float:
    return min(times_s[:-1] if connection.lost else times_s, default=math.inf)


def _most_s(connection: Connection) -> float:
    return math.inf if connection.hung or connection.lost else max(connection.times_s)


def _lost(probes: Probes) -> int:
    """0 where the load may well lose as many."""
    return probes.lost if at_least(probes.lost, probes.sent, probes.failed) <= CHANCE else 0


def _unanswered(probes: Probes) -> str:
    counts = {"hung": probes.hung, "were refused or broken off": _lost(probes)}
    of = f"of its {format_count(probes.sent)} requests"
    parts = [f"{format_count(count)} {of} {words}" for words, count in counts.items() if count]
    return f" ({' and '.join(parts)})" if parts else ""
