"""What comes over a WebSocket and how it ends, as samples."""

from dataclasses import dataclass
from time import monotonic
from typing import NoReturn

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidHandshake
from websockets.frames import Close
from websockets.protocol import State

from benchsuite.core.exceptions import AnswerError
from benchsuite.core.samples import CONNECTION, STRAY, UNSOLICITED, Kind
from benchsuite.load.client.failures import SOCKET
from benchsuite.load.client.http.client import HttpClient
from benchsuite.load.client.target import Begun

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


Failed = tuple[Kind, str]  #: The kind of a failure, and what happened in words.


class Records:
    """Writes samples of one connection down for its user."""

    def __init__(self, owner: HttpClient, path: str, name: str) -> None:
        self.name = name or path.partition("?")[0]
        self._owner = owner
        self._path = path
        self._strays = owner.aside.index(f"stray {self.name}", STRAY)

    def index(self, what: str, scope: str) -> int:
        """The number of a name, such as "message /ws/"."""
        return self._owner.recorder.index(f"{what} {self.name}", scope)

    def right(self, begun: Begun, finish: float, length: int) -> None:
        index, intended, start = begun
        self._owner.recorder.add(index, Kind.OK, self._owner.user, length, intended, start, finish)

    def lost(
        self,
        begun: Begun,
        failure: Failed,
        sent_bytes: int,
        finish: float | None = None,
        status: int | None = None,
    ) -> None:
        """A failure, now if not before; `sent_bytes` is 0 when nothing was sent, so that nothing
        can be lost.
        """
        index, intended, start = begun
        finish = monotonic() if finish is None else finish
        recorder = self._owner.recorder
        recorder.add(index, failure[0], self._owner.user, sent_bytes, intended, start, finish)
        recorder.example(index, *failure, status, f"{SOCKET} {self._path}")

    def fail(
        self,
        begun: Begun,
        failure: Failed,
        finish: float | None = None,
        *,
        sent_bytes: int = 0,
        status: int | None = None,
    ) -> NoReturn:
        """The same, and the end of the journey: AnswerError when an answer came, else
        RequestFailed.
        """
        self.lost(begun, failure, sent_bytes, finish, status)
        self.blame(failure, status)

    def blame(self, failure: Failed, status: int | None = None) -> NoReturn:
        """Ends the journey for a failure that is no sample of its own."""
        kind, words = failure
        self._owner.note_failure((SOCKET, self._path), kind, words, status)
        if kind is Kind.CORRUPT:
            raise AnswerError(f"the message {words}")
        self._owner.break_off(words)

    def stray(self, kind: Kind, message: Message, words: str, meant: float | None = None) -> None:
        """`meant`: the intended start of the message that it is a copy of, where that is known."""
        begin = message.moment if meant is None else meant
        self._aside(kind, begin, message.moment, len(message.data), words)

    def unsolicited(self, message: Message) -> None:
        """A message that the server sent unasked: neither a failure nor a stray."""
        recorder, moment = self._owner.aside, message.moment
        index = recorder.index(f"unsolicited {self.name}", UNSOLICITED)
        length = len(message.data)
        recorder.add(index, Kind.OK, self._owner.user, length, moment, moment, moment)

    def ended(self, ending: Ending, moment: float) -> None:
        """The connection ended, and not by us."""
        self._aside(ending.kind, moment, moment, ending.code, ending.words)

    def connection(self, kind: Kind, code: int, opened: float, moment: float) -> None:
        """A connection is over."""
        index = self._owner.aside.index(f"connection {self.name}", CONNECTION)
        self._owner.aside.add(index, kind, self._owner.user, code, opened, opened, moment)

    def _aside(self, kind: Kind, begin: float, moment: float, number: int, words: str) -> None:
        recorder = self._owner.aside
        recorder.add(self._strays, kind, self._owner.user, number, begin, moment, moment)
        recorder.example(self._strays, kind, words)
