"""What a journey may ask, and how its requests are sent, by load and prober alike, to the byte."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Protocol
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs.visitor import over


class Response(Protocol):
    """What a journey may use of a response; `django.http.HttpResponse` has all of it."""

    status_code: int
    content: bytes

    @property
    def headers(self) -> Mapping[str, str]: ...

    def json(self) -> Any: ...


class Client(Protocol):
    """What a journey may do; `django.test.Client` can do all of it.

    `name` groups requests in the results ("/polls/[id]/"); the default is the path. A journey may
    set the attribute `journey_name`, its own name in the results. The load's client (`load.client`)
    speaks WebSocket, too.
    """

    def get(self, path: str, *, name: str = ..., headers: Any = ...) -> Any: ...

    def post(
        self,
        path: str,
        data: Any = ...,
        content_type: str = ...,
        *,
        name: str = ...,
        headers: Any = ...,
    ) -> Any: ...


LEFT_ALONE = "!$%&'()*+,/:;=?@[]~"  #: `%` because a path may already be quoted.
PORTS = {"http": 80, "https": 443}


@lru_cache(1024)
def quoted(path: str) -> str:
    """A path with its query as browsers send it, `/ü b` → `/%C3%BC%20b`; UsageError for no path."""
    if not path.startswith("/"):
        raise UsageError(f"The path {path!r} must begin with one slash and hold no host: /shop/.")
    if "#" in path:
        raise UsageError(
            f"The path {path!r} has a fragment, which browsers never send; remove it from the # on "
            "(write a # that belongs to the path as %23)."
        )
    if any(ord(one) < 32 or ord(one) == 127 for one in path):
        raise UsageError(
            f"The path {path!r} contains a control character; remove it, or percent-encode it: %0A "
            "for a newline."
        )
    return _quoted(path)


def check_written(path: str) -> None:
    """Raises UsageError for what can't be meant as a path, such as `//host/shop/`."""
    if path.startswith("//"):
        raise UsageError(f"The path {path!r} must begin with one slash and hold no host: /shop/.")
    quoted(path)


def led_to(reference: str, base: str = "") -> SplitResult:
    """Where a reference leads, as browsers write it; http://[name]/ is no address: to nowhere."""
    try:
        url = urlsplit(urljoin(base, reference))
    except ValueError:
        return urlsplit("")
    return url._replace(netloc=url.netloc.lower().removesuffix(f":{PORTS.get(url.scheme)}"))


def path_of(url: SplitResult) -> str:
    """Path and query that a browser requests when redirected to this URL; `//x` is one."""
    path = url.path or "/"
    return _quoted(f"{path}?{url.query}" if url.query else path)


def _quoted(path: str) -> str:
    # what came from a shell and is not UTF-8 is sent as the same bytes
    return quote(path, LEFT_ALONE, errors="surrogateescape")


USER_AGENT = "benchsuite"


class Wording:
    """Writes requests for one target."""

    def __init__(self, base_url: str, headers: Mapping[str, str], *, keep_alive: bool) -> None:
        """`base_url` is that which the Host header names."""
        self._fixed = over({"User-Agent": USER_AGENT, "Accept": "*/*"}, headers)
        """Headers of every request, beside those that depend on it."""
        self._fixed_head = _lines(self._fixed)
        self._first_head = f"Host: {base_url.partition('://')[2]}\r\n"
        if not keep_alive:
            self._first_head += "Connection: close\r\n"
        self._of_handshakes = over({"User-Agent": USER_AGENT, "Origin": base_url}, headers)

    def message(
        self,
        method: str,
        path: str,
        cookies: str = "",
        body: bytes = b"",
        content_type: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """`cookies` is their whole header line; `headers` go over all others."""
        head = f"{self._first_head}{cookies}"
        if method == "POST":
            head += f"Content-Type: {content_type}\r\nContent-Length: {len(body)}\r\n"
        own = dict(line.split(": ", 1) for line in head.split("\r\n")[:-1]) if headers else {}
        head = _lines(over({**own, **self._fixed}, headers)) if headers else head + self._fixed_head
        return f"{method} {quoted(path)} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + body

    def handshake_headers(self, cookies: str) -> dict[str, str]:
        """What a browser sends with a WebSocket's handshake; Channels looks at the origin."""
        headers = {"Cookie": cookies.partition(":")[2].strip()} if cookies else {}
        return {**self._of_handshakes, **headers}


def _lines(fields: Mapping[str, str]) -> str:
    for name, value in fields.items():
        if "\r" in name + value or "\n" in name + value:
            raise ValueError(f"the header {name!r} holds a line end")
    return "".join(f"{name}: {value}\r\n" for name, value in fields.items())
