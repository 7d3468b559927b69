"""What became of a run: its record with the findings about it, as a frozen value."""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from benchsuite import findings as validity
from benchsuite.core.observations import Effort, Evidence, FrontShares, OfLevel, Segment
from benchsuite.core.printable import hidden, hidden_in
from benchsuite.core.readings import LOAD, in_window, mean_cpu_percent, memory, work_s
from benchsuite.core.results import Ceiling, RunResult, Summary
from benchsuite.core.samples import HANDSHAKE, JOURNEY, REQUEST
from benchsuite.findings.generator import littles_law
from benchsuite.findings.target import answered_elsewhere
from benchsuite.findings.window import QUEUES_PERCENT
from benchsuite.load.job import Done
from benchsuite.runner.monitor import INTERVAL_S
from benchsuite.runner.record import RunRecord
from benchsuite.runner.running_system import ELSEWHERE, FRONT, TARGET
from benchsuite.stats.levels import ceiling_rate

CpuShares = Mapping[str, float | None]  #: Of each part that answers, over a window; 100 is one CPU.


def gathered(record: RunRecord, done: Done, ceilings: Sequence[Ceiling]) -> Evidence:
    """The evidence of a run whose window has begun, with that of each of its stages."""
    spec, load, plan, window = record.spec, record.spec.load, record.plan, record.window
    sockets, monitor = record.websockets, record.monitor
    # stages are meant to differ, and so is a storm from the calm around it; a fixed amount of work
    # begins with a storm and ends with those who are last
    is_even = not (load.stages or load.iterations or record.storm_s is not None)
    reads_memory = is_even and record.unit != HANDSHAKE  # see `closed`
    whole = replace(
        record.evidence,
        unit=record.unit,
        total=record.total,
        journeys=[one for one in record.summaries if one.scope == JOURNEY],
        handshakes=[one for one in record.summaries if one.scope == HANDSHAKE],
        intervals=record.intervals if is_even else (),
        memory=memory(record.readings, TARGET, window) if reads_memory else (),
        unmade=None if done.stopped or load.iterations is None else done.unmade,
        window=window,
        work_s={part: work_s(record.readings, part, window) for part in (TARGET, LOAD)},
        load_cpu_percent=done.cpu_percent,
        load_lag_p50_s=done.lag_p50_s,
        load_lag_p99_s=done.lag_p99_s,
        unheld=record.learned.words,
        asked=record.asked if record.asks_target_alone else None,
        slowing=record.facts.slowing,
        undone=record.facts.undone,
        diagnosed=spec.diagnoses,
    )
    if sockets is not None:
        whole.accounts, whole.recovery = sockets.accounts, sockets.recovery
        whole.idle, whole.closed = sockets.idle, sockets.closed
    # processes that share a project's layer in memory only in its name
    if set(record.facts.memory_layers) - ({"default"} if spec.layer.backend else set()):
        whole.layers_apart = plan.server.processes * spec.server.instances
    # unless a configuration of the user's own says something else
    if plan.front is not None and not plan.front.settings.get("config"):
        timeout_s = plan.front.settings.get("timeout_s")
        whole.front_timeout_s = None if timeout_s is None else float(timeout_s)
    unwatched = [*whole.unwatched]
    if monitor is not None:
        whole.turnover = monitor.census.turnover(*done.window)
        whole.log, whole.sessions_refused = monitor.log, monitor.sessions_refused
        whole.host = monitor.host.shares(*done.window)
        whole.clock = monitor.host.clock(INTERVAL_S)
        whole.cpus_shared = monitor.cpus_shared
        unwatched = [*monitor.unwatched(done)]
    if not load.is_open and any(one.waiting_users is None for one in record.segments):
        why = "the run was stopped" if record.alike else "users need not all do the same"
        lost = f"whether users lost time in the load generator ({littles_law.number})"
        unwatched.append(f"{lost}, as {why}")
    if any(one.total.failures for one in record.segments):
        what = f"response times account for what was in flight ({littles_law.number})"
        unwatched.append(f"whether {what}, as requests failed")
    if record.serving.instructions is not None and record.asked and record.asked.seen is None:
        number = answered_elsewhere.number
        unwatched.append(f"how many of the requests the target saw ({number})")
    whole.unwatched = tuple(unwatched)
    parts = [_of(segment, whole, record, ceilings) for segment in record.segments]
    if not load.stages and not record.populations:
        return parts[0] if parts else whole
    return replace(whole, stages=parts, headline=record.headline)


def _of(
    segment: Segment, whole: Evidence, record: RunRecord, ceilings: Sequence[Ceiling]
) -> Evidence:
    """The same run, looked at over one segment."""
    load, monitor, total = record.spec.load, record.monitor, segment.total
    window = record.since_origin(segment.window)
    parts = {TARGET, FRONT, *(one.part for one in record.readings)} - {LOAD, *ELSEWHERE}
    used = {part: mean_cpu_percent(record.readings, part, window) for part in parts}
    cpus_percent = _cpus_busy(record, used)
    page: Summary | None = (
        total  #: Of the page that the prober asks, if the load's figures of it are known.
    )
    if monitor is None or not record.asks_one_page:
        name = monitor.page if monitor is not None and not load.stages else None
        pages = (one for one in record.summaries if one.scope == REQUEST and one.name == name)
        page = next(pages, None)
    probes, unprobed = None, "the journeys of stages ask several pages"
    if monitor is None or not monitor.page:
        unprobed = "the prober can only ask a page that each journey gets first, by a plain GET"
    if page and monitor:
        probes = monitor.probes(segment.window, page, segment.waiting_users, record.traffic)
    # requests that may be in flight: users, or as many as there were in the open model
    in_flight = max(1.0, total.concurrency or 0.0) if load.is_open else total.level or load.users
    # messages and mixtures have no ceiling: it was requests that were calibrated
    has_ceiling = record.unit == REQUEST and not record.populations
    busy_percent = None  #: None in a closed model, where a target is meant to be busy.
    if segment.under_way is not None:
        shares = (segment.under_way.slots_busy_percent, cpus_percent)
        busy_percent = max((share for share in shares if share is not None), default=None)
    return replace(
        whole,
        stage=total.name if load.stages or record.populations else "",
        total=total,
        arrivals=total.arrivals,
        ceiling_rate=ceiling_rate(ceilings, load, in_flight) if has_ceiling else None,
        **{one.name: getattr(segment, one.name) for one in fields(OfLevel)},
        probes=probes,
        unprobed="" if probes else unprobed,
        front=_front(record, used),
        busy_percent=busy_percent,
        effort=_effort(record, used, segment, cpus_percent),
    )


def _cpus_busy(record: RunRecord, used: CpuShares) -> float | None:
    """The fuller of the CPUs that can answer and those that the server's processes can use."""
    on = record.monitor.cpus_target if record.monitor is not None else None
    answering = [share for share in used.values() if share is not None]
    if not on or not answering:
        return None
    processes = record.plan.server.processes * record.spec.server.instances
    own = (used[TARGET] or 0.0) / min(processes, len(on))
    return min(max(sum(answering) / len(on), own), 100.0)


def _effort(
    record: RunRecord, used: CpuShares, segment: Segment, cpus_percent: float | None
) -> Effort | None:
    """Of the CPUs, by readings, where they are busy; else of the slots."""
    done, traffic = record.done, record.traffic
    if done is None or traffic is None or segment.under_way is None:
        return None
    begin, end = record.since_origin(segment.window)
    if record.at_once and (cpus_percent or 0.0) <= QUEUES_PERCENT:
        words = "slot time"
        moments = np.arange(math.ceil(begin), math.floor(end) + 1, dtype=np.float64)
        taken_s = traffic.taken_s(moments + done.origin, record.at_once)
    else:
        words = "CPU time"
        cpu_s: defaultdict[float, float] = defaultdict(float)
        for part in used:
            for reading in in_window(record.readings, part, (begin, end)):
                cpu_s[reading.second] += (reading.cpu_percent or 0.0) / 100 * INTERVAL_S
        seconds = sorted(cpu_s)
        moments = np.array([one - INTERVAL_S for one in seconds[:1]] + seconds)
        taken_s = np.array([cpu_s[second] for second in seconds])
    answered = traffic.answered(moments + done.origin)
    return Effort(words, tuple((taken_s / np.maximum(answered, 1)).tolist()))


def _front(record: RunRecord, used: CpuShares) -> FrontShares | None:
    """What the front used beside those behind it; None without one, or where it was not seen."""
    plan, monitor = record.plan, record.monitor
    on = monitor.cpus_target if monitor is not None else None
    if plan.front is None or not on:
        return None
    front, target = used[FRONT], used[TARGET]
    if front is None or target is None:
        return None
    return FrontShares(
        name=plan.spec.server.front,
        front_percent=front,
        front_cpus=plan.front.parallel or len(on),
        target_percent=target,
        target_cpus=plan.server.processes * plan.spec.server.instances,
        answering_percent=sum(share for share in used.values() if share is not None),
        cpus=len(on),
    )


Ceilings = Callable[[Mapping[str, object]], Sequence[Ceiling]]
"""What the load generator was seen to make at most in an environment."""


def result(
    record: RunRecord,
    environment: Mapping[str, Any],
    ceilings: Ceilings = lambda environment: (),
) -> RunResult:
    """Without passwords, whoever told them: command lines, logs, drivers' errors."""
    ended_at = datetime.now(UTC)
    evidence, server = Evidence(broken=record.evidence.broken), record.plan.server
    if record.total is not None and record.done is not None:
        evidence = gathered(record, record.done, ceilings(environment))
    findings = validity.assess(evidence)
    headline = None if record.headline is None else record.segments[record.headline]
    total = replace(headline.total, scope="all", order=0) if headline else record.total
    return RunResult(
        spec=record.spec,
        status=record.status,
        started_at=record.started_at,
        ended_at=ended_at,
        failure=hidden(record.failure),
        failure_code=record.failure_code,
        argv=hidden_in(record.serving.argv),
        programs=hidden_in(record.serving.programs),
        delay=hidden_in(record.serving.delay),
        server_version=server.version(server.python),
        python_version=server.python.version,
        revision=record.facts.revision,
        python=dict(server.python.facts),
        packages=dict(server.python.packages),
        processes=server.processes,
        threads=server.threads,
        startup_s=record.serving.startup_s,
        window=record.since_origin(headline.window) if headline else record.window,
        unit=record.unit,
        total=hidden_in(total),
        summaries=hidden_in(record.summaries),
        intervals=record.intervals,
        readings=record.readings,
        websockets=record.websockets,
        asked=record.asked,
        diagnosis=record.diagnosis,
        findings=hidden_in(findings),
        verdict=validity.verdict(findings) if record.total is not None else None,
        environment=environment,
        settings_changed=hidden_in(record.settings_changed),
        log_tail=hidden(record.serving.log),
        sampler_cpu_percent=record.sampler_cpu_percent,
    )
