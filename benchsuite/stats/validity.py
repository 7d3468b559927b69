"""From figures to doubts: each check looks at one way in which a run can be wrong.

The thresholds stand in `LIMITS`, once; docs/reading-results.md explains each finding.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from benchsuite.results import Finding, Level, LoadHealth, Summary, Verdict
from benchsuite.stats.percentiles import samples_needed
from benchsuite.stats.samples import Kind
from benchsuite.units import format_count, format_duration, format_number, format_percent


@dataclass(frozen=True, slots=True)
class Limit:
    """Above `weak` a number is doubtful, above `invalid` it is wrong."""

    weak: float
    invalid: float


LIMITS: Mapping[str, Limit] = {
    "B101": Limit(70, 90),
    "B105": Limit(5, 15),
    "B201": Limit(0.1, 5),
}
"""Percent, all of them."""

FEWEST_SAMPLES = 20


def assess(
    total: Summary, health: LoadHealth, *, waiting_users: float | None, died: bool
) -> tuple[Finding, ...]:
    """All findings about one run, by code.

    `waiting_users` is how many users of a closed model were not pausing on average; None when
    unknown.
    """
    return tuple(
        sorted(
            (
                *generator_cpu(health),
                *generator_lag(health, total),
                *littles_law(total, waiting_users=waiting_users),
                *failures(total),
                *wrong_responder(total),
                *target_died(died=died),
                *few_samples(total),
            ),
            key=lambda finding: finding.code,
        )
    )


def verdict(findings: Iterable[Finding]) -> Verdict:
    """The worst level of all findings."""
    levels = {finding.level for finding in findings}
    if Level.INVALID in levels:
        return Verdict.INVALID
    return Verdict.WEAK if Level.WEAK in levels else Verdict.VALID


def generator_cpu(health: LoadHealth) -> Iterator[Finding]:
    level = _level("B101", health.cpu_percent)
    if level is not None:
        yield Finding(
            code="B101 generator-cpu",
            level=level,
            message=f"The load process used {format_percent(health.cpu_percent)} of a CPU: it "
            "may be what was measured.",
            hint="Use fewer users or a heavier workload, or give the load a machine's free CPU.",
        )


def generator_lag(health: LoadHealth, total: Summary) -> Iterator[Finding]:
    """A timer in the load process that fires late sends and receives late, too."""
    median = total.response_time.at(50)
    lag = health.lag_p99_s
    if lag is None or median is None:
        return
    if lag > max(0.001, 0.1 * median):
        yield Finding(
            code="B102 generator-lag",
            level=Level.INVALID if lag > max(0.001, median) else Level.WEAK,
            message=f"A timer in the load process was {format_duration(lag)} late (p99), at a "
            f"median response time of {format_duration(median)}.",
            hint="The load process waited for a CPU: stop other programs, or use fewer users.",
        )


def littles_law(total: Summary, *, waiting_users: float | None) -> Iterator[Finding]:
    """Users who wait for an answer must equal throughput times mean response time (Little 1961).

    What is missing is time that users lost inside the load generator, and that no figure shows.
    """
    mean = total.response_time.mean_s
    if mean is None or not waiting_users or total.failures:
        return
    explained = total.throughput * mean
    gap = abs(waiting_users - explained) / waiting_users * 100
    level = _level("B105", gap)
    if level is not None:
        yield Finding(
            code="B105 littles-law",
            level=level,
            message=f"{format_number(waiting_users)} users waited for answers, but throughput × "
            f"mean response time accounts for {format_number(explained)}: {format_percent(gap)} "
            "apart.",
            hint="The load generator itself was waited for (fewer users, a heavier workload), "
            "or the window is too short for these response times (longer --warmup and --duration).",
        )


def failures(total: Summary) -> Iterator[Finding]:
    if not total.requests:
        return
    share = total.failures / total.requests * 100
    level = _level("B201", share)
    if level is not None:
        kinds = ", ".join(
            f"{format_count(count)} × {kind}"
            for kind, count in sorted(total.failures_by_kind.items(), key=lambda pair: -pair[1])
        )
        yield Finding(
            code="B201 failures",
            level=level,
            message=f"{format_percent(share)} of the requests failed ({kinds}).",
            hint="Look at the server's log below; times are those of the successes only.",
        )


def wrong_responder(total: Summary) -> Iterator[Finding]:
    count = total.failures_by_kind.get(Kind.WRONG_RESPONDER.words, 0)
    if count:
        yield Finding(
            code="B202 wrong-responder",
            level=Level.INVALID,
            message=f"{format_count(count)} answers came from a process that this run did not "
            "start.",
            hint="Another server listens on the same port, or a proxy answers before the target.",
        )


def target_died(*, died: bool) -> Iterator[Finding]:
    if died:
        yield Finding(
            code="B203 target-died",
            level=Level.INVALID,
            message="The server ended while it was being measured.",
            hint="Its log's last lines say why.",
        )


def few_samples(total: Summary) -> Iterator[Finding]:
    count = total.response_time.count
    hint = "Give --duration more time, or --users more users."
    if count < FEWEST_SAMPLES:
        yield Finding(
            code="B302 few-samples",
            level=Level.INVALID,
            message=f"Only {format_count(count)} requests succeeded; {FEWEST_SAMPLES} are the "
            "least.",
            hint=hint,
        )
        return
    withheld = [percent for percent in (95, 99) if count < samples_needed(percent)]
    if withheld:
        needs = ", ".join(f"p{percent} needs {samples_needed(percent)}" for percent in withheld)
        yield Finding(
            code="B302 few-samples",
            level=Level.INFO if withheld == [99] else Level.WEAK,
            message=f"{format_count(count)} requests succeeded, too few for some percentiles "
            f"({needs}).",
            hint=hint,
        )


def _level(code: str, percent: float | None) -> Level | None:
    limit = LIMITS[code]
    if percent is None or percent <= limit.weak:
        return None
    return Level.INVALID if percent > limit.invalid else Level.WEAK
