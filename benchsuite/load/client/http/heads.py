"""Heads of answers, each parsed once: those of a load hardly differ."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from benchsuite.core.samples import PROCESSES

PROCESS_HEADER = "x-benchsuite-process"

MAX_KNOWN = 256
MAX_HEAD_BYTES = 256 * 1024
"""Limit for everything but the body: headers, trailers, interim answers."""
END = b"\r\n\r\n"

SIMPLE = re.compile(
    rb"HTTP/1\.1 ([2-5]\d\d) [^\r\n\0]*\r\n(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[^\r\n\0]*\r\n)+\r\n"
)
"""Strictly what RFC 9112 allows; anything else is left to the parser."""

LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,15})[ \t]*(?=\r\n)")
CLOSE = re.compile(rb"\r\nconnection:[ \t]*close[ \t]*\r\n")
BEYOND = re.compile(
    rb"\r\n(?:transfer-encoding|upgrade|trailer):"
    rb"|\r\nconnection:(?![ \t]*(?:keep-alive|close)[ \t]*\r\n)"
)

NO_BODY = (204, 304)


class Head:
    """Status and header fields; the fields are parsed when somebody asks for them."""

    __slots__ = (
        *("_fields", "_media_type", "_process", "_text"),
        *("closing", "length", "plain_for", "status"),
    )

    def __init__(
        self,
        status: int,
        fields: Iterable[tuple[str, str]] = (),
        *,
        text: bytes = b"",
        length: int = 0,
        closing: bool = False,
    ) -> None:
        self.status = status
        self.length = length  #: Bytes of the body.
        self.closing = closing  #: Whether the server closes the connection.
        self.plain_for: str | None = None
        """The run header for which the client knows that this head needs no attention."""
        self._media_type: str | None = None
        self._process: int | None = None
        self._text = text
        self._fields = list(fields)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        if self._text:
            lines = self._text.decode("latin-1").split("\r\n")[1:-2]
            pairs = (line.partition(":") for line in lines)
            self._fields = [(name, value.strip(" \t")) for name, _, value in pairs]
            self._text = b""
        return iter(self._fields)

    @property
    def media_type(self) -> str:
        """The content's type without parameters, such as "text/html"; empty where none is said."""
        if self._media_type is None:
            said = next(iter(self.values("content-type")), "")
            self._media_type = said.partition(";")[0].strip().lower()
        return self._media_type

    @property
    def process(self) -> int:
        """The server's, as samples number it; 0 where none is said."""
        if self._process is None:
            pid = next(iter(self.values(PROCESS_HEADER)), "")
            self._process = int(pid) % PROCESSES + 1 if pid.isdecimal() else 0
        return self._process

    def values(self, name: str) -> list[str]:
        """The values of a header, one for each time it came; its name in lower case."""
        return [value for field, value in self if field.lower() == name]


@lru_cache(MAX_KNOWN)
def simple_head(text: bytes) -> Head | None:
    """The head of a final answer with a length, or None when only the parser can read it."""
    found = SIMPLE.fullmatch(text)
    lower = text.lower()
    lengths = LENGTH.findall(lower)
    if found is None or len(lengths) != 1 or BEYOND.search(lower) is not None:
        return None
    status = int(found[1])
    if status in NO_BODY:
        return None
    closing = CLOSE.search(lower) is not None
    return Head(status, text=text, length=int(lengths[0]), closing=closing)
