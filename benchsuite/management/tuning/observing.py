"""What a run says of its server: the observation that a search is sent."""

from collections.abc import Collection, Iterator, Sequence

from benchsuite.core.metrics import every
from benchsuite.core.readings import most_sessions
from benchsuite.core.results import Finding, RunResult, Status, Summary
from benchsuite.core.results import Level as Weight
from benchsuite.core.samples import JOURNEY
from benchsuite.core.specs.objective import Goal, margin
from benchsuite.findings.generator import LIMIT
from benchsuite.management.tuning.trials import PATIENCE_S, PATIENT
from benchsuite.stats import histogram
from benchsuite.stats.histogram import Histogram
from benchsuite.tuning.trial import Level, Observation, Question, Trial

TARGETS = "TARGETS"  #: In place of these: a target elsewhere may be asked no more.
SPOILING = ("B106", "B107", "B202", "B4")
"""How findings begin that leave nothing to be said about the server: another one answered, another
client saw other times, the machine was busy. One that is about a few levels spoils only these."""
OVERLOADED = ("B106",)
"""But not where work piles up: another client then meets other queues than the load."""
FAILING = ("B201", "B203", "B204", "B206", "B208")  #: The server failed at a level.
PILING_UP = ("B104", "B105")
"""So it did where these are found and the load generator kept up, which `LATE` would tell."""
STARVING = ("B206",)  #: And where some users alone wait in vain: they will at any rate.
LATE = ("B101", "B102")
LONGEST = 200  #: Characters of what an answer said.


def observation(trial: Trial, result: RunResult, question: Question, took_s: float) -> Observation:
    """Of a run that was not interrupted."""
    goals, most_per_s = question.objective.goals, question.most_per_s
    is_late = any(one.code.startswith(LATE) for one in result.findings)  # the load generator
    piles_up = not is_late and bool(_codes(result, PILING_UP))
    spoiling = tuple(one for one in SPOILING if not (piles_up and one in OVERLOADED))
    spoiled = _codes(result, spoiling)
    total = result.total
    if total is None:
        failure = result.failure or "it was never asked anything"
        return Observation(took_s=took_s, codes=spoiled, failure=failure)
    if any(not one.stages for one in _found(result, spoiling)):
        return Observation(took_s=took_s, codes=spoiled)
    each = _requests_each(total, result.summaries)
    spoiled_stages = {name for one in _found(result, spoiling) for name in one.stages}
    levels = tuple(_levels(trial, result, goals, each, spoiled_stages))
    at_most = any(  # it held all that it may be asked
        most_per_s is not None
        and level.rate >= most_per_s
        and margin(goals, level.planned, level.met) >= 0
        for level in levels
    )
    cpu = every.cpu(result)
    failing = _codes(result, (*FAILING, *PILING_UP) if piles_up else FAILING)
    starving = {one.code for one in _found(result, STARVING, Weight.WEAK)}
    mean_s = total.response_time.mean_s
    return Observation(
        levels=levels,
        took_s=took_s,
        response_s=None if mean_s is None else mean_s * each,
        cpu_s=cpu / 100 / total.throughput * each if cpu and total.throughput else None,
        memory_bytes=every.memory(result),
        connections=most_sessions(result.readings),
        codes=() if levels else spoiled,
        limit=_codes(result, LIMIT) or ((TARGETS,) if at_most else ()),
        fails=tuple(sorted({*failing, *starving})),
        wrong=_wrong(result),
        failure=result.failure if result.status is Status.FAILED else "",
    )


def _found(
    result: RunResult, numbers: tuple[str, ...], level: Weight = Weight.INVALID
) -> list[Finding]:
    """Findings that begin so; without a level those that make a run invalid, as a weak one leaves
    something to be said.
    """
    return [one for one in result.findings if one.level is level and one.code.startswith(numbers)]


def _codes(result: RunResult, numbers: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({one.code for one in _found(result, numbers)}))


def _wrong(result: RunResult) -> str:
    """Of the level with most failures: "status 429", or the exception behind it."""
    levels = [one for one in (result.total, *result.summaries) if one and one.failures_by_kind]
    worst = max(levels, key=lambda level: level.failures, default=None)
    if worst is None or not _codes(result, ("B201",)):
        return ""
    kinds = worst.failures_by_kind
    most = max(kinds, key=lambda kind: kinds[kind])
    return " ".join(worst.failure_examples.get(most, most).split())[:LONGEST].rstrip(".")


def _levels(
    trial: Trial,
    result: RunResult,
    goals: Sequence[Goal],
    each: float,
    spoiled: Collection[str],
) -> Iterator[Level]:
    """Those that were reached and not spoiled; that in which the server died was met by nobody."""
    if trial.load.users:
        assert result.total is not None
        yield _level(0.0, result.total, goals, each, died=result.status is Status.FAILED)
        return
    reached = [one for one in result.summaries if one.scope == "stage" and _planned(one, each)]
    last = max((one.order for one in reached), default=0)
    for stage in sorted(reached, key=lambda level: level.order):
        if stage.name in spoiled:
            continue
        died = result.status is Status.FAILED and stage.order == last
        yield _level(trial.load.rates[stage.order - 1], stage, goals, each, died=died)


def _level(
    rate: float, summary: Summary, goals: Sequence[Goal], each: float, *, died: bool
) -> Level:
    """What was dropped, failed or was never answered is late."""
    planned = _planned(summary, each)
    times = summary.response_time.histogram
    distribution = histogram.decode(times) if times else histogram.empty()
    met = tuple(_met(goal, summary, planned, distribution) for goal in goals)
    return Level(
        rate=rate,
        offered=summary.arrivals.offered_rate if summary.arrivals and rate else None,
        planned=planned,
        met=(0,) * len(goals) if died else met,
        failures=summary.failures + planned - summary.requests,
        goodput=summary.goodput / each,
        percentile_s=_told(goals[0], planned, met[0], distribution),
    )


def _met(goal: Goal, summary: Summary, planned: int, distribution: Histogram) -> int:
    """How many of the planned met it; of a mean, for which whoever got no right answer waited as
    long as a load does, as many as its share says.
    """
    right = summary.requests - summary.failures
    if goal.within_s is None:
        return right
    if not goal.is_mean:
        return histogram.within(distribution, goal.within_s)
    patience_s = max(PATIENCE_S, PATIENT * goal.within_s)
    waited_s = right * (summary.response_time.mean_s or 0.0) + (planned - right) * patience_s
    return round(planned * goal.within_s / (goal.within_s + waited_s / planned)) if planned else 0


def _told(goal: Goal, planned: int, met: int, distribution: Histogram) -> float | None:
    """The mean of such a goal; else the response time that its share of the planned had."""
    if goal.is_mean:
        return (goal.within_s or 0.0) * (planned - met) / met if met else None
    share = 100 * goal.share * planned / histogram.size(distribution) if len(distribution) else 101
    return histogram.values_at(distribution, [share])[share] if share <= 100 else None


def _planned(summary: Summary, each: float) -> int:
    """A rate counts journeys, an objective requests: a journey that was dropped would have made
    `each` of these.
    """
    dropped = summary.arrivals.dropped if summary.arrivals else 0
    return summary.requests + round(dropped * each)


def _requests_each(total: Summary, summaries: Sequence[Summary]) -> float:
    """Requests that a journey makes, on average."""
    stages = [one for one in summaries if one.scope == "stage"] or [total]
    requests = sum(one.requests for one in stages)
    journeys = sum(one.requests for one in summaries if one.scope == JOURNEY)
    return max(1.0, requests / journeys) if journeys else 1.0
