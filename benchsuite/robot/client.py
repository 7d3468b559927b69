"""A blocking client for one person, made of the standard library, with cookies."""

import http.client
import ipaddress
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Self
from urllib.parse import urlsplit

from benchsuite.core.exceptions import AnswerError, UsageError

MAX_BYTES = 20_000_000  #: A longer page is not a form.


@dataclass(frozen=True, slots=True)
class Reply:
    """What a journey may use of a response."""

    status_code: int
    content: bytes
    headers: http.client.HTTPMessage  #: Names in any case.

    def json(self) -> Any:
        raise AnswerError("the robot reads pages, not JSON")


class BlockingClient:
    """Connects to one host and keeps the connection and its cookies; a context manager."""

    def __init__(self, url: str, *, timeout_s: float = 30.0) -> None:
        parts = urlsplit(url)
        host = parts.hostname or ""
        kind = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._timeout_s = timeout_s
        self._connection = kind(host, parts.port, timeout=timeout_s)
        self._used = False
        local = DefaultCookiePolicy(secure_protocols=("https", "http"))
        self._cookies = CookieJar(local)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._connection.close()

    def get(self, path: str, *, name: str = "", headers: Mapping[str, str] | None = None) -> Reply:
        return self._ask("GET", path, None, dict(headers or {}))

    def post(
        self,
        path: str,
        data: bytes = b"",
        content_type: str = "application/x-www-form-urlencoded",
        *,
        name: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        return self._ask("POST", path, data, {**(headers or {}), "Content-Type": content_type})

    def _ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Reply:
        asked = urllib.request.Request(self._origin + path, method=method)
        self._cookies.add_cookie_header(asked)
        headers |= {"User-Agent": "benchsuite robot", "Accept": "text/html,*/*", **asked.headers}
        headers |= dict(asked.unredirected_hdrs)
        response = self._response(method, path, body, headers)
        self._cookies.extract_cookies(response, asked)
        try:
            content = response.read(MAX_BYTES + 1)
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise AnswerError(f"the answer broke off: {error or type(error).__name__}") from error
        if len(content) > MAX_BYTES:
            self._connection.close()
            raise AnswerError(f"the page is longer than {MAX_BYTES // 1_000_000} MB")
        return Reply(response.status, content, response.headers)

    def _response(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> http.client.HTTPResponse:
        """Replaces an idle connection that the server has closed; a POST is sent only once."""
        reused, self._used = self._used, True
        try:
            if reused and method == "POST":  # it must not turn out to be closed: use a new one
                self._connection.close()
            return self._once(method, path, body, headers)
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError) as error:
            self._connection.close()
            if not reused or method == "POST":
                raise AnswerError("the connection was closed before the answer") from error
        except TimeoutError as error:
            self._connection.close()
            raise AnswerError(f"no answer within {self._timeout_s:g} s") from error
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise AnswerError(f"no answer: {error or type(error).__name__}") from error
        self._used = False
        return self._response(method, path, body, headers)

    def _once(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> http.client.HTTPResponse:
        self._connection.request(method, path, body, headers)
        return self._connection.getresponse()


def checked_url(url: str, *, confirmed: str = "") -> None:
    """Raises UsageError for an invalid URL, and for a host that is neither this machine nor
    `confirmed`.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme not in ("http", "https") or not host:
        raise UsageError(
            f"{url!r} is not the URL of a page; write it in full: http://127.0.0.1:8000/survey/"
        )
    try:
        _ = parts.port
    except ValueError as error:
        raise UsageError(f"{url!r} has an invalid port: {error}.") from error
    try:
        here = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        here = False
    if not here and confirmed != host:
        raise UsageError(
            f"{host} is not this machine, and a robot sends made-up data; if the host is yours, "
            f"confirm it with --yes-this-host {host}"
        )
