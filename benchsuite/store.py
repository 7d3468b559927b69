"""Results → models. A run's row exists from its start; its figures come in one transaction at its
end.
"""

import dataclasses
import hashlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import close_old_connections, transaction

from benchsuite import environment, models
from benchsuite.proc import owner
from benchsuite.report.completions import is_completion
from benchsuite.results import Ceiling, Distribution, RunResult, Status, Summary
from benchsuite.specs import RunSpec
from benchsuite.stats.readings import mean_cpu_percent

BATCH_SIZE = 500

TARGET = "target"
"""The part whose CPU and memory are columns."""


def begin(spec: RunSpec, *, batch: UUID, started_at: datetime) -> models.Run:
    """The row of a run that starts now."""
    return models.Run.objects.create(
        batch=batch,
        owner=owner.name(),
        started_at=started_at,
        status=Status.RUNNING.value,
        label=spec.label,
        key=hashlib.sha256(spec.key.encode()).hexdigest(),
        workload=spec.workload.workload,
        server=spec.server.server,
        processes=spec.server.processes,
        threads=spec.server.threads,
        model=spec.load.model,
        users=None if spec.load.is_open else spec.load.users,
        arrival_rate=spec.load.arrival_rate,
        duration_s=spec.load.duration_s,
        warmup_s=spec.load.warmup_s,
        repetition=spec.repetition,
        spec=spec.to_json(),
    )


def finish(run: models.Run, result: RunResult) -> None:
    """Writes everything that the run found out, or nothing."""
    close_old_connections()
    with transaction.atomic():
        _columns(run, result)
        run.environment = _environment(dict(result.environment))
        run.save()
        names = [*((result.total,) if result.total else ()), *result.summaries]
        models.Measurement.objects.bulk_create(_measurement(run, summary) for summary in names)
        models.Interval.objects.bulk_create(
            (
                models.Interval(run=run, **{**_fields(interval), "phase": interval.phase.value})
                for interval in result.intervals
            ),
            batch_size=BATCH_SIZE,
        )
        models.Reading.objects.bulk_create(
            (models.Reading(run=run, **_fields(reading)) for reading in result.readings),
            batch_size=BATCH_SIZE,
        )
        models.Finding.objects.bulk_create(
            models.Finding(run=run, **{**_fields(finding), "level": finding.level.value})
            for finding in result.findings
        )


def ceilings(data: Mapping[str, Any]) -> tuple[Ceiling, ...]:
    """What the load generator was seen to make at most in this environment."""
    close_old_connections()
    names = [field.name for field in dataclasses.fields(Ceiling)]
    found = models.Calibration.objects.filter(environment__fingerprint=environment.digest(data))
    return tuple(Ceiling(**values) for values in found.values(*names))


def keep_ceilings(data: Mapping[str, Any], measured: Iterable[Ceiling]) -> None:
    """Puts these ceilings in place of what was known of the environment and as many processes."""
    measured = list(measured)
    with transaction.atomic():
        here = _environment(dict(data))
        processes = {one.processes for one in measured}
        here.calibrations.filter(processes__in=processes).delete()
        models.Calibration.objects.bulk_create(
            models.Calibration(environment=here, **_fields(one)) for one in measured
        )


def _columns(run: models.Run, result: RunResult) -> None:
    run.owner = ""
    run.status = result.status.value
    run.verdict = result.verdict.value if result.verdict else ""
    run.failure = result.failure
    run.server_version = result.server_version or ""
    run.python_version = result.python_version or ""
    run.revision = result.revision
    run.processes = result.processes
    run.threads = result.threads
    run.argv = list(result.argv)
    run.programs = [_fields(program) for program in result.programs]
    run.delay = dict(result.delay)
    run.packages = dict(result.packages)
    run.settings_changed = dict(result.settings_changed)
    run.log_tail = result.log_tail
    run.startup_s = result.startup_s
    run.sampler_cpu_percent = result.sampler_cpu_percent
    target = [reading for reading in result.readings if reading.part == TARGET]
    run.cpu_percent = mean_cpu_percent(result.readings, TARGET, result.window)
    run.memory_bytes = max((one.memory_bytes for one in target if one.memory_bytes), default=None)
    own = [one for one in result.summaries if is_completion(run.workload, one.scope, one.name)]
    if own:
        run.failed_completions = sum(one.failures for one in own)
        run.completions = sum(one.requests for one in own) - run.failed_completions
    run.unit = result.unit
    sockets = result.websockets
    if sockets is not None:
        run.websockets = dataclasses.asdict(sockets)
        run.connection_bytes = sockets.idle.each_bytes if sockets.idle else None
    total = result.total
    if total is not None:
        run.requests = total.requests
        run.failures = total.failures
        run.resent = total.resent
        run.throughput = total.throughput
        run.goodput = total.goodput
        run.mean_s = total.response_time.mean_s
        run.p50_s = total.response_time.at(50)
        run.p95_s = total.response_time.at(95)
        run.p99_s = total.response_time.at(99)


def _environment(data: dict[str, Any]) -> models.Environment:
    found, _ = models.Environment.objects.get_or_create(
        fingerprint=environment.digest(data), defaults={"data": data}
    )
    return found


def _measurement(run: models.Run, summary: Summary) -> models.Measurement:
    fields = _fields(summary)
    response, service, wait = summary.response_time, summary.service_time, summary.wait_time
    arrivals = fields.pop("arrivals")
    return models.Measurement(
        run=run,
        **{
            **fields,
            "response_time": _figures(response),
            "service_time": _figures(service),
            "response_histogram": response.histogram,
            "service_histogram": service.histogram,
            "wait_time": _figures(wait) if wait else None,
            "wait_histogram": wait.histogram if wait else "",
            **(_fields(arrivals) if arrivals else {}),
        },
    )


def _figures(distribution: Distribution) -> dict[str, Any]:
    return {
        "count": distribution.count,
        "mean_s": distribution.mean_s,
        "min_s": distribution.min_s,
        "max_s": distribution.max_s,
        **{f"p{percent:g}_s": value for percent, value in distribution.percentiles.items()},
    }


def _fields(value: Any) -> dict[str, Any]:
    """The fields of a frozen result, one level deep."""
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
