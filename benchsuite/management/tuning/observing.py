"""What a run says of its server: the observation that a search is sent."""

from collections.abc import Iterator, Sequence

from benchsuite.core.metrics import reading
from benchsuite.core.results import Level as Weight
from benchsuite.core.results import RunResult, Status, Summary
from benchsuite.core.samples import JOURNEY
from benchsuite.core.specs.objective import Goal, Objective
from benchsuite.management.tuning.trials import Pace
from benchsuite.stats import histogram
from benchsuite.tuning.trial import Level, Observation, Trial
from benchsuite.workloads.locustfile import Locustfile

GENERATOR = ("B101", "B102", "B103")
"""The load generator was the limit, not the server."""

SPOILING = ("B106", "B107", "B202", "B4")
"""How findings begin that leave nothing to be said about the server: another one answered, another
client saw other times, the machine was busy."""

FAILING = ("B104", "B105", "B201", "B203", "B204", "B206", "B208")
"""The server failed at a level; B104 and B105 only where the load generator kept up."""


def observation(
    trial: Trial,
    result: RunResult,
    objective: Objective,
    took_s: float,
    own_pace: Pace | None = None,
) -> Observation:
    """Of a run that was not interrupted."""
    codes = _codes(result)
    limit = tuple(one for one in codes if one.startswith(GENERATOR))
    spoiled = tuple(one for one in codes if one.startswith(SPOILING))
    total = result.total
    if total is None or spoiled:
        failure = "" if spoiled else result.failure or "it was never asked anything"
        return Observation(took_s=took_s, codes=spoiled, failure=failure)
    each = _requests_each(result)
    cpu = reading.cpu(result)
    mean_s = total.response_time.mean_s
    return Observation(
        levels=tuple(_levels(trial, result, objective.goals, each, own_pace)),
        took_s=took_s,
        response_s=None if mean_s is None else mean_s * each,
        cpu_s=cpu / 100 / total.throughput * each if cpu and total.throughput else None,
        memory_bytes=reading.memory(result),
        limit=limit,
        fails=tuple(one for one in codes if one.startswith(FAILING)),
    )


def _codes(result: RunResult) -> list[str]:
    """Of the findings that make a run invalid: a run that is weak still says something."""
    return sorted({one.code for one in result.findings if one.level is Weight.INVALID})


def _levels(
    trial: Trial,
    result: RunResult,
    goals: Sequence[Goal],
    each: float,
    own_pace: Pace | None,
) -> Iterator[Level]:
    """Those that were reached; the one in which the server died was met by nobody."""
    if trial.load.users:
        assert result.total is not None
        yield _level(0.0, result.total, goals, each, died=_died(result))
        return
    stages = sorted(
        (one for one in result.summaries if one.scope == "stage" and one.requests),
        key=lambda one: one.order,
    )
    for place, stage in enumerate(stages):
        died = _died(result) and place == len(stages) - 1
        rate = trial.load.rates[stage.order - 1]
        if own_pace is not None:
            rate = own_pace.rate(stage.level or 0.0)
        yield _level(rate, stage, goals, each, died=died)


def _level(
    rate: float, summary: Summary, goals: Sequence[Goal], each: float, *, died: bool
) -> Level:
    """What was dropped, failed or was never answered is late. A rate counts journeys, an objective
    requests: a journey that was dropped would have made `each` of these.
    """
    dropped = round((summary.arrivals.dropped if summary.arrivals else 0) * each)
    planned = summary.requests + dropped
    times = summary.response_time.histogram
    found = histogram.decode(times) if times else histogram.empty()
    met = tuple(
        summary.requests - summary.failures
        if goal.within_s is None
        else histogram.within(found, goal.within_s)
        for goal in goals
    )
    share = 100 * goals[0].share * planned / histogram.size(found) if len(found) else 101.0
    return Level(
        rate=rate,
        planned=planned,
        met=(0,) * len(goals) if died else met,
        failures=summary.failures + dropped,
        goodput=summary.goodput / each,
        percentile_s=histogram.values_at(found, [share])[share] if share <= 100 else None,
    )


def _requests_each(result: RunResult) -> float:
    """Requests that a journey makes, on average; of a locustfile's only broken ones are known."""
    if result.spec.workload.workload == Locustfile.name:
        return 1.0
    total = result.total
    stages = [one for one in result.summaries if one.scope == "stage"] or ([total] if total else [])
    requests = sum(one.requests for one in stages)
    journeys = sum(one.requests for one in result.summaries if one.scope == JOURNEY)
    return max(1.0, requests / journeys) if journeys else 1.0


def _died(result: RunResult) -> bool:
    return result.status is Status.FAILED
