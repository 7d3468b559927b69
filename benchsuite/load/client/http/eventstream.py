"""Server-sent events out of the bytes of a stream, as the HTML standard (9.2.6) reads them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from benchsuite.load.client.http.body import KEPT_BYTES

MEDIA_TYPE = "text/event-stream"
LINE_END = re.compile(rb"\r\n|\n|\r")
BOM = b"\xef\xbb\xbf"


class TooLong(ValueError):
    """An event that never ends."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event."""

    id: str | None  #: None where it says none.
    type: str
    data: str


class Parser:
    """Takes a stream in pieces, cut anywhere."""

    def __init__(self) -> None:
        self._rest = b""  #: The begin of a line.
        self._at_begin = True
        self._id: str | None = None
        self._type = ""
        self._data: list[str] = []
        self._length = 0

    def feed(self, block: bytes) -> Iterator[Event]:
        """The events that end in this piece; raises TooLong."""
        text = self._rest + block
        if self._at_begin and len(text) >= len(BOM):
            text = text.removeprefix(BOM)
            self._at_begin = False
        # a CR may be one half of a line's end
        whole = text[:-1] if text.endswith(b"\r") else text
        *lines, rest = LINE_END.split(whole)
        self._rest = rest + text[len(whole) :]
        self._length += len(block)
        for line in lines:
            if line:
                self._take(line.decode(errors="replace"))
                continue
            if self._data:
                yield Event(self._id, self._type or "message", "\n".join(self._data))
                self._id = None
            self._type, self._data, self._length = "", [], len(rest)
        if self._length > KEPT_BYTES:
            raise TooLong(f"an event is longer than {KEPT_BYTES} bytes")

    def _take(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._type = value
        elif name == "id" and "\0" not in value:
            self._id = value
