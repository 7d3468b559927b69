"""Everything benchsuite raises on purpose: what was wanted, what was found and what to do."""

import re
import traceback
from collections.abc import Iterable
from difflib import SequenceMatcher

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


class DatabaseError(BenchsuiteError):
    """The throw-away database could not be created, filled or reached."""

    code = "database"


class NobodyWaits(SystemExit):
    """Ends the keeper when its parent has ended; a project's own command exits otherwise."""


LONGEST = 1000  #: Characters of an error's words: an assertion may hold a whole page.


def own_words(error: BaseException) -> str:
    """An error's own words, or its type when it has none."""
    return str(error)[:LONGEST] or type(error).__name__


def last_line(error: BaseException) -> str:
    """The last line of a traceback without notes, and its place: KeyError: 'x' (bench.py:12)."""
    in_full = traceback.TracebackException.from_exception(error)
    in_full.__notes__ = None
    words = list(in_full.format_exception_only())[-1].strip()[:LONGEST]
    frames = traceback.extract_tb(error.__traceback__)
    return f"{words} ({frames[-1].filename}:{frames[-1].lineno})" if frames else words


SUGGESTED = 3  #: Names that may be meant.
LISTED = 12  #: Names that are all told, of more only where nothing else tells them.
NEAR = 0.6  #: Of two words that may be the same, as difflib counts.
AS_NEAR = 0.05  #: By so much less than the nearest is another one suggested, too.


def meant(name: str, known: Iterable[str]) -> str:
    """The known names that may be meant, also by a part: "gunicorn-sync or uwsgi"; or ""."""
    likeness = {one: _likeness(name.casefold(), one.casefold()) for one in known}
    least = max(NEAR, max(likeness.values(), default=0.0) - AS_NEAR)
    near = [one for one in likeness if likeness[one] >= least]
    *first, last = sorted(near, key=lambda one: -likeness[one])[:SUGGESTED] or [""]
    return f"{', '.join(first)} or {last}" if first else last


def _likeness(wanted: str, name: str) -> float:
    """Of a word to a name, to its begin or one of its parts: 1 where they are equal."""
    if not wanted:
        return 0.0
    parts = dict.fromkeys(re.split("[-_ ]", name), 0.9) | {name: 1.0, name[: len(wanted)]: 1.0}
    return max(SequenceMatcher(None, one, wanted).ratio() * parts[one] for one in parts)


def choices(name: str, known: Iterable[str], *, seen_by: str = "") -> str:
    """The rest of a sentence that refuses a name: "did you mean uwsgi? There are: gunicorn, …"; of
    many names only those that may be meant, and which command lists all.
    """
    known = list(known)
    near = meant(name, known)
    guess = f"did you mean {near}? " if near else ""
    if len(known) <= LISTED or not (guess or seen_by):
        return f"{guess}{'T' if guess else 't'}here are: {', '.join(known) or 'none'}."
    if not guess:
        guess = f"there are {len(known)}, such as {', '.join(known[:SUGGESTED])}. "
    return f"{guess}{f'{seen_by} lists all' if seen_by else 'There are'} {len(known)}."
