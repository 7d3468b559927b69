"""What executions of studies and tunings have in common: many runs, broken off and resumed."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError
from django.db import Error

from benchsuite import store
from benchsuite.comparing import differences
from benchsuite.core.exceptions import DISK_FULL, BenchsuiteError, UsageError
from benchsuite.core.results import RunResult, Status
from benchsuite.core.units import first_of, listed
from benchsuite.management.session import Session
from benchsuite.models import Environment, Execution, Run, StudyCell
from benchsuite.runner import environments
from benchsuite.runner.planning import Plan
from benchsuite.system import fingerprint, lock
from benchsuite.system.interrupts import held_back
from benchsuite.system.programs import revision_of, short_revision, untracked_code


class ChangedError(UsageError):
    """Something else would be measured than before, so runs would be mixed."""

    def __init__(self, what: str, way_out: str) -> None:
        self.what = what
        super().__init__(f"{what}: leave --resume out, or {way_out}.")


NAMED = 5  #: Packages in a message.
FILES = "~"  #: Between the revision of a project and the hash of its files that git does not track.


@contextmanager
def entered(row: Execution) -> Iterator[None]:
    """Whatever ends the block, its row says so; after SIGKILL `sweep_executions()` does. What the
    database refuses is a BenchsuiteError.
    """
    row.status = Status.INTERRUPTED.value
    try:
        yield
        with held_back():
            row.status, row.ended_at = Status.FINISHED.value, datetime.now(UTC)
            row.owner = ""
            row.save()  # what can't be stored has not ended
    except Error as error:
        row.status, row.ended_at = Status.INTERRUPTED.value, None
        raise BenchsuiteError(store.refusal(error)) from error
    finally:
        row.owner = ""
        with held_back(), suppress(Error):  # what can't be written now is swept later
            row.save()


def begin(row: Execution) -> bool:
    """Stores that somebody is at work on it; True where it is new."""
    if new := row._state.adding:
        row.environment = store.known(Environment, fingerprint.fingerprint())
    row.owner, row.status, row.ended_at = lock.owner_name(), Status.RUNNING.value, None
    row.save(force_insert=new)
    return new


def make(
    at_work: Session, plan: Plan, later: Sequence[Plan] | None = None, cell: StudyCell | None = None
) -> tuple[Run, RunResult]:
    """Makes a run as `Session.make` does; raises BenchsuiteError where nothing can follow it."""
    run, result = at_work.make(plan, later, cell)
    if at_work.results.refused:
        raise BenchsuiteError(at_work.results.sentence)
    if run.failure_code == DISK_FULL:
        raise BenchsuiteError(run.failure)
    return run, result


def broken_off(error: BaseException, row: Execution, again: str) -> CommandError:
    """How a command ends that this ended, with what goes on with a row that did not end."""
    is_ctrl_c = isinstance(error, KeyboardInterrupt)
    words = "Interrupted." if is_ctrl_c else str(error)
    if not row._state.adding and row.status != Status.FINISHED:  # Ctrl-C may come before it
        words += f" Go on with: {again}"
    return CommandError(words, returncode=130 if is_ctrl_c else 1)


def ensure_idle(row: Execution, which: str) -> None:
    """Raises UsageError where somebody is at work on it."""
    if row.owner and not lock.has_ended(row.owner):
        raise UsageError(f"{which} is still under way, on {lock.owner_host(row.owner)}.")


def ensure_same_machine(row: Execution, which: str) -> None:
    """Raises UsageError where it was begun on another one, or this one has changed."""
    before = row.environment.data if row.environment else {}
    unlike = differences.of_machines([before, fingerprint.fingerprint()])
    if matter := [one.words for one in unlike if one.matters]:
        what = f"{which} was on another machine, or this one has changed since ({listed(matter)})"
        raise ChangedError(what, "go on there")


def ensure_same_revision(before: str, which: str) -> None:
    """Raises UsageError where other code of the project was measured."""
    before, known, files = before.partition(FILES)
    now, _, files_now = revision().partition(FILES)
    what = ""
    if before != now:
        then, today = short_revision(before) or "none", short_revision(now) or "none"
        what = f"another revision of the project ({then}, and it is {today} now)"
    elif known and files != files_now:
        what = "other files of the project, which git does not track"
    if what:
        raise ChangedError(f"{which} measured {what}", "put back what was there before")


def ensure_same_packages(had: Mapping[str, str], plan: Plan, which: str) -> None:
    """Raises UsageError where its server had others than that of this plan has."""
    has = plan.server.python.packages
    changed = [
        f"{name} {had.get(name, 'not installed')}, now {has.get(name, 'not installed')}"
        for name in sorted({*had, *has})
        if had.get(name) != has.get(name)
    ]
    if changed:
        what = f"{which} had other packages ({'; '.join(first_of(changed, NAMED))})"
        raise ChangedError(what, "install those of before")


def revision() -> str:
    """Of the project as it will be measured; then a hash of the code that git does not track."""
    folder = Path.cwd()
    with suppress(ImproperlyConfigured):
        folder = Path(getattr(environments.target_settings(), "BASE_DIR", None) or folder)
    return f"{revision_of(folder)}{FILES}{untracked_code(folder)}"
