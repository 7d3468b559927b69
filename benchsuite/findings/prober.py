"""Whether an independent client sees the times that the load sees: B106."""

import math
from collections.abc import Iterator, Sequence
from statistics import median

from benchsuite.core.observations import Connection, Evidence, Probes
from benchsuite.core.results import Finding, Level
from benchsuite.core.units import format_count, format_duration, format_percent
from benchsuite.findings.registry import Rule, because, codes, finding
from benchsuite.findings.target import stalled, starves
from benchsuite.stats import histogram
from benchsuite.stats.summary import about_half, median_interval

TWICE = 2  #: So often each connection is asked; what is asked more often was slow.
PROBER_ALLOWANCE_S = 0.001  #: Two clients in Python differ by about this, however they are written.
FEWEST_PROBES = 20  #: With fewer, the interval of their median is too wide to say anything.

FEWEST_CLEAR_PROBES = 6  #: So many, when all say the same, are no chance (median_interval).
CHANCE = 0.01  #: So unlikely must it be that a connection is slow by chance, or loses requests.
CHANCE_OF_LOAD = 0.05
"""And so unlikely that the load has as many slow requests as the prober slow connections."""

ANSWERED_PROBES = 0.9  #: With a smaller share known, others are answered something else.
LOAD_WAITS = "The load sees answers later than others do"
OTHERS_WAIT = (
    "Others wait longer than the load does, and its requests that were sent later were answered "
    "sooner. Compare both while the load runs: new connections with kept ones, and their headers."
)


@finding(
    "B106",
    "prober-disagrees",
    weak=10,
    invalid=50,
    invalid_words="of the median only",
    by_stage=True,
)
def prober_disagrees(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """an independent client's median against the load's; its connections that are slow each time

    An independent client that asks the same now and then must see the same times.

    What hangs has waited for so long, and is evidence like an answer that took that long. What was
    refused or broken off is, too, where the load fails more seldom.
    """
    probes = evidence.probes
    if probes is None or not probes.median_s or stalled(evidence) or starves(evidence):
        return  # its connection rests between its requests: it never stalls, and is served last
    if evidence.slots_held:
        return  # it waits for a user to leave, as one more user would
    if disagreement := _another_median(rule, evidence, probes) or _slow_connections(rule, probes):
        yield disagreement


def _another_median(rule: Rule, evidence: Evidence, probes: Probes) -> Finding | None:
    """The distance is between the near ends of the 95 % intervals of both medians, less the
    prober's own waiting for a CPU. It meets all n users of a closed model, so it may see (n + 1) /
    n times what they see (Sevcik & Mitrani 1981, Reiser & Lavenberg 1980). Each connection counts
    once. What it found under way and the load's own requests did not is no doubt, but told.
    """
    median_s, allowance_s, lost = probes.median_s, _allowance_s(probes), _lost(probes)
    seen = [one for one in probes.connections if lost or not one.lost]
    if len(seen) < FEWEST_CLEAR_PROBES:
        return None
    low_s, _ = median_interval([_least_s(one, one.times_s) for one in seen])
    _, high_s = median_interval([_most_s(one) for one in seen])
    least_s, most_s = _median_of_load(probes)
    above_s = low_s - most_s * probes.outsider - allowance_s
    below_s = least_s - high_s - allowance_s
    apart_s, slower = max(above_s, below_s), above_s > below_s
    if rule.level(apart_s / median_s * 100) is None:
        return None
    percent = min(apart_s, _unexplained_s(probes, seen, slower=slower)) / median_s * 100
    level = rule.level(percent)
    if level and math.isinf(low_s):
        return rule.found(
            level,
            f"{format_count(lost)} of the {format_count(probes.sent)} requests of an independent "
            "prober were refused or broken off, but only "
            f"{format_percent(probes.failed * 100)} of the load's failed.",
            hint="See the server's log, its limits of connections and its listen queue.",
            value=lost / probes.sent * 100,
        )
    most = "more" if math.isinf(high_s) else format_duration(high_s)
    saw = (
        f"An independent prober saw a median service time of {format_duration(low_s)} to "
        f"{most}{_unanswered(probes)}, but the load saw {format_duration(median_s)}: "
    )
    if level is None:
        return rule.found(
            Level.INFO,
            f"{saw}what it found under way explains the difference.",
            hint="Requests at other moments meet other queues. Users who come at random wait "
            "longer than arrivals that are evenly spaced"
            f"{'; --arrivals=poisson shows it' * evidence.is_open}.",
            value=percent,
        )
    short = [] if slower else codes(evidence, "B101", "B102")
    of_cpu = f"{LOAD_WAITS}, as it is short of CPU ({', '.join(short)}): use {evidence.less}."
    return rule.found(
        level,
        f"{saw}{format_percent(percent)} apart, without the prober's own waiting and what it found "
        "under way.",
        hint=because(
            (slower, OTHERS_WAIT),
            (short, of_cpu),
            unseen=f"{LOAD_WAITS}, though neither its CPU share (B101) nor its timers (B102) show "
            "why. Compare both while the load runs: their connections and headers.",
        ),
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
        low_s, _ = median_interval([_least_s(one, one.beyond_s) for one in seen])
        return low_s - _allowance_s(probes)
    _, high_s = median_interval([_most_s(one) for one in seen])
    ahead_s, _ = median_interval([_least_s(one, one.ahead_s) for one in seen])
    return max(probes.own_s - high_s, ahead_s) - _allowance_s(probes)


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


def _slow_connections(rule: Rule, probes: Probes) -> Finding | None:
    """Some connections are slow each time: their further requests more often than the first of
    others at the same time (Fisher's exact test), while the load shows less of it (binomial test),
    as users who got a slow connection ask seldom. Both count what takes half as long.
    """
    from scipy.stats import hypergeom

    slow_s = probes.median_s * (probes.outsider + rule.invalid / 100) + _allowance_s(probes)
    known = probes.connections
    slow_twice = [one for one in known if all(took_s > slow_s for took_s in one.times_s[:TWICE])]
    slow = [one for one in slow_twice if len(one.times_s) > TWICE and min(one.times_s) > slow_s]
    broken = [one for one in known if one.broke_alone and one not in slow]
    further = [time_s for one in slow_twice for time_s in one.times_s[TWICE:]]
    beside = [time_s for one in known for time_s in one.beside_s]
    is_theirs = False
    if slow:  # the chance that so many of them are slow where both are by the same probability
        half_s = _half_s(slow, slow_s)
        of_these = sum(time_s > half_s for time_s in further)
        of_both = of_these + sum(time_s > half_s for time_s in beside)
        every = len(further) + len(beside)
        is_theirs = hypergeom.sf(of_these - 1, every, len(further), of_both) <= CHANCE
    slow = slow if is_theirs else []
    percent = len(slow + broken) / len(known) * 100 if known else None
    if rule.level(percent) is None or not (is_theirs or len(broken) >= TWICE):
        return None
    half_s = _half_s(slow + broken, slow_s)
    by_load = histogram.share_above(probes.load.service_time.histogram, half_s) or 0.0
    seldom = by_load * (1 - probes.failed) + probes.failed
    if _chance(len(slow + broken), len(known), seldom) > CHANCE_OF_LOAD:
        return None
    return rule.found(
        Level.WEAK,
        f"An independent prober waited more than {format_duration(slow_s)} each time on "
        f"{format_count(len(slow + broken))} of its {format_count(len(known))} connections"
        f"{_unanswered(probes)}; {format_percent(seldom * 100)} of the load's requests were as "
        f"slow, and their median is {format_duration(probes.median_s)}.",
        hint="It was these connections and not the moment: something that serves them, such as a "
        "process or an instance, is slow. Users who have one ask seldom, so the load's figures "
        "hardly show them."
        if is_theirs
        else "Some answers hang while those beside them come; nothing shows whether the connection "
        "matters. See the server's log and its time-outs.",
        value=percent,
    )


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
    if probes is None or stalled(evidence):
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
    answered = times_s[: -1 if connection.lost else TWICE]
    return min(answered[:TWICE], default=math.inf)


def _most_s(connection: Connection) -> float:
    broke = connection.hung or connection.lost
    return math.inf if broke else max(connection.times_s[:TWICE])


def _half_s(connections: Sequence[Connection], least_s: float) -> float:
    """Half of what is usual on these: neighbours of the machine make others a little slow, too."""
    return max(least_s, median(time_s for one in connections for time_s in one.times_s) / 2)


def _allowance_s(probes: Probes) -> float:
    return PROBER_ALLOWANCE_S + probes.lateness_s


def _lost(probes: Probes) -> int:
    """0 where the load fares no better."""
    return probes.lost if _chance(probes.lost, probes.sent, probes.failed) <= CHANCE else 0


def _unanswered(probes: Probes) -> str:
    counts = {"hung": probes.hung, "were refused or broken off": _lost(probes)}
    of = f"of its {format_count(probes.sent)} requests"
    parts = [f"{format_count(count)} {of} {words}" for words, count in counts.items() if count]
    return f" ({' and '.join(parts)})" if parts else ""


def _chance(seen: int, of: int, share: float) -> float:
    """That so many or more are seen where each is with this probability."""
    from scipy.stats import binom

    return float(binom.sf(seen - 1, of, share))
