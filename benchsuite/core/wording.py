"""A request as bytes: its line, its headers and its body.

Load and prober send the same, so that no server can tell one from the other by what it asks.
"""

from collections.abc import Mapping

from benchsuite.core.paths import quoted
from benchsuite.core.specs import over

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
        """`cookies` is their whole header line; `headers` go over those that all requests have."""
        head = f"{method} {quoted(path)} HTTP/1.1\r\n{self._first_head}{cookies}"
        if method == "POST":
            head += f"Content-Type: {content_type}\r\nContent-Length: {len(body)}\r\n"
        head += _lines(over(self._fixed, headers)) if headers else self._fixed_head
        return head.encode("latin-1") + b"\r\n" + body

    def handshake_headers(self, cookies: str) -> dict[str, str]:
        """What a browser sends with a WebSocket's handshake; Channels looks at the origin."""
        said = {"Cookie": cookies.partition(":")[2].strip()} if cookies else {}
        return {**self._of_handshakes, **said}


def _lines(fields: Mapping[str, str]) -> str:
    for name, value in fields.items():
        if "\r" in name + value or "\n" in name + value:
            raise ValueError(f"the header {name!r} holds a line end")
    return "".join(f"{name}: {value}\r\n" for name, value in fields.items())
