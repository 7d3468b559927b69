"""How long runs take, and those whose command is gone.

All that shows or chooses runs calls `sweep()` first, so that what is stored is true for filters,
pages, exports and the admin alike.
"""

import logging
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from statistics import median

from django.db import Error

from benchsuite import store
from benchsuite.core.results import Status
from benchsuite.core.specs import LoadProfile
from benchsuite.models import Run, StudyRun, Tuning
from benchsuite.system import lock

RECENT = 20  #: Runs of a server that are looked at.


def planned_s(run: Run) -> float:
    """Seconds from the first request to the end of the last window."""
    load = _load(run)
    return load.window_end_s if load else run.warmup_s + run.duration_s


def windows(run: Run) -> list[tuple[float, float]]:
    """Begin and end of each window, in seconds since the first request."""
    load = _load(run)
    if load is None or load.iterations is not None:
        return [(run.warmup_s, run.warmup_s + run.duration_s)]
    return [(stage.window_start_s, stage.window_end_s) for stage in load.plan]


def overheads(servers: Iterable[str]) -> dict[str, float]:
    """Server → median of the seconds that its last runs took beside their load and drain."""
    ended = Run.objects.filter(status=Status.FINISHED.value, ended_at__isnull=False)
    ended = ended.only("started_at", "ended_at", "spec", "duration_s", "warmup_s", "goodput")
    by_kind = {
        server: [
            overhead_s(run) for run in ended.filter(server=server)[:RECENT] if not run.unreadable
        ]
        for server in dict.fromkeys(servers)
    }
    return {server: max(0.0, median(some)) for server, some in by_kind.items() if some}


def overhead_s(run: Run) -> float:
    """Seconds that a run took which has ended, beside its load and drain."""
    assert run.ended_at is not None
    load = _load(run)
    drain_s = load.expected_drain_s(run.goodput) if load else 0.0
    took: timedelta = run.ended_at - run.started_at
    return took.total_seconds() - planned_s(run) - drain_s


def _load(run: Run) -> LoadProfile | None:
    data = run.spec.get("load")
    return LoadProfile.from_json(data) if data else None


ALLOWED_S = 3600.0
"""What a run may take beside its load: making its data, starting, ending. Used only where nobody
here can look whether its command lives."""

logger = logging.getLogger("benchsuite")


def sweep() -> int:
    """Marks as interrupted what says "running" though its command is gone; returns how many."""
    running = Run.objects.filter(status=Status.RUNNING.value).order_by()
    gone = [
        run
        for run in running.only("owner", "started_at", "spec", "duration_s", "warmup_s")
        if lock.has_ended(run.owner)
        or not (lock.can_be_seen(run.owner) or datetime.now(UTC) < expected_until(run))
    ]
    reason = "The command that made this run ended unexpectedly; none of its figures were stored."
    try:
        return mark(gone, reason) if gone else 0
    except Error as error:
        logger.warning("Runs that ended unexpectedly can't be marked as such: %s", error)
        return 0


def expected_until(run: Run) -> datetime:
    """When a run that can't be seen from here counts as ended."""
    started_at: datetime = run.started_at
    return started_at + timedelta(seconds=planned_s(run) + ALLOWED_S)


def sweep_executions() -> None:
    """The same for executions of studies and tunings."""
    for model in (StudyRun, Tuning):
        running = model._default_manager.filter(status=Status.RUNNING.value)
        over = [one.pk for one in running.only("owner") if lock.has_ended(one.owner)]
        try:
            running.filter(pk__in=over).update(status=Status.INTERRUPTED.value, owner="")
        except Error as error:
            logger.warning("Executions that ended unexpectedly can't be marked as such: %s", error)


def mark(runs: list[Run], reason: str) -> int:
    """Marks these runs as interrupted, but those that have ended by themselves; how many it did."""
    running = Run.objects.filter(pk__in=[run.pk for run in runs], status=Status.RUNNING.value)
    with store.atomic():
        return running.update(status=Status.INTERRUPTED.value, failure=reason, owner="")
