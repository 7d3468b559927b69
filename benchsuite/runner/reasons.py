"""Why requests failed: the errors that the server met beside what its clients saw of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchsuite.core.exceptions import AnswerError
from benchsuite.core.samples import Kind
from benchsuite.isolation.served.errors import DENIED, SOCKET, Error
from benchsuite.load.parent.driver import NameEntry

ADVICE = {
    "Missing staticfiles manifest entry": "--static=collect collects them anew for the run",
}
"""What helps, by what an error says."""

OF_DATA = (404, 410, 500)  #: Failures that a page may answer because of what it finds stored.
EMPTY = (
    "the database holds no rows but those that `migrate` makes, so lists are empty (--fixture, "
    "--fill or --fill-from=mine fill it)"
)


def error_behind(asked: str, status: int | None, errors: Sequence[Error]) -> Error | None:
    """What is behind an answer with this status: of this page if possible, else the first alike."""
    alike = [one for one in errors if one.status == status is not None]
    here = (one for one in alike if one.asked == asked.partition("?")[0])
    return next(here, alike[0]) if alike else None


def reason(error: Error) -> str:
    """The error in words, and what helps."""
    advice = [advice for sign, advice in ADVICE.items() if sign in error.message]
    return "; ".join([error.words, *advice])


def about_the_data(answer: AnswerError, *, routed: bool, empty: bool, filled: Sequence[str]) -> str:
    """What the database held, where that may be why an answer was not the right one; nothing where
    who asks was refused, or where nothing is routed.
    """
    status = answer.status
    if status is None or answer.why or not routed:
        return ""
    if status >= 400 and status not in OF_DATA:
        return ""
    if empty:
        return f"{'Likely cause' if status < 500 else 'Beside that'}: {EMPTY}."
    return f"The database holds what `migrate` makes, and: {', '.join(filled)}." if filled else ""


def asked_again(
    answer: AnswerError, ask: Callable[..., Mapping[str, Any] | None], *, debug: bool
) -> str:
    """What shows when a page that answered an error is asked once more: whether it does so with the
    project's own DEBUG, where that is on, and who answered where no view ran.
    """
    if answer.method != "GET" or (answer.status or 0) < 400:
        return ""
    seen = ask(answer.path, debug=False)
    if seen is None or seen["status"] != answer.status:
        return ""
    if debug and (own := ask(answer.path, debug=True)) and own["status"] < 400:
        return (
            f"With DEBUG = True, as your settings have it, the same page answers {own['status']}; "
            "runs switch DEBUG off: name settings for production in BENCHSUITE['TARGET_SETTINGS'], "
            "or keep it with --setting=DEBUG=True."
        )
    if seen["viewed"] or seen["status"] == 404:
        return ""
    again = f" (Retry-After: {seen['retry_after']})" if seen["retry_after"] else ""
    return f"The view did not run: {seen['maker']} answered before it{again}."


def of_sockets(errors: Sequence[Error]) -> list[str]:
    """What escaped from consumers; a refused handshake is told with its status."""
    return [
        one.words for one in errors if one.asked.startswith(f"{SOCKET} ") and one.status != DENIED
    ]


def explained(names: Sequence[NameEntry], errors: Sequence[Error]) -> list[NameEntry]:
    """The same names; an example of a failure by its status says the error, too."""
    if not errors:
        return list(names)
    return [
        replace(
            entry,
            examples={kind: _explained(entry, kind, errors) for kind in entry.examples},
        )
        for entry in names
    ]


def _explained(entry: NameEntry, kind: Kind, errors: Sequence[Error]) -> str:
    status, asked = entry.answers.get(kind, (None, ""))
    behind = error_behind(asked, status, errors)
    return ": ".join([entry.examples[kind], *([reason(behind)] if behind else [])])
