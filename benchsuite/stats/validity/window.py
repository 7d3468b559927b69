"""Whether the window was long and even enough for its figures: B301 and B302."""

from collections.abc import Callable, Iterator, Sequence

from benchsuite.results import Finding, Interval, Level
from benchsuite.stats import steady
from benchsuite.stats.percentiles import samples_needed
from benchsuite.stats.validity.evidence import Evidence
from benchsuite.stats.validity.limits import FEWEST_INTERVALS, FEWEST_SAMPLES, limit
from benchsuite.units import format_count, format_percent

EDGE_S = 0.01


def not_steady(evidence: Evidence) -> Iterator[Finding]:
    """Invalid when not even half of the window was steady."""
    rule = limit("B301")
    inside = _inside(evidence)
    series = {
        "throughput": [float(one.successes + one.failures) for one in inside],
        "median response time": [one.p50_s for one in inside if one.p50_s is not None],
    }
    for what, values in series.items():
        change = steady.change(values, least=FEWEST_INTERVALS, percent=rule.weak or 0.0)
        if change is None:
            continue
        yield Finding(
            code=rule.code,
            level=Level.WEAK if change.has_steady_half else Level.INVALID,
            message=f"The {what} was not steady: {change.words} by "
            f"{format_percent(abs(change.percent))} over the window"
            + ("." if change.has_steady_half else ", and no half of it was steady."),
            hint="Give --warmup more time (caches, pools and compilers fill), look at the run's "
            "chart over time, and see that nothing else runs.",
        )
        return


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


def _inside(evidence: Evidence) -> Sequence[Interval]:
    """The seconds that lie in the window as a whole."""
    if evidence.window is None:
        return ()
    begin, end = evidence.window
    return [
        one
        for one in evidence.intervals
        if one.second >= begin - EDGE_S and one.second + 1 <= end + EDGE_S
    ]


CHECKS: tuple[Callable[[Evidence], Iterator[Finding]], ...] = (not_steady, few_samples)
