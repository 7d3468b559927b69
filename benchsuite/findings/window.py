"""Whether the window was long and even enough for its figures: B301 and B302."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from benchsuite.core.observations import Evidence
from benchsuite.core.results import Finding, Interval, Level
from benchsuite.core.units import format_count, format_duration, format_percent
from benchsuite.findings.capacity import HINT as CAPACITY
from benchsuite.findings.capacity import is_near_capacity
from benchsuite.findings.limits import FEWEST_INTERVALS, FEWEST_SAMPLES, limit
from benchsuite.findings.stages import ORDER
from benchsuite.stats.percentiles import samples_needed
from benchsuite.stats.steady import Change, change

EDGE_S = 0.01


def not_steady(evidence: Evidence) -> Iterator[Finding]:
    """Invalid when not even half of the window was steady.

    The second half of the warm-up is looked at together with the window: it tells a change that
    ends soon after the window begins, and one that was only just over is said.
    """
    found = [one for what in SERIES if (one := _changed(what, evidence)) is not None]
    if found:
        yield min(found, key=lambda one: ORDER.index(one.level))


def _changed(what: str, evidence: Evidence) -> Finding | None:
    before, inside = (
        _values(intervals, SERIES[what])
        for intervals in (_late_warm_up(evidence), _inside(evidence))
    )
    found = _change(inside)
    if found is not None:
        return _not_steady(what, found, evidence)
    joined = _change([*before, *inside])
    if joined is not None and joined.at is not None:
        return _reaches_in(what, joined, joined.at - len(before), evidence)
    return None


def _change(values: Sequence[float]) -> Change | None:
    return change(values, least=FEWEST_INTERVALS, percent=limit("B301").weak or 0.0)


def _reaches_in(what: str, joined: Change, at: int, evidence: Evidence) -> Finding:
    """A step that only the window and the warm-up before it show, by where it lies."""
    if at > 0:
        return _not_steady(what, replace(joined, at=at), evidence)
    return Finding(
        code=limit("B301").code,
        level=Level.INFO,
        message=f"In the second half of the warm-up the {what} still changed: by "
        f"{format_percent(abs(joined.percent))}, {format_duration(float(-at))} before the window.",
        hint="Give --warmup more time, to be sure that nothing of it reaches into the window.",
    )


def _not_steady(what: str, found: Change, evidence: Evidence) -> Finding:
    if is_near_capacity(evidence):
        hint = CAPACITY
    elif found.period is not None:
        hint = (
            "Give --duration several whole cycles, and find what comes so regularly: a garbage "
            "collector, a timer, a checkpoint of the database."
        )
    else:
        hint = (
            "Give --warmup more time (caches, pools and compilers fill), look at the run's "
            "chart over time, and see that nothing else runs."
        )
    return Finding(
        code=limit("B301").code,
        level=Level.WEAK if found.has_steady_half else Level.INVALID,
        message=f"The {what} was not steady: {found.words}"
        + ("." if found.has_steady_half else ", and no half of it was steady."),
        hint=hint,
    )


def few_samples(evidence: Evidence) -> Iterator[Finding]:
    """Invalid below 20; weak when not even p95 can be told, said when p99 can't."""
    rule = limit("B302")
    if evidence.total is None or evidence.idle is not None:  # nothing was asked
        return
    count = evidence.total.response_time.count
    hint = f"Give --duration more time, or use {evidence.more}."
    if count < FEWEST_SAMPLES:
        yield Finding(
            code=rule.code,
            level=Level.INVALID,
            message=f"Only {format_count(count)} {evidence.units} succeeded; {FEWEST_SAMPLES} are "
            "the least.",
            hint=hint,
        )
        return
    withheld = [percent for percent in (95, 99) if count < samples_needed(percent)]
    if withheld:
        needs = ", ".join(f"p{percent} needs {samples_needed(percent)}" for percent in withheld)
        yield Finding(
            code=rule.code,
            level=Level.INFO if withheld == [99] else Level.WEAK,
            message=f"{format_count(count)} {evidence.units} succeeded, too few for some "
            f"percentiles ({needs}).",
            hint=hint,
        )


def _values(intervals: Sequence[Interval], of: Callable[[Interval], float | None]) -> list[float]:
    return [value for one in intervals if (value := of(one)) is not None]


def _inside(evidence: Evidence) -> Sequence[Interval]:
    """The seconds that lie in the window as a whole."""
    return _between(evidence, *evidence.window) if evidence.window is not None else ()


def _late_warm_up(evidence: Evidence) -> Sequence[Interval]:
    """The whole seconds of the second half of the warm-up in which all users were there."""
    inside = _inside(evidence)
    if evidence.window is None or not inside:
        return ()
    begin = evidence.window[0]
    late = _between(evidence, begin / 2, begin)
    return [one for one in late if one.users == inside[0].users]


def _between(evidence: Evidence, begin: float, end: float) -> Sequence[Interval]:
    return [
        one
        for one in evidence.intervals
        if one.second >= begin - EDGE_S and one.second + 1 <= end + EDGE_S
    ]


SERIES: Mapping[str, Callable[[Interval], float | None]] = {
    "throughput": lambda one: float(one.successes + one.failures),
    "median response time": lambda one: one.p50_s,
}

CHECKS: tuple[Callable[[Evidence], Iterator[Finding]], ...] = (not_steady,)
BY_STAGE: tuple[Callable[[Evidence], Iterator[Finding]], ...] = (few_samples,)
