"""An answer: its head, parsed once; its body, counted to its end; what a journey may look at."""

import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any

import brotli
from urllib3 import HTTPHeaderDict

from benchsuite.core.exceptions import AnswerError
from benchsuite.core.samples import PROCESSES

PROCESS_HEADER = "x-benchsuite-process"
MAX_KNOWN = 256
MAX_HEAD_BYTES = 256 * 1024  #: For everything but the body.
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
        self.plain_for: str | None = None  #: The run header that needs no look at this head.
        self._text = text
        self._fields = list(fields)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        if self._text:
            lines = self._text.decode("latin-1").split("\r\n")[1:-2]
            pairs = (line.partition(":") for line in lines)
            self._fields = [(name, value.strip(" \t")) for name, _, value in pairs]
            self._text = b""
        return iter(self._fields)

    @cached_property
    def media_type(self) -> str:
        """The content's type without parameters, such as "text/html"; empty where none is said."""
        return next(iter(self.values("content-type")), "").partition(";")[0].strip().lower()

    @cached_property
    def process(self) -> int:
        """The server's, as samples number it; 0 where none is said."""
        pid = next(iter(self.values(PROCESS_HEADER)), "")
        return int(pid) % PROCESSES + 1 if pid.isdecimal() else 0

    def values(self, name: str) -> list[str]:
        """The values of a header, one for each time it came; its name in lower case."""
        return [value for field, value in self if field.lower() == name]


@lru_cache(MAX_KNOWN)
def simple_head(text: bytes) -> Head | None:
    """The head of a final answer with a length, or None when only the parser can read it."""
    match = SIMPLE.fullmatch(text)
    lower = text.lower()
    lengths = LENGTH.findall(lower)
    if match is None or len(lengths) != 1 or BEYOND.search(lower) is not None:
        return None
    status = int(match[1])
    if status in NO_BODY:
        return None
    return Head(status, text=text, length=int(lengths[0]), closing=CLOSE.search(lower) is not None)


KEPT_BYTES = 16 * 1024 * 1024  #: Kept of each body: a download is measured without being held.
FRAMED = 8  #: Bytes that a byte of a body may cost on the wire: a chunk of one byte takes six.


class Body:
    """Grows block by block."""

    def __init__(self, first: bytes = b"") -> None:
        self.length = len(first)  #: Bytes that came, kept or not.
        self._blocks = [first]

    def add(self, block: bytes) -> None:
        if self.length < KEPT_BYTES:
            self._blocks.append(block[: KEPT_BYTES - self.length])
        self.length += len(block)

    def kept(self) -> bytes:
        """The body, or how it begins."""
        return self._blocks[0] if len(self._blocks) == 1 else b"".join(self._blocks)


class NotDecoded(ValueError):
    """A body is not what its Content-Encoding says, or nobody here can tell."""


def codings_of(values: Iterable[str]) -> list[str]:
    """The names in Content-Encoding headers, in the order in which they were applied."""
    names = [name.strip().lower() for value in values for name in value.split(",")]
    return [name for name in names if name not in ("", "identity")]


def decoded(content: bytes, codings: Iterable[str], *, whole: bool) -> bytes:
    """The body as the view wrote it, or how it begins; `whole`: it was kept to its end."""
    for coding in reversed([*codings] if content else []):
        if (decode := DECODERS.get(coding)) is None:
            raise NotDecoded(
                f"the body has the Content-Encoding {coding!r}, which can't be undone here; known "
                f"are {', '.join(DECODERS)}: leave it out of the request's Accept-Encoding"
            )
        try:
            content, ended = decode(content)
        except (zlib.error, brotli.error) as error:
            raise NotDecoded(f"the body is not {coding}, as it says: {error}") from None
        if whole and not ended and len(content) < KEPT_BYTES:
            raise NotDecoded(f"the body does not end with its {coding}")
        whole = whole and ended
    return content


def _inflate(content: bytes) -> tuple[bytes, bool]:
    """What it holds, in all members of gzip, and whether it ends there."""
    plain = b""
    for _ in range(1000):  # members, each of which copies what follows
        stream = zlib.decompressobj(32 + zlib.MAX_WBITS)  # with the header of gzip or of zlib
        plain += stream.decompress(content, KEPT_BYTES - len(plain))
        content = stream.unused_data
        if content[:2] != b"\x1f\x8b" or len(plain) >= KEPT_BYTES:
            break
    return plain, stream.eof and not content


def _unbrotli(content: bytes) -> tuple[bytes, bool]:
    stream = brotli.Decompressor()
    parts = [stream.process(content, output_buffer_limit=KEPT_BYTES)]
    while not stream.is_finished() and sum(map(len, parts)) < KEPT_BYTES and parts[-1]:
        parts.append(stream.process(b"", output_buffer_limit=KEPT_BYTES))
    return b"".join(parts), stream.is_finished()


DECODERS: dict[str, Callable[[bytes], tuple[bytes, bool]]] = {
    "gzip": _inflate,
    "deflate": _inflate,
    "br": _unbrotli,
}


SHOWN_BYTES = 60


class Response:
    """Has the attributes of `django.http.HttpResponse` that a journey may use."""

    def __init__(
        self, path: str, status_code: int, content: bytes, head: Head, *, method: str = "GET"
    ) -> None:
        self.method = method
        self.path = path  #: What was asked for, with its query.
        self.status_code = status_code
        self.content = content
        self.redirect_chain: list[tuple[str, int]] = []  #: Followed: (location, status).
        self._head = head

    @cached_property
    def headers(self) -> Mapping[str, str]:
        """Names in any case; a header that came twice is joined by a comma."""
        return HTTPHeaderDict(self._head)

    @property
    def media_type(self) -> str:
        return self._head.media_type

    @property
    def text(self) -> str:
        return self.content.decode(errors="replace")

    def json(self) -> Any:
        """The decoded body; raises AnswerError when it is no JSON."""
        try:
            return json.loads(self.content)
        except ValueError:
            raise AnswerError(f"expected JSON, and got {self.content[:SHOWN_BYTES]!r}") from None
