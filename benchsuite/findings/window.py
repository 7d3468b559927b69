"""Whether the window was long and even enough, and the target below its capacity: B301, B302, B304
and B305.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from benchsuite.core.observations import Evidence
from benchsuite.core.results import Finding, Interval, Level
from benchsuite.core.units import format_count, format_duration, format_percent, format_rate
from benchsuite.findings.registry import INFORMATIONAL, ORDER, Rule, finding
from benchsuite.stats import histogram
from benchsuite.stats.levels import HELD
from benchsuite.stats.steady import Change, change
from benchsuite.stats.summary import samples_needed

AT_CAPACITY = (
    "At or beyond capacity, times are those of the queue and grow as long as the load lasts: use a "
    "lower --rate."
)


@finding("B304", "near-capacity", weak=95, weak_words=INFORMATIONAL, by_stage=True)
def near_capacity(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """time in which the target was busy (open model)"""
    if message := _why(rule, evidence):
        yield rule.found(Level.INFO, message, hint=AT_CAPACITY)


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


FEWEST_SAMPLES = 20  #: A run with fewer successes is invalid.
FEWEST_INTERVALS = 8  #: Seconds that a window must have before a trend can be told from noise.
EDGE_S = 0.01
QUEUES_PERCENT = 60.0
"""A server that is so busy forgets its queue after twenty answers, and ever later."""

MIDDLE = range(27, 76, 4)  #: Percentiles of the middle half.


@finding(
    "B301",
    "not-steady",
    weak=5,
    weak_words="in a cycle 10 %",
    invalid_words="the same, and no half is steady",
)
def not_steady(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """trend, step or cycle over the window

    Where a target with open arrivals is busy, its queue remembers, and times rise and fall by
    chance: then what each answer costs is looked at, unless the queue only grows. The second half
    of the warm-up tells a change that ends soon after the window begins, or was only just over.
    """

    def between(begin: float, end: float) -> list[Interval]:
        first, last = begin - EDGE_S, end + EDGE_S
        return [one for one in evidence.intervals if one.second >= first and one.second + 1 <= last]

    def throughput(interval: Interval) -> float:
        return float(interval.successes + interval.failures)

    inside = between(*evidence.window) if evidence.window is not None else []
    late = []  # the second half of the warm-up, when all users were there
    if evidence.window is not None and inside:
        warm_up = between(evidence.window[0] / 2, evidence.window[0])
        late = [one for one in warm_up if one.users == inside[0].users]
    in_step = float(inside[0].users or 1) if inside else 1.0  # who may all be answered at once
    series = [
        ("throughput", in_step, _values(late, throughput), _values(inside, throughput)),
        ("response time", 0.0, _values(late, typical_s), _values(inside, typical_s)),
    ]
    effort = evidence.effort
    is_busy = (evidence.busy_percent or 0) > QUEUES_PERCENT
    if effort and is_busy and not is_surely_beyond(evidence):
        series[1] = (f"{effort.words} per answer", 0.0, [], list(effort.each_s))
    changes = [change for each in series if (change := _changed(rule, evidence, *each))]
    if changes:
        yield min(changes, key=lambda change: ORDER.index(change.level))


def _changed(
    rule: Rule,
    evidence: Evidence,
    what: str,
    grain: float,
    before: list[float],
    inside: list[float],
) -> Finding | None:
    seen = change(inside, least=FEWEST_INTERVALS, percent=rule.weak, grain=grain)
    if seen is not None:
        return _not_steady(rule, what, seen, evidence)
    joined = change([*before, *inside], least=FEWEST_INTERVALS, percent=rule.weak)
    if not before or joined is None or joined.at is None:
        return None
    at = joined.at - len(before)  # of a step that only both together show
    if at > 0:
        return _not_steady(rule, what, replace(joined, at=at), evidence)
    return rule.found(
        Level.INFO,
        f"The {what} still changed in the second half of the warm-up: by "
        f"{format_percent(abs(joined.percent))}, {format_duration(float(-at))} before the window.",
        hint="Increase --warmup, to be sure that none of it reaches into the window.",
        value=abs(joined.percent),
    )


def _not_steady(rule: Rule, what: str, seen: Change, evidence: Evidence) -> Finding:
    if is_near_capacity(evidence):
        hint = AT_CAPACITY
    elif seen.period is not None:
        hint = (
            "Make --duration several whole cycles long, and find what recurs: a garbage "
            "collector, a timer, a checkpoint of the database."
        )
    else:
        hint = (
            "Increase --warmup (caches and pools fill, compilers warm up), look at the run's "
            "chart over time, and make sure that nothing else runs."
        )
    return rule.found(
        Level.WEAK if seen.has_steady_half else Level.INVALID,
        f"The {what} was not steady: {seen.words}"
        + ("." if seen.has_steady_half else ", and no half of it was steady."),
        hint=hint,
        value=abs(seen.percent),
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
    succeeded = f"{format_count(count)} {evidence.units} succeeded"
    withheld = [percent for percent in (95, 99) if count < samples_needed(percent)]
    hint = f"Increase {evidence.longer}, or use {evidence.more}."
    if count < FEWEST_SAMPLES:
        message = f"Only {succeeded}; a run needs at least {FEWEST_SAMPLES}."
        yield rule.found(Level.INVALID, message, hint=hint, value=count)
    elif withheld:
        needs = ", ".join(f"p{percent} needs {samples_needed(percent)}" for percent in withheld)
        level = Level.INFO if withheld == [99] else Level.WEAK
        message = f"{succeeded}, too few for some percentiles ({needs})."
        yield rule.found(level, message, hint=hint, value=count)


@finding("B305", "not-finished", unit="", weak=0)
def not_finished(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """journeys of a fixed amount of work (--iterations) that were not made before the limit"""
    # Rates are those of what was done until then; how long all of it takes is not known.
    yield from rule.weighed(
        evidence.unmade,
        f"{format_count(evidence.unmade or 0)} journeys were not made within --duration.",
        hint="Increase --duration, which is the limit of a fixed amount of work, or use fewer "
        "--iterations.",
    )


def _values(intervals: Sequence[Interval], of: Callable[[Interval], float | None]) -> list[float]:
    return [value for one in intervals if (value := of(one)) is not None]


def typical_s(interval: Interval) -> float | None:
    """The mean of the middle half of a second's times; a median may jump between two ways."""
    if not interval.histogram:
        return interval.p50_s
    return fmean(histogram.values_at(histogram.decode(interval.histogram), MIDDLE).values())
