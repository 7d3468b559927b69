"""Answers as the bytes that a browser would send."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

URLENCODED = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"


@dataclass(frozen=True, slots=True)
class Upload:
    name: str
    content: bytes
    content_type: str

    def __str__(self) -> str:
        return f"{self.name} ({len(self.content)} bytes)"


Value = str | Upload
Pairs = Sequence[tuple[str, Value]]


def query(pairs: Pairs) -> str:
    return urlencode([(name, _plain(value)) for name, value in pairs])


def body(pairs: Pairs, enctype: str) -> tuple[bytes, str]:
    """The body and its content type; in a form that is not multipart a file is its name."""
    if enctype != MULTIPART:
        return query(pairs).encode(), URLENCODED
    parts = [_part(name, value) for name, value in pairs]
    boundary = "benchsuite-robot-0"
    number = 0
    while any(boundary.encode() in part for part in parts):
        number += 1
        boundary = f"benchsuite-robot-{number}"
    mark = f"--{boundary}".encode()
    lines = [piece for part in parts for piece in (mark, part)]
    content = b"\r\n".join([*lines, mark + b"--", b""])
    return content, f"{MULTIPART}; boundary={boundary}"


def _part(name: str, value: Value) -> bytes:
    head = f'Content-Disposition: form-data; name="{_quoted(name)}"'
    if isinstance(value, Upload):
        head += f'; filename="{_quoted(value.name)}"\r\nContent-Type: {value.content_type}'
        return head.encode() + b"\r\n\r\n" + value.content
    return head.encode() + b"\r\n\r\n" + _lines(value).encode()


def _quoted(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _plain(value: Value) -> str:
    return value.name if isinstance(value, Upload) else _lines(value)


def _lines(text: str) -> str:
    """Line ends as a browser sends them."""
    return text.replace("\r\n", "\n").replace("\n", "\r\n")
