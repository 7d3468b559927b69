"""How one request is written down while it is being measured: 40 bytes, no formatting.

The load process packs samples with `RECORD`; the parent reads them back as an array of `FIELDS`.
All three times are CLOCK_MONOTONIC seconds, so they compare across processes of one machine.
"""

import struct
from enum import IntEnum

RECORD = struct.Struct("<HHIQddd")
"""name index, kind, user number, body bytes, intended_start, start, finish."""

FIELDS = (
    ("name", "<u2"),
    ("kind", "<u2"),
    ("user", "<u4"),
    ("body_bytes", "<u8"),
    ("intended_start", "<f8"),
    ("start", "<f8"),
    ("finish", "<f8"),
)


class Kind(IntEnum):
    """What became of a request: the right answer, or the kind of its failure."""

    OK = 0
    CONNECT_REFUSED = 1
    CONNECT_TIMEOUT = 2
    RESET = 3
    READ_TIMEOUT = 4
    HTTP_STATUS = 5
    WRONG_BODY = 6
    WRONG_RESPONDER = 7
    PROTOCOL = 8
    UNFINISHED = 9
    JOURNEY_ERROR = 10
    OTHER = 11
    TLS = 12

    @property
    def words(self) -> str:
        """As people read it: "read timeout"."""
        if self is Kind.TLS:
            return "TLS"
        return "ok" if self is Kind.OK else self.name.replace("_", " ").lower()
