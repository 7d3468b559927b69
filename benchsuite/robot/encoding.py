"""Encodes answers as a browser would, and detects the charset of pages."""

import codecs
import re
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


UTF8 = "utf-8"
MARKS = ((codecs.BOM_UTF8, UTF8), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
DECLARED = re.compile(rb"<meta[^>]{1,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.I)
IN_HEADER = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.I)
MEANT = {"iso8859-1": "cp1252", "ascii": "cp1252", "iso8859-9": "cp1254", "gb2312": "gbk"}
"""Charsets that browsers use instead, because they are meant."""


def charset(content: bytes, content_type: str) -> str:
    """A page's charset: from its byte order mark, header or meta element, or UTF-8."""
    for mark, name in MARKS:
        if content.startswith(mark):
            return name
    if found := IN_HEADER.search(content_type):
        return known_charset(found[1]) or UTF8
    if declared := DECLARED.search(content, 0, 2048):
        name = known_charset(declared[1].decode("ascii", "replace"))
        return UTF8 if not name or name.startswith("utf-16") else name
    return UTF8


def known_charset(name: str) -> str:
    """Python's name of a charset; empty if unknown."""
    try:
        found = codecs.lookup(name.strip()).name
        "".encode(found)  # some codecs convert bytes to bytes
    except (LookupError, ValueError):
        return ""
    return MEANT.get(found, found)


def query(pairs: Pairs, charset: str = UTF8) -> str:
    """Characters that the charset lacks are sent as numbers (&#8364;), as by browsers."""
    return urlencode([(_in(name, charset), _in(_plain(value), charset)) for name, value in pairs])


def body(pairs: Pairs, enctype: str, charset: str = UTF8) -> tuple[bytes, str]:
    """The body and its content type; in other forms than multipart a file is only its name."""
    if enctype == "text/plain":
        text = "".join(f"{name}={_plain(value)}\r\n" for name, value in pairs)
        return _in(text, charset), enctype
    if enctype != MULTIPART:
        return query(pairs, charset).encode(), URLENCODED
    parts = [_part(name, value, charset) for name, value in pairs]
    boundary = "benchsuite-robot-0"
    number = 0
    while any(boundary.encode() in part for part in parts):
        number += 1
        boundary = f"benchsuite-robot-{number}"
    mark = f"--{boundary}".encode()
    lines = [piece for part in parts for piece in (mark, part)]
    content = b"\r\n".join([*lines, mark + b"--", b""])
    return content, f"{MULTIPART}; boundary={boundary}"


def _part(name: str, value: Value, charset: str) -> bytes:
    head = f'Content-Disposition: form-data; name="{_quoted(name)}"'
    if isinstance(value, Upload):
        head += f'; filename="{_quoted(value.name)}"\r\nContent-Type: {value.content_type}'
        return _in(head, charset) + b"\r\n\r\n" + value.content
    return _in(head, charset) + b"\r\n\r\n" + _in(_lines(value), charset)


def _in(text: str, charset: str) -> bytes:
    return text.encode(charset if not charset.startswith("utf-16") else UTF8, "xmlcharrefreplace")


def _quoted(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _plain(value: Value) -> str:
    return value.name if isinstance(value, Upload) else _lines(value)


def _lines(text: str) -> str:
    """Line ends as a browser sends them."""
    return text.replace("\r\n", "\n").replace("\n", "\r\n")
