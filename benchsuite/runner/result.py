"""What became of a run: its record with the findings about it, as a frozen value."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from benchsuite import findings as validity
from benchsuite.core.observations import Evidence
from benchsuite.core.passwords import hidden, hidden_in
from benchsuite.core.results import Ceiling, RunResult
from benchsuite.runner.evidence import gathered
from benchsuite.runner.record import RunRecord

Ceilings = Callable[[Mapping[str, object]], Sequence[Ceiling]]
"""What the load generator was seen to make at most in an environment."""


def result(
    record: RunRecord,
    environment: Mapping[str, Any],
    ceilings: Ceilings = lambda environment: (),
) -> RunResult:
    """Without passwords, whoever told them: command lines, logs, drivers' errors."""
    ended_at = datetime.now(UTC)
    evidence, server = Evidence(broken=record.broken), record.plan.server
    if record.total is not None and record.done is not None:
        evidence = gathered(record, record.done, ceilings(environment))
    findings = validity.assess(evidence)
    told = None if record.headline is None else record.segments[record.headline]
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
        window=record.since_origin(told.window) if told else record.window,
        unit=record.unit,
        total=hidden_in(replace(told.total, scope="all", order=0) if told else record.total),
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
