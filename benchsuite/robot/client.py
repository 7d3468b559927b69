"""What is sent, as a browser would encode it, and a blocking client of the standard library."""

import http.client
from collections.abc import Mapping
from http.cookiejar import CookieJar, DefaultCookiePolicy
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPCookieProcessor, HTTPHandler, HTTPSHandler, OpenerDirector, Request

from urllib3.filepost import encode_multipart_formdata

from benchsuite.core.exceptions import AnswerError
from benchsuite.robot.forms import Pairs, Upload, Value

MAX_BYTES = 20_000_000  #: A longer page is not a form.


def query(pairs: Pairs, charset: str = "utf-8") -> str:
    """Characters that the charset lacks are sent as numbers (&#8364;), as by browsers."""
    return urlencode([(_sent(name, charset), _sent(value, charset)) for name, value in pairs])


def body(pairs: Pairs, enctype: str, charset: str = "utf-8") -> tuple[bytes, str]:
    """The body and its content type; in other forms than multipart a file is only its name."""
    if enctype != "multipart/form-data":
        return query(pairs, charset).encode(), "application/x-www-form-urlencoded"
    parts: list[tuple[str, Any]] = [
        (name, (value.name, value.content, value.content_type))
        if isinstance(value, Upload)
        else (name, _sent(value, charset))
        for name, value in pairs
    ]
    return encode_multipart_formdata(parts)


def _sent(value: Value, charset: str) -> bytes:
    text = value.name if isinstance(value, Upload) else value
    text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    return text.encode(charset, "xmlcharrefreplace")


class Reply(NamedTuple):
    """What a journey may use of a response."""

    status_code: int
    content: bytes
    headers: http.client.HTTPMessage  #: Names in any case.


def _whole(response: http.client.HTTPResponse, until: float) -> bytes:
    """Its body, cut above `MAX_BYTES`; TimeoutError, or IncompleteRead where it ends early."""
    content, promised = bytearray(), response.length or 0
    while len(content) <= MAX_BYTES and (piece := response.read1(65_536)):
        content += piece
        if monotonic() > until:
            raise TimeoutError
    if len(content) < min(promised, MAX_BYTES + 1):
        raise http.client.IncompleteRead(bytes(content), promised - len(content))
    return bytes(content)


class BlockingClient:
    """One person's requests to one host, with cookies."""

    def __init__(self, url: str, *, timeout_s: float = 30.0) -> None:
        parts = urlsplit(url)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._timeout_s = timeout_s
        policy = DefaultCookiePolicy(secure_protocols=("https", "http"))
        # Nothing follows redirects or raises errors: both are pages, too.
        self._opener = OpenerDirector()
        for handler in (HTTPHandler(), HTTPSHandler(), HTTPCookieProcessor(CookieJar(policy))):
            self._opener.add_handler(handler)

    def get(self, path: str, *, headers: Mapping[str, str] | None = None) -> Reply:
        return self._ask(path, None, headers or {})

    def post(
        self, path: str, data: bytes, content_type: str, *, headers: Mapping[str, str] | None = None
    ) -> Reply:
        return self._ask(path, data, {**(headers or {}), "Content-Type": content_type})

    def _ask(self, path: str, data: bytes | None, headers: Mapping[str, str]) -> Reply:
        own = {"User-Agent": "benchsuite robot", "Accept": "text/html,*/*"}
        request = Request(self._origin + path, data, {**headers, **own})
        failure, until = "no answer", monotonic() + self._timeout_s
        try:
            with self._opener.open(request, timeout=self._timeout_s) as response:
                failure = "the answer broke off"
                content = _whole(response, until)
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise AnswerError(f"no answer within {self._timeout_s:g} s") from error
            raise AnswerError(f"{failure}: {reason or type(reason).__name__}") from error
        if len(content) > MAX_BYTES:
            raise AnswerError(f"the page is longer than {MAX_BYTES // 1_000_000} MB")
        return Reply(response.status, content, response.headers)
