"""Everything benchsuite raises on purpose.

Each message is one sentence that says what was wanted, what was found and what to do; the
management commands print it unchanged."""

import traceback
from collections.abc import Iterable
from difflib import get_close_matches

WANTS_USER, WANTS_HTTPS = "user", "https"  #: Codes of why a page refuses who asks.
DISK_FULL = "disk-full"  #: The code of an error for want of space, whatever its class.


class BenchsuiteError(Exception):
    """Base of all errors of benchsuite or its set-up (a *failure* is a failed request)."""

    code = "error"  #: By which programs tell what happened; it is stored with a run that failed.


class UsageError(BenchsuiteError):
    """Invalid or contradictory options, or an unknown name."""

    code = "usage"


class UnavailableError(BenchsuiteError):
    """Something that exists but can't run on this machine; says what would provide it."""

    code = "unavailable"


class StartError(BenchsuiteError):
    """A process did not start; carries the last lines of its log."""

    code = "start"

    def __init__(self, what: str, log: str | None = None) -> None:
        end = f"its log ends with:\n{log}" if log else "its log is empty."
        super().__init__(what if log is None else f"{what}; {end}")
        self.what, self.log = what, log or ""


class AnswerError(BenchsuiteError):
    """The target answered, but not what the workload expects (status, body, a redirect)."""

    code = "answer"
    method = path = ""  #: What was asked, where that is known.
    status: int | None = None
    why = ""  #: `WANTS_USER` or `WANTS_HTTPS`, where the answer is such a refusal.


class StatusError(AnswerError):
    """The status differs from the one that the workload expects."""


class RobotError(AnswerError):
    """The robot could not complete a form; names the page and why."""


class LoadError(BenchsuiteError):
    """The load process failed: locustfile that does not import, deadline passed, crash."""

    code = "load"


class LoadDiedError(LoadError):
    """A load process exited unexpectedly; what it had written is kept."""


class DatabaseError(BenchsuiteError):
    """The throw-away database could not be created, filled or reached."""

    code = "database"


class NobodyWaits(SystemExit):
    """Ends the keeper when its parent has ended; a project's own command exits otherwise."""


def last_line(error: BaseException) -> str:
    """The last line of a traceback with its place in the code: KeyError: 'x' (shop/bench.py:12).

    Notes, which follow it, are omitted.
    """
    told_by_traceback = traceback.TracebackException.from_exception(error)
    told_by_traceback.__notes__ = None
    words = list(told_by_traceback.format_exception_only())[-1].strip()
    frames = traceback.extract_tb(error.__traceback__)
    return f"{words} ({frames[-1].filename}:{frames[-1].lineno})" if frames else words


MOST = 4  #: Names of a family that are suggested together.


def meant(name: str, known: Iterable[str]) -> str:
    """The known names that start with this one, else the nearest, ignoring case; empty if none."""
    names = {one.casefold(): one for one in known}
    wanted = name.casefold()
    near = [one for one in names if one.startswith(wanted)][:MOST] if wanted else []
    near = near or get_close_matches(wanted, names, n=1)
    return " or ".join(names[one] for one in near)


def choices(name: str, known: Iterable[str]) -> str:
    """The rest of a sentence that refuses a name: "did you mean uwsgi? There are: gunicorn, …"."""
    known = list(known)
    near = meant(name, known)
    listed = f"here are: {', '.join(known)}."
    return f"did you mean {near}? T{listed}" if near else f"t{listed}"
