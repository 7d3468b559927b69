"""What comes over a WebSocket, and how it ends."""

from dataclasses import dataclass

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidHandshake
from websockets.frames import Close
from websockets.protocol import State

from benchsuite.core.samples import Kind

NORMAL = 1000
POLICY = 1008
ABNORMAL = 1006  #: What stands for a close code where no close frame came (RFC 6455, 7.4.1).

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
    4013: "channel full",
}


@dataclass(frozen=True, slots=True)
class Ending:
    """How a connection ended."""

    kind: Kind  #: OK when we asked for it.
    code: int
    words: str


Content = str | bytes  #: Text as text, binary as bytes.


@dataclass(frozen=True, slots=True, eq=False)
class Message:
    """One whole message from the server."""

    data: bytes
    is_text: bool
    moment: float  #: When its last bytes were read.

    @property
    def content(self) -> Content:
        """Raises UnicodeDecodeError for text that is none."""
        return self.data.decode() if self.is_text else self.data


def ending_of(protocol: ClientProtocol, how: str) -> Ending | None:
    """How a connection ends that is ending; None when it is not.

    `how` its TCP connection ends: closed or reset.
    """
    if protocol.state is State.CONNECTING:
        error = protocol.handshake_exc
        if error is None or (isinstance(error, InvalidHandshake) and error.__cause__ is None):
            return None
        words = f"the answer is not HTTP: {error.__cause__ or error}"
        return Ending(Kind.PROTOCOL, ABNORMAL, words)
    received = protocol.close_rcvd
    if received is not None and protocol.close_rcvd_then_sent is False:
        return Ending(Kind.OK, received.code, "closed as asked")
    if received is not None:
        return Ending(Kind.WEBSOCKET_CLOSED, received.code, _closed_words(received))
    if isinstance(protocol.parser_exc, EOFError):
        words = f"the connection was {how} without a closing handshake"
        return Ending(Kind.RESET, ABNORMAL, words)
    if protocol.parser_exc is not None:
        sent = protocol.close_sent
        words = f"the server broke the protocol: {protocol.parser_exc}"
        return Ending(Kind.PROTOCOL, sent.code if sent else ABNORMAL, words)
    return None


def cut_off(how: str, *, heard: bool, speaks: bool) -> Ending:
    """The end of a connection before hands were shaken; `speaks`: whether TLS, if any, stood."""
    where = "in the middle of" if heard else "before"
    what = f"{where} the handshake's answer" if speaks else "in the TLS handshake"
    return Ending(Kind.RESET, ABNORMAL, f"the connection was {how} {what}")


def _closed_words(close: Close) -> str:
    known = CODES.get(close.code)
    code = f"{close.code} ({known})" if known else str(close.code)
    return f"the server closed the connection with {code}" + (
        f": {close.reason}" if close.reason else ""
    )
