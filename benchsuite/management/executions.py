"""What executions of studies and tunings have in common: many runs, broken off and resumed."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

from django.db import Error

from benchsuite.comparing import differences
from benchsuite.core.exceptions import BenchsuiteError, UsageError
from benchsuite.core.results import Status
from benchsuite.core.units import listed
from benchsuite.management.session import Session
from benchsuite.models import Run, StudyRun, Tuning
from benchsuite.system import fingerprint, owner, scratch
from benchsuite.system.interrupts import held_back


@contextmanager
def entered(row: StudyRun | Tuning) -> Iterator[None]:
    """Whatever ends the block, its row says so; after SIGKILL `sweep_executions()` does."""
    row.status = Status.INTERRUPTED.value
    try:
        yield
        row.status, row.ended_at = Status.FINISHED.value, datetime.now(UTC)
    finally:
        row.owner = ""
        with held_back(), suppress(Error):  # what can't be written now is swept later
            row.save()


def ensure_on(at_work: Session, run: Run) -> None:
    """Raises BenchsuiteError where nothing that follows could be measured or stored."""
    if at_work.results.refused:
        raise BenchsuiteError(at_work.results.sentence)
    if run.failure.startswith(scratch.BEGINNING):
        raise BenchsuiteError(run.failure)


def ensure_idle(row: StudyRun | Tuning, which: str) -> None:
    """Raises UsageError where somebody is at work on it."""
    if row.owner and not owner.has_ended(row.owner):
        raise UsageError(f"{which} is still under way, on {owner.host(row.owner)}.")


def ensure_same_machine(row: StudyRun | Tuning, which: str) -> None:
    """Raises UsageError where it was begun on another one, or this one has changed."""
    before = row.environment.data if row.environment else {}
    unlike = differences.of_machines([before, fingerprint.fingerprint()])
    matter = [one.words for one in unlike if one.matters]
    if matter:
        raise UsageError(
            f"{which} was on another machine, or this one has changed since ({listed(matter)}): "
            "leave --resume out, or go on there."
        )
