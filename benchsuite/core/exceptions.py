"""Everything benchsuite raises on purpose.

Each message is one sentence that says what was wanted, what was found and what to do; the
management commands print it as it stands.
"""

import traceback


class BenchsuiteError(Exception):
    """Base of all errors of benchsuite or its set-up (a *failure* is a request without its
    answer).
    """


class UsageError(BenchsuiteError):
    """What was asked for makes no sense or doesn't exist: unknown name, contradictory options."""


class UnavailableError(BenchsuiteError):
    """What was asked for exists but can't run on this machine; says what would provide it."""


class StartError(BenchsuiteError):
    """A process did not come up; carries the last lines of its log."""


class AnswerError(BenchsuiteError):
    """The target answered, but not what the workload expects (status, body, a redirect)."""


class StatusError(AnswerError):
    """The status is another one than the workload expects."""


class RobotError(AnswerError):
    """The robot could not complete a form; names the page and why."""


class LoadError(BenchsuiteError):
    """The load process failed: locustfile that does not import, deadline passed, crash."""


class LoadDiedError(LoadError):
    """A load process ended without a word; what it had written is there."""


class DatabaseError(BenchsuiteError):
    """The throw-away database could not be made, filled or reached."""


class NobodyWaits(SystemExit):
    """Ends the keeper when its parent has ended; a project's own command exits otherwise."""


def last_line(error: BaseException) -> str:
    """The last line of a traceback with the place in the code: KeyError: 'x' (shop/bench.py:12).

    Notes come after it, and are left out.
    """
    told = traceback.TracebackException.from_exception(error)
    told.__notes__ = None
    words = list(told.format_exception_only())[-1].strip()
    frames = traceback.extract_tb(error.__traceback__)
    return f"{words} ({frames[-1].filename}:{frames[-1].lineno})" if frames else words
