"""Waits until a program answers, or says why it does not."""

import time
from collections.abc import Callable

from benchsuite.core.exceptions import StartError
from benchsuite.system import logfile
from benchsuite.system.ending import in_words
from benchsuite.system.process import Process

SLOW_S = 5.0


class Patience:
    """Tells of what takes longer than 5 s, and again whenever it has taken twice as long."""

    def __init__(self, tell: Callable[[str], None], doing: Callable[[], str], limit_s: float):
        """`doing` says what it is, and since when."""
        self._tell, self._doing, self._limit_s = tell, doing, limit_s
        self._step_s = SLOW_S
        self.due = time.monotonic() + SLOW_S

    def look(self) -> None:
        """Tells of it when that is due."""
        if time.monotonic() >= self.due:
            self.due += self._step_s
            self._step_s *= 2
            self._tell(f"{self._doing()}, {self._limit_s:g} s at most")


def wait_until_ready(
    process: Process,
    answers: Callable[[], bool],
    *,
    timeout_s: float,
    interval_s: float = 0.02,
    heard: Callable[[], str] = str,
    cause: Callable[[], str | None] = lambda: None,
) -> float:
    """Asks until the process answers; returns the seconds from its start to its answer.

    `heard` says in words what came instead of an answer, `cause` gives a reason that the log lacks.

    Raises StartError, with the end of its log, when its leader ends (with any status: some servers
    end with 0 when they can't import the application) or does not answer in time.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        status = process.poll()
        if status is not None:
            ended = f"{process.name} {_ended(process, status)}"
            raise StartError(_with_log(process, ended, cause()))
        if answers():
            return time.monotonic() - process.started_at
        if time.monotonic() >= deadline:
            instead = heard()
            what = f"{process.name} did not answer within {timeout_s:g} s"
            what = f"{what}: {instead}" if instead else what
            raise StartError(_with_log(process, what, cause()))
        time.sleep(interval_s)


def _ended(process: Process, status: int) -> str:
    ended = f"{in_words(status)} before it answered"
    # Children of a failed server may still be ending: they are not the cause.
    if status == 0 and logfile.first_error(process.log) is None:
        left = len(process.living())
        if left:
            return f"{ended} and left {left} running (it must stay in the foreground)"
    return ended


def _with_log(process: Process, what: str, error: str | None) -> str:
    error = error or logfile.first_error(process.log)
    cause = f" ({error})" if error else ""
    tail = process.log_tail()
    log = f"its log ends with:\n{tail}" if tail else "its log is empty."
    return f"{what}{cause}; {log}"
