"""Which kind of failure an answer is: what came may tell more than that it was wrong."""

import re
from typing import Any
from urllib.parse import urlsplit

from benchsuite.core.exceptions import StatusError
from benchsuite.core.samples import Kind

LOG_IN = re.compile(
    r"(?<!\bb)login|(?<![a-z])(?:log[-_]in|sign[-_]?in)(?![a-z])|[?&]next=", re.IGNORECASE
)
"""How addresses of log-in pages look, and not those of a catalog-index or a blog-info; `next` is
where Django's would lead back to."""

TOO_MANY = 429
CSRF = b"CSRF"  #: Stands in Django's refusal in every language.


def leads_to_log_in(location: str) -> bool:
    parts = urlsplit(location)
    return LOG_IN.search(f"{parts.path}?{parts.query}") is not None


def of_responder(wanted: str, found: str | None, *, may_lack: bool) -> tuple[Kind, str] | None:
    """Kind and words for an answer whose run header, found, is not the wanted one; `may_lack`: an
    answer like this may come from before the application, such as an error of a front.
    """
    if not wanted or found == wanted or (found is None and may_lack):
        return None
    return Kind.WRONG_RESPONDER, "answered without the header of this run"


def of_status(status: int, body: bytes) -> tuple[Kind, str]:
    """Kind and words for an answer of 400 and above."""
    if status == 403 and CSRF in body:
        return Kind.CSRF, "status 403: the CSRF check refused it"
    if status == TOO_MANY:
        return Kind.THROTTLED, f"status {status}"
    return Kind.HTTP_STATUS, f"status {status}"


def of_rejected(answer: Any, error: BaseException) -> Kind:
    """Kind of an answer below 400 that the journey calls wrong.

    A redirect, also one that was followed, is one whatever the journey says of it. The answer may
    be that of another client; None where no HTTP answered.
    """
    for location in _redirects(answer):
        return Kind.LOG_IN if leads_to_log_in(location) else Kind.REDIRECTED
    return Kind.HTTP_STATUS if isinstance(error, StatusError) else Kind.WRONG_BODY


def _redirects(answer: Any) -> list[str]:
    """Where the answer leads, or where those led that were followed to it; the last one first.

    A redirect that was followed is what was wrong only if it led to a log-in: others are part of
    many journeys that go as they should.
    """
    if answer is None:
        return []
    if 300 <= answer.status_code < 400:
        location = answer.headers.get("Location")
        return [str(location)] if location else []
    followed = [location for location, _ in getattr(answer, "redirect_chain", ())]
    followed += [one.headers.get("Location") or "" for one in getattr(answer, "history", ())]
    return [location for location in reversed(followed) if leads_to_log_in(location)]
