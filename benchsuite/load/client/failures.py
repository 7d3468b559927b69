"""Which kind of failure an answer is, and why a target is not measured."""

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from benchsuite.core.exceptions import WANTS_HTTPS, WANTS_USER, StatusError
from benchsuite.core.samples import Kind
from benchsuite.load.client.target import Target

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


def kind_of_responder(
    wanted: str, actual: str | None, *, may_lack: bool
) -> tuple[Kind, str] | None:
    """Kind and words for an answer whose run header, found, is not the wanted one; `may_lack`: an
    answer like this may come from before the application, such as an error of a front.
    """
    if not wanted or actual == wanted or (actual is None and may_lack):
        return None
    return Kind.WRONG_RESPONDER, "answered without the header of this run"


def kind_of_status(status: int, body: bytes) -> tuple[Kind, str]:
    """Kind and words for an answer of 400 and above."""
    if status == 403 and CSRF in body:
        return Kind.CSRF, "status 403: the CSRF check refused it"
    if status == TOO_MANY:
        return Kind.THROTTLED, f"status {status}"
    return Kind.HTTP_STATUS, f"status {status}"


def kind_of_rejected(answer: Any, error: BaseException) -> Kind:
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


SOCKET = "WebSocket"  #: What stands for a method where no request was made but a WebSocket opened.

BODY_BYTES = 60  #: How much of a wrong body is shown.

SIGN_IN = (
    "the page wants a signed-in user; name one with --login=USER, let the workload's prepare() "
    "return a session cookie, or measure a page that needs none"
)

CSRF_TOKEN = (
    "get the page with the form first, and send the value of its cookie csrftoken as "
    "csrfmiddlewaretoken"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The first request of a journey that failed."""

    kind: Kind
    message: str
    method: str
    path: str
    status: int | None = None  #: None when no answer came.
    location: str = ""
    body: bytes = b""

    @property
    def redirects(self) -> bool:
        return self.status is not None and 300 <= self.status < 400 and bool(self.location)

    @property
    def why(self) -> str:
        """The code of why the page refuses who asks; empty where it does something else."""
        if self.redirects and leads_to_log_in(self.location):
            return WANTS_USER
        if self.redirects and self.location.startswith("https:"):
            return WANTS_HTTPS
        refused = self.kind is Kind.HTTP_STATUS and self.method != SOCKET
        return WANTS_USER if refused and self.status in (401, 403) else ""


def refusal_sentence(failure: Failure, target: Target) -> str:
    """What was asked, what came back, and what to do."""
    asked, host = f"{failure.method} {failure.path}", target.place
    if failure.status is None:
        return f"{asked} on {host} failed: {failure.message}; {_advice(failure.kind)}."
    answered = f"{asked} answered {failure.status}"
    if failure.kind is Kind.WRONG_RESPONDER:
        return (
            f"{answered}, but not from the server of this run: another process answers on {host}. "
            "End it, or choose another port."
        )
    if failure.redirects:
        redirected = f"{asked} redirected to {failure.location} (status {failure.status})"
        return f"{redirected}: {_redirect_advice(failure.why, target)}."
    if failure.method == SOCKET and failure.kind is Kind.HTTP_STATUS:
        return (
            f"{asked} was answered with status {failure.status}: "
            f"{_socket_advice(failure.status, target.given)}."
        )
    if failure.kind is Kind.CSRF:
        return f"{answered}: the CSRF check refused it; {CSRF_TOKEN}."
    if failure.kind in (Kind.HTTP_STATUS, Kind.THROTTLED) and failure.status >= 400:
        return f"{answered}: {_status_advice(failure.status, target)}."
    shown = repr(failure.body[:BODY_BYTES])
    begins = "" if shown in failure.message else f"; its body begins with {shown}"
    return f"{answered}, but the journey says: {failure.message}{begins}."


def _advice(kind: Kind) -> str:
    if kind in (Kind.READ_TIMEOUT, Kind.CONNECT_TIMEOUT):
        return "look at the server's log, or give it more time with --timeout"
    if kind is Kind.TLS:
        return "look at the server's certificate, and whether it speaks TLS at that port"
    return "the server's log may say why"


def _sign_in(target: Target) -> str:
    """What helps where who asks is refused, by what was given of him."""
    given = target.given
    if not given:
        return SIGN_IN
    if not target.logged_in:
        return (
            f"the page wants a signed-in user, and was asked {given}; a session of yours is not in "
            "the throw-away database: give --login=USER"
        )
    if target.superuser:
        return (
            f"the page wants something other than rights: it was asked {given}; the server's log "
            "may say what"
        )
    return (
        f"the page wants another user, or more rights: it was asked {given}; give them with "
        "--login=USER:superuser or :staff, or name a user of --fixture, --fill or --fill-from"
    )


def _redirect_advice(why: str, target: Target) -> str:
    if why == WANTS_USER:
        return _sign_in(target)
    if why == WANTS_HTTPS:
        return "runs speak plain HTTP; set SECURE_SSL_REDIRECT = False for them"
    return "ask for that path, or follow it in the journey"


def _socket_advice(status: int, given: str) -> str:
    if status >= 500:
        return "something fails in the server"
    if status == 403:
        who = f"who asks {given}" if given else "where nobody is signed in (--login=USER)"
        return (
            f"the consumer refuses it, as {who}, or an Origin other than the project allows "
            "(OriginValidator), or nothing is routed there"
        )
    return "none is routed there; look at the project's ASGI routing and at the server's log"


def _status_advice(status: int, target: Target) -> str:
    if status == 404:
        return "nothing is there; look at the path and at the project's URLs"
    if status in (401, 403):
        return _sign_in(target)
    if status == 400:
        return "the server's log may say why; ALLOWED_HOSTS is the usual reason"
    if status >= 500:
        return "something fails in the server"
    return "the page does not take this request"
