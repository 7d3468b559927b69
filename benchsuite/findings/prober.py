"""Whether an independent client sees the times that the load sees: B106."""

import math
from collections.abc import Iterator, Sequence

from benchsuite.core.observations import Connection, Evidence, Probes
from benchsuite.core.results import Finding
from benchsuite.core.units import format_count, format_duration, format_percent
from benchsuite.findings.registry import Rule, finding
from benchsuite.findings.target import stall, starves
from benchsuite.stats import histogram
from benchsuite.stats.distributions import at_least
from benchsuite.stats.summary import about_half, median_interval

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

    An independent client that asks the same now and then must see the same times.

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
    median_s, allowance_s, lost = probes.median_s, _allowance_s(probes), _lost(probes)
    seen = [one for one in probes.connections if lost or not one.lost]
    if len(seen) < FEWEST_CLEAR_PROBES:
        return
    low_s, _ = median_interval([_least_s(one, one.times_s) for one in seen])
    _, high_s = median_interval([_most_s(one) for one in seen])
    least_s, most_s = _median_of_load(probes)
    # somebody who is none of the users waits so much longer than one of them
    longer = (probes.users + 1) / probes.users if probes.users else 1.0
    above_s = low_s - most_s * longer - allowance_s
    below_s = least_s - high_s - allowance_s
    apart_s, slower = max(above_s, below_s), above_s > below_s
    if rule.level(apart_s / median_s * 100) is None:
        return
    percent = min(apart_s, _unexplained_s(probes, seen, slower=slower)) / median_s * 100
    level = rule.level(percent)
    if level is None:  # what it found under way explains the difference
        return
    if math.isinf(low_s):
        yield rule.found(
            level,
            f"{format_count(lost)} of the {format_count(probes.sent)} requests of an independent "
            "prober were refused or broken off, but only "
            f"{format_percent(probes.failed * 100)} of the load's failed.",
            hint="See the server's log, its limits of connections and its listen queue.",
            value=lost / probes.sent * 100,
        )
        return
    most = "more" if math.isinf(high_s) else format_duration(high_s)
    yield rule.found(
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


def _allowance_s(probes: Probes) -> float:
    return PROBER_ALLOWANCE_S + probes.lateness_s


def _lost(probes: Probes) -> int:
    """0 where the load may well lose as many."""
    by_chance = at_least(probes.lost, probes.sent, probes.failed)
    return probes.lost if by_chance <= CHANCE else 0


def _unanswered(probes: Probes) -> str:
    counts = {"hung": probes.hung, "were refused or broken off": _lost(probes)}
    of = f"of its {format_count(probes.sent)} requests"
    parts = [f"{format_count(count)} {of} {words}" for words, count in counts.items() if count]
    return f" ({' and '.join(parts)})" if parts else ""
