"""What comes over a WebSocket, and how it ends; where it leads."""

from dataclasses import dataclass
from typing import Any, Protocol

from websockets.frames import Close

from benchsuite.stats.samples import Kind

NORMAL = 1000
POLICY = 1008
ABNORMAL = 1006
"""What stands for a close code where no close frame came (RFC 6455, 7.4.1)."""

CODES = {
    1000: "normal",
    1001: "going away",
    1002: "protocol error",
    1003: "unsupported data",
    1005: "no code",
    1006: "no close frame",
    1007: "invalid data",
    1008: "policy violation",
    1009: "message too big",
    1011: "internal error",
    1012: "service restart",
    1013: "try again later",
}


@dataclass(frozen=True, slots=True)
class Ending:
    """How a connection ended."""

    kind: Kind
    """OK when we asked for it."""
    code: int
    words: str


@dataclass(frozen=True, slots=True)
class Message:
    """One whole message from the server."""

    data: bytes
    is_text: bool
    moment: float
    """When its last bytes were read."""


class Destination(Protocol):
    """Where to connect; `benchsuite.load.target.Target` is one."""

    @property
    def host(self) -> str: ...

    @property
    def family(self) -> int: ...

    @property
    def address(self) -> Any: ...

    @property
    def timeout_s(self) -> float: ...


def closed_words(close: Close) -> str:
    known = CODES.get(close.code)
    code = f"{close.code} ({known})" if known else str(close.code)
    return f"the server closed the connection with {code}" + (
        f": {close.reason}" if close.reason else ""
    )
