"""Whether the window was long and even enough, and the target below its capacity: B301, B302, B304
and B305.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from statistics import fmean

from benchsuite.core.observations import Evidence
from benchsuite.core.results import Finding, Interval, Level
from benchsuite.core.units import counted, format_percent, format_rate
from benchsuite.findings.registry import INFORMATIONAL, Rule, finding
from benchsuite.findings.target import inside, silence
from benchsuite.stats import histogram
from benchsuite.stats.levels import HELD
from benchsuite.stats.steady import change
from benchsuite.stats.summary import samples_needed

AT_CAPACITY = (
    "At or beyond capacity, times are those of the queue and grow as long as the load lasts: use a "
    "lower --rate."
)
LOOK = (
    "Increase --warmup (caches and pools fill, compilers warm up), look at the run's chart over "
    "time, and make sure that nothing else runs."
)


@finding("B304", "near-capacity", weak=95, weak_words=INFORMATIONAL, by_stage=True)
def near_capacity(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """time in which the target was busy (open model)"""
    arrived, total, busy = evidence.arrived_per_s, evidence.total, evidence.busy_percent
    if arrived is None or total is None:
        return
    # So many more are under way at the end than at the beginning by chance, even without a queue.
    if is_surely_beyond(evidence, 3 * math.sqrt(2 * (evidence.under_way or 0.0))):
        message = (
            f"Beyond capacity: {format_rate(arrived)} arrived, but only "
            f"{format_rate(total.throughput)} were answered."
        )
    elif busy is not None and busy > rule.weak:
        message = f"Near capacity: the target was busy {format_percent(busy)} of the time."
    else:
        return
    yield rule.finding(Level.INFO, message, hint=AT_CAPACITY)


def is_surely_beyond(evidence: Evidence, chance: float | None = None) -> bool:
    """Whether more was left unanswered than random arrivals leave by chance: twice their spread,
    or as many requests as are given.
    """
    arrived_per_s, total = evidence.arrived_per_s, evidence.total
    if arrived_per_s is None or total is None or evidence.window is None:
        return False
    begin, end = evidence.window
    arrived = arrived_per_s * (end - begin)
    left = arrived - total.throughput * (end - begin)
    return left > max((1 - HELD) * arrived, 2 * math.sqrt(arrived) if chance is None else chance)


FEWEST_SAMPLES = 20  #: A run with fewer successes is invalid.
FEWEST_INTERVALS = 8  #: Seconds that a window must have before a trend can be told from noise.
QUEUES_PERCENT = 60.0  #: So busy a server forgets its queue after twenty answers, and ever later.

MIDDLE = range(27, 76, 4)  #: Percentiles of the middle half.


@finding("B301", "not-steady", weak=5, invalid_words="the same, and no half is steady")
def not_steady(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """trend or step over the window

    Where a target with open arrivals is busy, its queue remembers, and times rise and fall by
    chance: then what each answer costs is looked at, unless the queue only grows.
    """
    seconds_inside = inside(evidence)
    if any(silence(evidence)):  # which is told by itself
        seconds_inside = [interval for interval in seconds_inside if interval.successes]
    # a second without a right answer has no time
    typical = ((second, typical_s(interval)) for second, interval in enumerate(seconds_inside))
    times = {second: time_s for second, time_s in typical if time_s is not None}
    seconds, what, series = [*times], "response time", [*times.values()]
    effort = evidence.effort
    is_busy = (evidence.busy_percent or 0) > QUEUES_PERCENT
    if effort and is_busy and not is_surely_beyond(evidence):
        what, series = f"{effort.words} per answer", [*effort.each_s]
        seconds = [*range(len(series))]
    answered = [float(interval.successes + interval.failures) for interval in seconds_inside]
    changes = [
        (name, changed)
        for name, values in (("throughput", answered), (what, series))
        if (changed := change(values, least=FEWEST_INTERVALS, percent=rule.weak))
    ]
    if not changes:
        return
    name, worst = min(changes, key=lambda named: named[1].has_steady_half)
    if name == what and worst.at is not None:
        worst = replace(worst, at=seconds[worst.at])
    yield rule.finding(
        Level.WEAK if worst.has_steady_half else Level.INVALID,
        f"The {name} was not steady: {worst.words}"
        + ("." if worst.has_steady_half else ", and no half of it was steady."),
        hint=AT_CAPACITY if any(near_capacity(evidence)) else LOOK,
        value=abs(worst.percent),
    )


@finding(
    "B302",
    "few-samples",
    unit="",
    weak_words=f"fewer than {samples_needed(95)}",
    invalid_words=f"fewer than {FEWEST_SAMPLES}",
    by_stage=True,
    own_stage_only=True,
)
def few_samples(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """successes"""
    if evidence.total is None or evidence.idle is not None:  # nothing was asked
        return
    count = evidence.total.response_time.count
    succeeded = f"{counted(count, evidence.unit)} succeeded"
    withheld = [percent for percent in (95, 99) if count < samples_needed(percent)]
    hint = "Increase --duration or --iterations."
    if evidence.recovery is not None:  # each connection comes back once
        hint = "Increase --connections."
    if 2 * evidence.total.failures > evidence.total.requests:
        hint = "Most requests failed: mend that first (B201)."
    if count < FEWEST_SAMPLES:
        message = f"Only {succeeded}; a run needs at least {FEWEST_SAMPLES}."
        yield rule.finding(Level.INVALID, message, hint=hint, value=count)
    elif withheld:
        needs = ", ".join(f"p{percent} needs {samples_needed(percent)}" for percent in withheld)
        level = Level.INFO if withheld == [99] else Level.WEAK
        message = f"{succeeded}, too few for some percentiles ({needs})."
        yield rule.finding(level, message, hint=hint, value=count)


@finding("B305", "not-finished", unit="", weak=0)
def not_finished(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """journeys of a fixed amount of work (--iterations) that were not made before the limit"""
    # Rates are those until the last answer came; how long all of it takes is not known.
    yield from rule.weighed(
        evidence.unmade,
        f"{counted(evidence.unmade or 0, 'journey')} did not end within --duration.",
        hint="Increase --duration, which is the limit of a fixed amount of work, or use fewer "
        "--iterations.",
    )


def typical_s(interval: Interval) -> float | None:
    """The mean of the middle half of a second's times; a median may jump between two ways."""
    if not interval.histogram:
        return interval.p50_s
    return fmean(histogram.values_at(histogram.decode(interval.histogram), MIDDLE).values())
