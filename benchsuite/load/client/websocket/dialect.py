"""How a server's own protocol wraps messages in WebSocket frames: a seam for servers that have one.

A WebSocket server says what it wants to; ours echo what they get. Others (socket.io, Action Cable)
greet, want to be subscribed to, put messages into envelopes and send pings of their own. A dialect
does that for one connection: it is pure, and sees text only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What a frame from the server means."""

    payload: bytes | None = None  #: The message in it; None when it is about the connection itself.
    answer: bytes | None = None  #: A frame to send at once.
    ready: bool = False
    """Whether messages may be sent from now on; the handshake lasts until then."""


class Dialect(Protocol):
    """One connection's side of the conversation; made anew for each."""

    subprotocols: Sequence[str]  #: Offered in the handshake.

    def __init__(self, path: str) -> None:
        """`path` is the one that the workload asks for."""

    @property
    def address(self) -> str:
        """The path and query to connect to."""

    def hear(self, frame: bytes) -> Heard:
        """Takes a frame; raises ValueError for one that makes no sense."""

    def say(self, payload: bytes) -> bytes:
        """The frame that carries a message."""
