"""Runs whose command is gone: a row says "running" until somebody writes something else into it.

All that shows or chooses runs calls `sweep()` first, so that what is stored is true for filters,
pages, exports and the admin alike.
"""

import logging
from datetime import datetime, timedelta

from django.db import Error, transaction
from django.utils import timezone

from benchsuite.core.results import Status
from benchsuite.models import Run, StudyRun, Tuning
from benchsuite.store.periods import planned_s
from benchsuite.system import lock

ALLOWED_S = 3600.0
"""What a run may take beside its load: making its data, starting, ending. Used only where nobody
here can look whether its command lives."""

AT_ONCE = 500

logger = logging.getLogger("benchsuite")


def sweep() -> int:
    """Marks as interrupted what says "running" though its command is gone; returns how many.

    In a database that can't be written nothing is marked, and the log says so.
    """
    running = Run.objects.filter(status=Status.RUNNING.value).order_by()
    reasons: dict[str, list[Run]] = {}
    for run in running.only("owner", "started_at", "spec", "duration_s", "warmup_s"):
        if reason := _why_over(run):
            reasons.setdefault(reason, []).append(run)
    try:
        return sum(_mark(runs, reason) for reason, runs in reasons.items())
    except Error as error:
        logger.warning("Runs that ended unexpectedly can't be marked as such: %s", error)
        return 0


def abandon(run: Run, reason: str) -> None:
    """Marks this run as interrupted, unless it has ended by itself."""
    _mark([run], reason)


def expected_until(run: Run) -> datetime:
    """When a run that can't be seen from here counts as ended."""
    return run.started_at + timedelta(seconds=planned_s(run) + ALLOWED_S)


def sweep_executions() -> None:
    """The same for executions of studies and tunings, which whoever shows or resumes one calls
    first.
    """
    for model in (StudyRun, Tuning):
        running = model._default_manager.filter(status=Status.RUNNING.value)
        over = [one.pk for one in running.only("owner") if lock.has_ended(one.owner)]
        if not over:
            continue
        try:
            some = model._default_manager.filter(pk__in=over)
            some.update(status=Status.INTERRUPTED.value, owner="")
        except Error as error:
            logger.warning("Executions that ended unexpectedly can't be marked as such: %s", error)


def _why_over(run: Run) -> str:
    """Why nobody is at work on this run any more; empty while somebody may be."""
    if lock.has_ended(run.owner):
        return "The command that made this run ended unexpectedly; none of its figures were stored."
    if lock.can_be_seen(run.owner) or timezone.now() < expected_until(run):
        return ""
    return (
        f"The command that made this run, on {lock.owner_host(run.owner)}, should have ended "
        "long ago and has stored no figures."
    )


def _mark(runs: list[Run], reason: str) -> int:
    """One that has ended by itself meanwhile stays as it is."""
    marked = 0
    with transaction.atomic():
        for first in range(0, len(runs), AT_ONCE):
            some = Run.objects.filter(
                pk__in=[run.pk for run in runs[first : first + AT_ONCE]],
                status=Status.RUNNING.value,
            )
            marked += some.update(status=Status.INTERRUPTED.value, failure=reason, owner="")
    return marked
