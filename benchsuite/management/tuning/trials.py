"""A trial of a search as the spec of a run, and what the run says of its server."""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from benchsuite.core.metrics import every
from benchsuite.core.readings import most_sessions
from benchsuite.core.results import Finding, RunResult, Status, Summary
from benchsuite.core.results import Level as Weight
from benchsuite.core.samples import JOURNEY
from benchsuite.core.specs import FLAME, OPEN, QUERIES, RunSpec
from benchsuite.core.specs.load import LONGEST_S, POISSON
from benchsuite.core.specs.objective import Goal, Objective, margin
from benchsuite.core.specs.spec import changed
from benchsuite.findings.generator import LIMIT
from benchsuite.stats import histogram
from benchsuite.stats.histogram import Histogram
from benchsuite.system import cpus
from benchsuite.tuning.candidates import configured
from benchsuite.tuning.trial import Level, Observation, Phase, Question, Trial


def pinned(spec: RunSpec, count: int | None) -> RunSpec:
    """With so many CPUs for the server; unchanged where it can't have so many."""
    own = spec.server.cpus or cpus.available()
    if count is None or count > cpus.usable(own):
        return spec
    return changed(spec, {"server.cpus": own[:count]})


def placed(spec: RunSpec, count: int) -> cpus.Cpus:
    """So many, its own first, then those of nobody, then those of the load generator."""
    own, load = spec.server.cpus or (), spec.load.cpus or ()
    order = sorted(cpus.available(), key=lambda cpu: (cpu in load, cpu not in own, cpu))
    return tuple(sorted(order[:count]))


def unshared(spec: RunSpec) -> int:
    """How many it can have for itself; a limit of the control group is for the load, too."""
    load, quota = spec.load, cpus.cpu_quota()
    count = 0 if load.cpus is None else len(set(cpus.available()) - set(load.cpus))
    return count if quota is None else max(0, min(count, int(quota - load.processes)))


def unhurried(spec: RunSpec) -> RunSpec:
    """The same with one user who asks so seldom that whatever may be asked may be asked so."""
    load, hosts = spec.load, min(1, spec.load.hosts)
    alone = replace(load, users=1, processes=1, hosts=hosts, think_time_s=LONGEST_S)
    return replace(spec, load=alone)


PATIENCE_S = 5.0
PATIENT = 10.0
"""A request may take so many times as long as the objective allows, and at least so long: what is
late anyway would only make an overloaded server take half a minute to end."""
HOPELESS = 0.5  #: With less than this share in time, rates beyond are not tried.
DIAGNOSES = {Phase.DIAGNOSE: QUERIES, Phase.FLAME: FLAME}
DIGITS = 4  #: Of a rate: nobody can tell 123.45/s from 123.4567/s.


def _patience_s(objective: Objective) -> float:
    return max(PATIENCE_S, PATIENT * objective.limit_s)


def spec_of(trial: Trial, base: RunSpec, question: Question) -> RunSpec:
    """What all have in common, with the server of this trial, in its size, and its load."""
    spec, asked, limit_s = configured(base, trial.candidate), trial.load, question.objective.limit_s
    if trial.candidate.cpus:
        spec = changed(spec, {"server.cpus": placed(base, trial.candidate.cpus)})
    patience_s = _patience_s(question.objective)
    load = replace(
        base.load,
        spawn_rate=None,
        warmup_s=asked.warmup_s,
        duration_s=asked.window_s,
        timeout_s=patience_s,
        drain_s=patience_s,
    )
    if asked.users:
        processes = min(load.processes, asked.users)
        load = replace(
            load,
            users=asked.users,
            processes=processes,
            hosts=min(load.hosts, asked.users // processes),
            think_time_s=asked.users / (question.most_per_s or math.inf),
        )
    else:
        rates = tuple(float(f"{rate:.{DIGITS}g}") for rate in asked.rates)
        load = replace(
            load,
            model=OPEN,
            arrivals=POISSON,
            arrival_rate=max(rates),
            stages=rates,
            in_turn=True,  # else few connections are used, and with them few processes
        )
        if trial.ends_early:
            load = replace(load, ends_below=HOPELESS, ends_within_s=limit_s)
    return replace(spec, load=load, seed=trial.seed, diagnoses=DIAGNOSES.get(trial.phase, ""))


SPOILING = ("B107", "B202", "B4")
"""How findings begin that leave nothing to be said about the server: another one answered, the
machine was busy. One that is about a few levels spoils only these."""
OTHER_TIMES = ("B106",)
"""Another client saw some, which spoils it, too; but where work piles up it meets other queues."""
FAILING = ("B201", "B203", "B204", "B208")  #: The server failed at a level.
PILING_UP = ("B104", "B105")
"""So it did where these are found and the load generator kept up, which `LATE` would tell."""
STARVING = "B206"  #: And where some users wait in vain, be they few: they will at any rate.
LATE = ("B101", "B102")
LONGEST = 200  #: Characters of what an answer said.


def observation(trial: Trial, result: RunResult, question: Question, took_s: float) -> Observation:
    """Of a run that was not interrupted."""
    goals = question.objective.goals
    is_late = any(finding.code.startswith(LATE) for finding in result.findings)
    piles_up = not is_late and bool(_findings(result, PILING_UP))
    spoiling = _findings(result, SPOILING if piles_up else (*SPOILING, *OTHER_TIMES))
    spoiled = _codes(spoiling)
    if (total := result.total) is None:
        failure = result.failure or "it was never asked anything"
        return Observation(took_s=took_s, codes=spoiled, failure=failure)
    if any(not finding.stages for finding in spoiling):
        return Observation(took_s=took_s, codes=spoiled)
    each = _requests_each(total, result.summaries)
    spoiled_stages = {name for finding in spoiling for name in finding.stages}
    levels = tuple(_levels(trial, result, question.objective, each, spoiled_stages))
    held = (level.rate for level in levels if margin(goals, level.planned, level.met) >= 0)
    is_all = max(held, default=0.0) >= (question.most_per_s or math.inf)  # that TARGETS allow
    cpu = every.cpu(result)
    failing = _findings(result, (*FAILING, *PILING_UP) if piles_up else FAILING)
    starving = [one for one in result.findings if one.code.startswith(STARVING)]
    mean_s = total.response_time.mean_s
    return Observation(
        levels=levels,
        took_s=took_s,
        response_s=None if mean_s is None else mean_s * each,
        cpu_s=cpu / 100 / total.throughput * each if cpu and total.throughput else None,
        memory_bytes=every.memory(result),
        connections=most_sessions(result.readings),
        codes=() if levels else spoiled,
        limit=_codes(_findings(result, LIMIT)) or (("TARGETS",) if is_all else ()),
        fails=_codes([*failing, *starving]),
        wrong=_wrong(result),
        failure=result.failure if result.status is Status.FAILED else "",
    )


def _findings(result: RunResult, numbers: tuple[str, ...]) -> list[Finding]:
    """Those that begin so and make a run invalid, as others leave something to say."""
    invalid = (one for one in result.findings if one.level is Weight.INVALID)
    return [one for one in invalid if one.code.startswith(numbers)]


def _codes(findings: Iterable[Finding]) -> tuple[str, ...]:
    return tuple(sorted({finding.code for finding in findings}))


def _wrong(result: RunResult) -> str:
    """Of the level with most failures: "status 429", or the exception behind it."""
    levels = [one for one in (result.total, *result.summaries) if one and one.failures_by_kind]
    if not levels or not _findings(result, ("B201",)):
        return ""
    worst = max(levels, key=lambda level: level.failures)
    most = max(worst.failures_by_kind, key=worst.failures_by_kind.__getitem__)
    return " ".join(worst.failure_examples.get(most, most).split())[:LONGEST].rstrip(".")


def _levels(
    trial: Trial, result: RunResult, objective: Objective, each: float, spoiled: Collection[str]
) -> Iterator[Level]:
    """Those that were reached and not spoiled; that in which the server died was met by nobody.
    What was dropped, failed or was never answered is late.
    """
    assert result.total is not None
    goals, patience_s = objective.goals, _patience_s(objective)
    stages = [one for one in result.summaries if one.scope == "stage" and _planned(one, each)]
    stages.sort(key=lambda stage: stage.order)
    reached = [result.total] if trial.load.users else stages
    for summary in (one for one in reached if one.name not in spoiled):
        rate = 0.0 if trial.load.users else trial.load.rates[summary.order - 1]
        planned, times = _planned(summary, each), summary.response_time.histogram
        distribution = histogram.decode(times) if times else histogram.empty()
        met = tuple(_met(goal, summary, planned, distribution, patience_s) for goal in goals)
        died = result.status is Status.FAILED and summary is reached[-1]
        yield Level(
            rate=rate,
            offered=summary.arrivals.offered_rate if summary.arrivals and rate else None,
            planned=planned,
            met=(0,) * len(met) if died else met,
            failures=summary.failures + planned - summary.requests,
            goodput=summary.goodput / each,
            percentile_s=_percentile_s(goals[0], planned, met[0], distribution),
        )


def _met(
    goal: Goal, summary: Summary, planned: int, distribution: Histogram, patience_s: float
) -> int:
    """How many of the planned met it; of a mean as many as its share says, for which whoever got no
    right answer waited as long as the load did.
    """
    right = summary.requests - summary.failures
    if goal.within_s is None:
        return right
    if not goal.is_mean:
        return histogram.within(distribution, goal.within_s)
    waited_s = right * (summary.response_time.mean_s or 0.0) + (planned - right) * patience_s
    return round(planned * goal.within_s / (goal.within_s + waited_s / planned)) if planned else 0


def _percentile_s(goal: Goal, planned: int, met: int, distribution: Histogram) -> float | None:
    """The mean of such a goal; else the response time that its share of the planned had."""
    if goal.is_mean:
        return (goal.within_s or 0.0) * (planned - met) / met if met else None
    share = 100 * goal.share * planned / histogram.size(distribution) if len(distribution) else 101
    return histogram.values_at(distribution, [share])[share] if share <= 100 else None


def _planned(summary: Summary, each: float) -> int:
    """Requests, of which a journey that was dropped would have made `each`."""
    return summary.requests + (round(summary.arrivals.dropped * each) if summary.arrivals else 0)


def _requests_each(total: Summary, summaries: Sequence[Summary]) -> float:
    """Requests that a journey makes, on average."""
    stages = [one for one in summaries if one.scope == "stage"] or [total]
    requests = sum(one.requests for one in stages)
    journeys = sum(one.requests for one in summaries if one.scope == JOURNEY)
    return max(1.0, requests / journeys) if journeys else 1.0
