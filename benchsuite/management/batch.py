"""The runs of one command: made one after another, each stored as soon as it has ended."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from uuid import uuid4

from django.db import DatabaseError as StoreError
from django.db import OperationalError, ProgrammingError

from benchsuite import conf, planning, preparing, store
from benchsuite.exceptions import BenchsuiteError
from benchsuite.models import Run
from benchsuite.proc.interrupts import held_back, terminable
from benchsuite.proc.lock import alone
from benchsuite.report.abandoned import abandon, sweep
from benchsuite.report.progress import Progress
from benchsuite.results import RunResult, Status
from benchsuite.runner import session
from benchsuite.specs import RunSpec
from benchsuite.units import format_bytes, format_duration, format_rate


def make(
    runs: Sequence[RunSpec],
    progress: Progress,
    *,
    port: int | None,
    start_timeout_s: float | None = None,
    on_wait: Callable[[int | None], None],
    on_build: Callable[[str], None],
) -> list[Run]:
    """Makes these runs and returns their rows; ends early, with what there is, on Ctrl-C.

    Environments that they need and that have not been built are built first.
    """
    batch = uuid4()
    rows: list[Run] = []
    with terminable(), alone(on_wait), _results_database():
        preparing.prepare(runs, on_build)
        for run in runs:
            planning.check_installed(run)
        sweep()
        with (
            session(
                settings_module=_target_settings(),
                port=port,
                start_timeout_s=start_timeout_s,
                ceilings=store.ceilings,
            ) as at_work,
            progress,
        ):
            for spec in runs:
                progress.begin(spec)
                row = store.begin(spec, batch=batch, started_at=datetime.now(UTC))
                rows.append(row)
                with _settled(row):
                    result = at_work.run(spec, progress)
                    _keep(row, result)
                progress.end(_line(result))
                if result.status is Status.INTERRUPTED:
                    break
    return rows


@contextmanager
def _results_database() -> Iterator[None]:
    """Says what is wrong with the database of the results, whichever query finds it."""
    try:
        yield
    except (OperationalError, ProgrammingError) as error:
        raise BenchsuiteError(
            f"The results can't be stored ({error}); is the database up, and did you run: "
            "python manage.py migrate?"
        ) from error


@contextmanager
def _settled(row: Run) -> Iterator[None]:
    """The row doesn't say "running" for ever, whatever ends the block: this process may live on."""
    try:
        yield
    except BaseException as error:
        with held_back(), suppress(StoreError):  # what can't be written now is swept later
            abandon(row, f"The command ended before its run had: {_said(error)}")
        raise


def _said(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "it was interrupted."
    return str(error) or type(error).__name__


def _keep(row: Run, result: RunResult) -> None:
    try:
        store.finish(row, result)
    except StoreError as error:
        figures = _line(result)
        raise BenchsuiteError(
            f"The run could not be stored ({error}); its figures were: {figures}. Free the disk "
            "or the database and repeat it."
        ) from error


def _line(result: RunResult) -> str:
    """One run's outcome in a line."""
    if result.total is None:
        return f"{result.status.value}: {result.failure}"
    total, idle = result.total, result.websockets and result.websockets.idle
    if idle and not total.requests:
        verdict = result.verdict.value if result.verdict else ""
        return f"{format_bytes(idle.each_bytes)} per connection · {verdict}"
    parts = [
        f"{format_rate(total.goodput)}",
        f"p50 {format_duration(total.response_time.at(50))}",
        f"p95 {format_duration(total.response_time.at(95))}",
        f"{total.failures} failed",
        *([f"{total.resent} sent twice"] if total.resent else []),
        result.verdict.value if result.verdict else "",
    ]
    if result.failure:
        parts.append(f"{result.status.value}: {result.failure}")
    return " · ".join(parts)


def _target_settings() -> str:
    """The settings module that the measured server starts from."""
    module: str = conf.config()["TARGET_SETTINGS"] or os.environ["DJANGO_SETTINGS_MODULE"]
    return module
