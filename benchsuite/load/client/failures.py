"""Which kind of failure an answer is, and why a target is not measured."""

import re
from dataclasses import dataclass
from typing import Any

from benchsuite.core.exceptions import WANTS_HTTPS, WANTS_USER, StatusError
from benchsuite.core.samples import Kind
from benchsuite.core.wording import led_to
from benchsuite.load.client.target import Failed, Target

LOG_IN = re.compile(
    r"(?<!\bb)login|(?<![a-z])(?:log[-_]in|sign[-_]?in)(?![a-z])|[?&]next=", re.IGNORECASE
)
"""How addresses of log-in pages look, and not those of a catalog-index or a blog-info; `next` is
where Django's would lead back to."""
TOO_MANY = 429
CSRF = b"CSRF"  #: Stands in Django's refusal in every language.


def leads_to_log_in(location: str) -> bool:
    parts = led_to(location)
    return LOG_IN.search(f"{parts.path}?{parts.query}") is not None


def kind_of_responder(wanted: str, actual: str | None, *, may_lack: bool) -> Failed | None:
    """Kind and words where the run header is not the wanted one; a front's error `may_lack` it."""
    if not wanted or actual == wanted or (actual is None and may_lack):
        return None
    return Kind.WRONG_RESPONDER, "answered without the header of this run"


def kind_of_status(status: int, body: bytes) -> Failed:
    """Kind and words for an answer of 400 and above."""
    if status == 403 and CSRF in body:
        return Kind.CSRF, "status 403: the CSRF check refused it"
    if status == TOO_MANY:
        return Kind.THROTTLED, f"status {status}"
    return Kind.HTTP_STATUS, f"status {status}"


def kind_of_rejected(answer: Any, error: BaseException) -> Kind:
    """Kind of an answer below 400, of any client, that the journey calls wrong; None where no HTTP
    answered. A redirect, also one that was followed, is one whatever the journey says of it.
    """
    locations: list[str] = []
    if answer is not None and 300 <= answer.status_code < 400:
        locations = [str(answer.headers.get("Location") or "")]
    elif answer is not None:
        # one that was followed is what was wrong only if it led to a log-in: others are part of
        # many journeys that go as they should
        locations = [location for location, _ in getattr(answer, "redirect_chain", ())]
        earlier = getattr(answer, "history", ())
        locations += [redirect.headers.get("Location") or "" for redirect in earlier]
        locations = [location for location in locations if leads_to_log_in(location)]
    if any(locations):
        return Kind.LOG_IN if leads_to_log_in(locations[-1]) else Kind.REDIRECTED
    return Kind.HTTP_STATUS if isinstance(error, StatusError) else Kind.WRONG_BODY


NAMES = {
    Kind.CONNECT_REFUSED: "ConnectionRefusedError",
    Kind.CONNECT_TIMEOUT: "ConnectTimeout ConnectTimeoutError",
    Kind.READ_TIMEOUT: "ReadTimeout ReadTimeoutError Timeout TimeoutError",
    Kind.RESET: "BrokenPipeError ConnectionAbortedError ConnectionResetError HTTPConnectionClosed "
    "RemoteDisconnected",
    Kind.TRUNCATED: "ChunkedEncodingError IncompleteRead",
    Kind.PROTOCOL: "BadStatusLine ContentDecodingError HTTPParseError HTTPException InvalidHeader "
    "ProtocolError",
}
"""Kinds by the names of exceptions of other HTTP clients (requests, urllib3, geventhttpclient,
http.client), none of which should be imported to find out."""
KINDS = {name: kind for kind, names in NAMES.items() for name in names.split()}


def kind_of(error: BaseException, *, status: int | None) -> Kind:
    """The kind of a failed request, from its exception and the status of its answer if any came."""
    if status is not None and status >= 400:
        return Kind.HTTP_STATUS
    if status:
        return _kind_by_name(error) or Kind.WRONG_BODY
    seen: BaseException | None = error
    while seen is not None:
        if (kind := _kind_by_name(seen)) is not None:
            return kind
        # geventhttpclient's agent keeps what it met in `original`
        seen = getattr(seen, "original", None) or seen.__cause__ or seen.__context__
    return Kind.OTHER


def _kind_by_name(error: BaseException) -> Kind | None:
    if str(error) == "Incomplete response.":  # the C parser's word for an end in the middle
        return Kind.TRUNCATED
    names = (cls.__name__ for cls in type(error).__mro__)
    return next((KINDS[name] for name in names if name in KINDS), None)


SOCKET = "WebSocket"  #: What stands for a method where no request was made but a WebSocket opened.
BODY_BYTES = 60  #: How much of a wrong body is shown.

STATUS_ADVICE = {
    404: "nothing is there; look at the path and at the project's URLs",
    400: "the server's log may say why; ALLOWED_HOSTS is the usual reason",
}


@dataclass(frozen=True, slots=True)
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
        advice = "the server's log may say why"
        if failure.kind in (Kind.READ_TIMEOUT, Kind.CONNECT_TIMEOUT):
            advice = "look at the server's log, or give it more time with --timeout"
        elif failure.kind in (Kind.CORRUPT, Kind.LOST):
            advice = "for answers that differ, write a journey of your own (docs/extending.md)"
        elif failure.kind is Kind.TLS:
            advice = "look at the server's certificate, and whether it speaks TLS at that port"
        return f"{asked} on {host} failed: {failure.message}; {advice}."
    answered = f"{asked} answered {failure.status}"
    if failure.kind is Kind.WRONG_RESPONDER and not target.job.starts:
        return (
            f"{answered} without the token that {host} sent back before: a cache, or an instance "
            "without benchsuite.target.middleware.run_middleware, answers, too."
        )
    if failure.kind is Kind.WRONG_RESPONDER:
        return (
            f"{answered}, but not from the server of this run: another process answers on {host}. "
            "End it, or choose another port."
        )
    advice = "something fails in the server" if failure.status >= 500 else ""
    if failure.redirects:
        advice = "ask for that path, or follow it in the journey"
        if failure.why == WANTS_USER:
            advice = _sign_in(target)
        elif not target.job.starts and led_to(failure.location).netloc:
            advice = "name that address by --target if you may load it"
        elif failure.why == WANTS_HTTPS:
            advice = "runs speak plain HTTP; set SECURE_SSL_REDIRECT = False for them"
        return f"{asked} redirected to {failure.location} (status {failure.status}): {advice}."
    if failure.method == SOCKET and failure.kind is Kind.HTTP_STATUS:
        advice = advice or (
            "nothing is routed there (look at the project's ASGI routing), or it refuses who asks "
            f"{target.job.signed_in or 'without a session (--login=USER)'}, or this Origin"
        )
        return f"{asked} was answered with status {failure.status}: {advice}."
    if failure.kind is Kind.CSRF:
        return (
            f"{answered}: the CSRF check refused it; get the page with the form first, and send "
            "the value of its hidden field csrfmiddlewaretoken."
        )
    if failure.kind in (Kind.HTTP_STATUS, Kind.THROTTLED) and failure.status >= 400:
        if failure.status in (401, 403):
            advice = _sign_in(target)
            if failure.status == 401:
                advice += "; a token is sent by --header, with the name Authorization"
        advice = advice or STATUS_ADVICE.get(failure.status, "the page does not take this request")
        return f"{answered}: {advice}."
    shown = repr(failure.body[:BODY_BYTES])
    begins = "" if shown in failure.message else f"; its body begins with {shown}"
    return f"{answered}, but the journey says: {failure.message}{begins}."


def _sign_in(target: Target) -> str:
    """What helps where who asks is refused."""
    if not target.job.starts:
        return (
            "the page wants a signed-in user, or one with more rights; give the cookie of a "
            "session: --cookie sessionid=…"
        )
    if not target.job.signed_in:
        return (
            "the page wants a signed-in user; name one with --login=USER, let the workload's "
            "prepare() return a session cookie, or measure a page that needs none"
        )
    return (
        f"the page wants another user, or more rights: it was asked {target.job.signed_in}; give "
        "them with --login=USER:superuser or :staff, or name a user of --fixture, --fill or "
        "--fill-from"
    )
