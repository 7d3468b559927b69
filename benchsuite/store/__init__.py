"""Results → models: a run's row exists from its start, and its figures come at once at its end.

All that shows or chooses runs calls `sweep()` first, so that what is stored is true for filters,
pages, exports and the admin alike.
"""

import dataclasses
import logging
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from itertools import chain
from statistics import median
from typing import Any
from uuid import UUID

from django.core.exceptions import ImproperlyConfigured
from django.db import Error, close_old_connections, connections, router, transaction
from django.db.models import Max, Model
from django.db.models.functions import Coalesce

from benchsuite import models
from benchsuite.core import refusals
from benchsuite.core.metrics import every
from benchsuite.core.plain import plain
from benchsuite.core.refusals import Refusal
from benchsuite.core.results import Ceiling, Distribution, RunResult, Status, Summary
from benchsuite.core.specs import LoadProfile, RunSpec
from benchsuite.core.specs.load import MAX_DURATION_S
from benchsuite.store.interchange import PARTS, SHARED, attach, settle, share, storable
from benchsuite.system import fingerprint, lock

logger = logging.getLogger("benchsuite")
LEAST_BYTES = 100_000  #: What a short run takes; a database that has no room for it is full.
LONGEST_NAME = 500  #: Of a measurement, in characters.
RECENT = 20  #: Runs of a server that are looked at.
ALLOWED_S = 3600.0
"""What a run may take beside its load: making its data, starting, ending. Used only where nobody
here can look whether its command lives."""

SAME = (
    *("status", "ended_at", "failure", "failure_code", "revision", "processes", "threads"),
    *("argv", "delay", "settings_changed", "log_tail", "unit", "diagnosis"),
)
"""Columns of a run that its result has under the same name; `settle` makes them plain."""


def begun(
    spec: RunSpec,
    *,
    batch: UUID,
    started_at: datetime,
    server_facts: Mapping[str, Any] | None = None,
    unit: str = "request",
) -> models.Run:
    """The row of a run that starts now, not stored yet."""
    return models.Run(
        batch=batch,
        owner=lock.owner_name(),
        started_at=started_at,
        status=Status.RUNNING.value,
        label=spec.label,
        project=spec.project,
        key=spec.key,
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
        server_facts=dict(server_facts or {}),
        unit=unit,
    )


def database() -> str:
    """The alias of the one that a project's routers give the runs."""
    return router.db_for_write(models.Run)


def atomic() -> transaction.Atomic:
    return transaction.atomic(using=database())


def check() -> None:
    """Raises django.db.Error when no run could be stored now; leaves nothing."""
    with atomic():
        models.Run.objects.create(
            started_at=datetime.now(UTC),
            duration_s=0,
            warmup_s=0,
            spec={},
            owner=lock.owner_name(),
            log_tail=" " * LEAST_BYTES,
        )
        transaction.set_rollback(True, using=database())


def refusal(error: BaseException) -> str:
    """One sentence for what the database of the runs refused; where the settings are wrong, it is
    Django's own, unless they name no database at all.
    """
    if isinstance(error, ImproperlyConfigured) and refusals.why(error) is not Refusal.NOT_NAMED:
        return str(error)
    alias = database()
    return refusals.sentence(error, connections[alias].settings_dict, alias)


def fill(run: models.Run, result: RunResult) -> None:
    """Gives a run all that it found out, without the database."""
    for name in SAME:
        setattr(run, name, getattr(result, name))
    for metric in every.METRICS:
        if metric.read:
            setattr(run, metric.name, metric.read(result))
    run.owner = ""
    run.verdict = result.verdict or ""
    run.server_version = result.server_version or ""
    run.python_version = result.python_version or ""
    run.programs = [_fields(program) for program in result.programs]
    if result.spec.load.iterations is not None and result.window is not None:
        run.duration_s = result.window[1] - result.window[0]
    if result.websockets is not None:
        run.websockets = dataclasses.asdict(result.websockets)
    share(run, "environment", storable(result.environment))
    if result.packages:
        share(run, "software", storable({"python": result.python, "packages": result.packages}))
    summaries = [*((result.total,) if result.total else ()), *result.summaries]
    parts: dict[str, list[Any]] = {
        "measurements": [_measurement(summary) for summary in summaries],
        "intervals": [models.Interval(**_fields(interval)) for interval in result.intervals],
        "readings": [models.Reading(**_fields(reading)) for reading in result.readings],
        "findings": [models.Finding(**_fields(doubt, "stages")) for doubt in result.findings],
    }
    for row in (run, *chain.from_iterable(parts.values())):
        settle(row)
    attach(run, parts)


def write(run: models.Run) -> None:
    """Stores a run with all that belongs to it, or nothing of it."""
    with atomic():
        find_shared(run)
        run._state.adding = False  # its row may be there, and may have been deleted
        run.save()
        for name, part in PARTS.items():
            rows = list(getattr(run, name).all())
            for row in rows:
                row.pk = None
            part._default_manager.bulk_create(rows, batch_size=500)


def known(model: type[Model], data: Mapping[str, Any]) -> Any:
    """The row of what many runs share, such as their machine; made where there is none yet."""
    data = storable(data)
    row, _ = model._default_manager.get_or_create(
        fingerprint=fingerprint.digest(data), defaults={"data": data}
    )
    return row


def find_shared(row: Model) -> None:
    """Gives a row the stored ones of what it shares, made where there are none yet."""
    for name, model in SHARED.items():
        if (shared := getattr(row, name, None)) is not None:
            setattr(row, name, known(model, shared.data))


def ceilings(data: Mapping[str, Any]) -> tuple[Ceiling, ...]:
    """What the load generator was seen to make at most in this environment."""
    close_old_connections()
    names = [field.name for field in dataclasses.fields(Ceiling)]
    calibrations = models.Calibration.objects.filter(
        environment__fingerprint=fingerprint.digest(data)
    )
    return tuple(Ceiling(**values) for values in calibrations.values(*names))


def keep_ceilings(data: Mapping[str, Any], measured: Iterable[Ceiling]) -> None:
    """Puts these ceilings in place of what was known of the environment and as many processes."""
    measured = list(measured)
    with atomic():
        here = known(models.Environment, data)
        here.calibrations.filter(processes__in={one.processes for one in measured}).delete()
        models.Calibration.objects.bulk_create(
            models.Calibration(environment=here, **_fields(one)) for one in measured
        )


def _measurement(summary: Summary) -> models.Measurement:
    arrivals = _fields(summary.arrivals) if summary.arrivals else {}
    fields = {**_fields(summary, "arrivals"), **arrivals, "patterns": plain(summary.patterns)}
    for kind in ("response", "service", "wait"):
        times: Distribution | None = fields[f"{kind}_time"]
        fields[f"{kind}_time"] = _figures(times) if times else None
        fields[f"{kind}_histogram"] = times.histogram if times else ""
    name = storable(summary.name)
    if len(name) > LONGEST_NAME:  # two that begin alike stay two
        name = f"{name[: LONGEST_NAME - 9]}…{fingerprint.digest({'name': name})[:8]}"
    return models.Measurement(**{**fields, "name": name})


def _figures(distribution: Distribution) -> dict[str, Any]:
    names = ("count", "mean_s", "min_s", "max_s")
    percentiles = {f"p{percent:g}_s": time for percent, time in distribution.percentiles.items()}
    return {**{name: getattr(distribution, name) for name in names}, **percentiles}


def _fields(value: Any, without: str = "") -> dict[str, Any]:
    names = [field.name for field in dataclasses.fields(value) if field.name != without]
    return {name: getattr(value, name) for name in names}


def planned_s(run: models.Run) -> float:
    """Seconds from the first request to the end of the last window."""
    load = _load(run)
    return load.window_end_s if load else run.warmup_s + run.duration_s


def windows(run: models.Run) -> list[tuple[float, float]]:
    """Begin and end of each window, in seconds since the first request."""
    load = _load(run)
    if load is None or load.iterations is not None:
        return [(run.warmup_s, run.warmup_s + run.duration_s)]
    return [(stage.window_start_s, stage.window_end_s) for stage in load.plan]


def overheads(servers: Iterable[str]) -> dict[str, float]:
    """Server → median of the seconds that its last runs took beside their load and drain."""
    ended = models.Run.objects.filter(status=Status.FINISHED.value, ended_at__isnull=False)
    ended = ended.only("started_at", "ended_at", "spec", "duration_s", "warmup_s", "goodput")
    by_kind = {
        server: [
            overhead_s(run) for run in ended.filter(server=server)[:RECENT] if not run.unreadable
        ]
        for server in dict.fromkeys(servers)
    }
    return {server: max(0.0, median(some)) for server, some in by_kind.items() if some}


def overhead_s(run: models.Run) -> float:
    """Seconds that a run took which has ended, beside its load and drain."""
    assert run.ended_at is not None
    load = _load(run)
    drain_s = load.expected_drain_s(run.goodput) if load else 0.0
    took: timedelta = run.ended_at - run.started_at
    return took.total_seconds() - planned_s(run) - drain_s


def _load(run: models.Run) -> LoadProfile | None:
    data = run.spec.get("load")
    return LoadProfile.from_json(data) if data else None


def sweep() -> int:
    """Marks as interrupted what says "running" though its command is gone; returns how many."""
    running = models.Run.objects.filter(status=Status.RUNNING.value).order_by()
    gone = [
        run
        for run in running.only("owner", "started_at", "spec", "duration_s", "warmup_s")
        if (ended := lock.has_ended(run.owner))
        or (ended is None and datetime.now(UTC) >= expected_until(run))
    ]
    reason = "The command that made this run ended unexpectedly; none of its figures were stored."
    try:
        return mark(gone, reason) if gone else 0
    except Error as error:
        logger.warning("Runs that ended unexpectedly can't be marked as such: %s", error)
        return 0


def expected_until(run: models.Run) -> datetime:
    """When a run that can't be seen from here counts as ended."""
    started_at: datetime = run.started_at
    return started_at + timedelta(seconds=planned_s(run) + ALLOWED_S)


def sweep_executions() -> None:
    """The same for executions of studies and tunings; elsewhere, where no run began for longer
    than one takes.
    """
    long_ago = datetime.now(UTC) - timedelta(seconds=2 * MAX_DURATION_S + ALLOWED_S)
    for model, runs in ((models.StudyRun, "cells__runs"), (models.Tuning, "trials__run")):
        running = model._default_manager.filter(status=Status.RUNNING.value)
        begun = running.annotate(last=Coalesce(Max(f"{runs}__started_at"), "started_at"))
        over = [
            row.pk
            for row in begun.only("owner")
            if (ended := lock.has_ended(row.owner)) or (ended is None and row.last < long_ago)
        ]
        try:
            running.filter(pk__in=over).update(status=Status.INTERRUPTED.value, owner="")
        except Error as error:
            logger.warning("Executions that ended unexpectedly can't be marked as such: %s", error)


def mark(runs: list[models.Run], reason: str) -> int:
    """Marks these runs as interrupted, but those that have ended by themselves; how many it did."""
    running = models.Run.objects.filter(status=Status.RUNNING.value)
    own = running.filter(pk__in=[run.pk for run in runs])
    with atomic():
        return own.update(status=Status.INTERRUPTED.value, failure=reason, owner="")
