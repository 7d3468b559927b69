"""Why requests failed: the errors that the server met beside what its clients saw of them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchsuite.isolation.served.errors import DENIED, NOT_ROUTED, SOCKET, Error
from benchsuite.load.job import WANTS_USER
from benchsuite.load.parent.spool import NameEntry

ADVICE = {
    "Missing staticfiles manifest entry": "--static=collect collects them anew for the run",
}
"""What helps, by what an error says."""

OF_DATA = (404, 410, 500)  #: Failures that a page may answer because of what it finds stored.
EMPTY = (
    "the database holds no rows but those that `migrate` makes, so lists are empty (--fixture, "
    "--fill or --fill-from=mine fill it)"
)

ERROR = re.compile(r"\bGET (/\S*) answered ([45]\d\d)\b")
STATUS = re.compile(r"\b(?:status|answered(?: with status)?) (\d{3})\b")


def reason(message: str, errors: Sequence[Error]) -> str | None:
    """What is behind an answer that a message tells of: of this page if possible, else the first
    with this status.
    """
    found = STATUS.search(message)
    if found is None:
        return None
    alike = [one for one in errors if one.status == int(found[1])]
    if not alike:
        return None
    here = (one for one in alike if re.search(rf"{re.escape(one.asked)}(?=[ ?:]|$)", message))
    words = next(here, alike[0]).words
    return "; ".join([words, *(advice for sign, advice in ADVICE.items() if sign in words)])


def about_the_data(message: str, cause: str, *, empty: bool, filled: Sequence[str]) -> str:
    """What the database held, where that may be why an answer was not the right one; nothing where
    who asks was refused, or where nothing is routed.
    """
    answered = STATUS.search(message)
    if answered is None or WANTS_USER in message or NOT_ROUTED in cause:
        return ""
    status = int(answered[1])
    if (status >= 400 and status not in OF_DATA) or "redirected to https:" in message:
        return ""
    if empty:
        return f"{'Likely cause' if status < 500 else 'Beside that'}: {EMPTY}."
    return f"The database holds what `migrate` makes, and: {', '.join(filled)}." if filled else ""


def asked_again(message: str, ask: Callable[..., Mapping[str, Any] | None], *, debug: bool) -> str:
    """What shows when a page that answered an error is asked once more: whether it does so with the
    project's own DEBUG, where that is on, and who answered where no view ran.
    """
    found = ERROR.search(message)
    seen = ask(found[1], debug=False) if found else None
    if found is None or seen is None or seen["status"] != int(found[2]):
        return ""
    if debug and (own := ask(found[1], debug=True)) and own["status"] < 400:
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
            examples={
                kind: _explained(entry.name, text, errors) for kind, text in entry.examples.items()
            },
        )
        for entry in names
    ]


def _explained(name: str, text: str, errors: Sequence[Error]) -> str:
    found = reason(f"{name}: {text}", errors) or reason(text, errors)
    return text if found is None or found in text else f"{text}: {found}"
