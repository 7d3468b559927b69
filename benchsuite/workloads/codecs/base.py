"""The contract of a codec: from the handshake to the first message, and what a message holds."""

from abc import ABC, abstractmethod
from typing import ClassVar, Protocol

from benchsuite.exceptions import UsageError

Message = str | bytes
"""One message of a WebSocket, or what it holds: text is str, binary is bytes."""

DOES = ("echo", "broadcast", "idle")
"""What every server of our own does with what it is sent."""


class Exchange(Protocol):
    """A connection whose handshake is done; both wait, with the client's own deadline."""

    def send(self, message: Message) -> None: ...

    def receive(self) -> Message: ...


class Codec(ABC):
    """Made once for each connection; `does` is what the server is to do with what it gets.

    A client that gets None from `unwrap` asks `answer` whether something must be sent back.
    """

    name: ClassVar[str]
    does_all: ClassVar[tuple[str, ...]]
    """What the servers that speak it can do."""
    subprotocol: ClassVar[str] = ""
    """What to offer at the handshake, and insist on; empty for none."""
    binary: ClassVar[bool] = False
    """Whether a payload may be bytes."""

    def __init__(self, does: str) -> None:
        if does not in self.does_all:
            raise UsageError(
                f"Servers that speak {self.name} know no {does!r}; they know: "
                f"{', '.join(self.does_all)}."
            )
        self.does = does

    def opening(self, exchange: Exchange) -> None:
        """Speaks until payloads may be sent; raises AnswerError when the server says otherwise."""
        return None

    @abstractmethod
    def wrap(self, payload: Message) -> Message:
        """The message that carries a payload."""

    @abstractmethod
    def unwrap(self, message: Message) -> Message | None:
        """The payload of a message; None when it carries none (a ping, a greeting).

        Raises AnswerError for what the protocol doesn't know.
        """

    def answer(self, message: Message) -> Message | None:
        """What to send back for a message without a payload; None for nothing."""
        return None
