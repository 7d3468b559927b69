"""What comes over a WebSocket and how it ends, as samples: echoes, publications, strays."""

from dataclasses import dataclass
from time import monotonic
from typing import NoReturn

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidHandshake
from websockets.protocol import State

from benchsuite.core.exceptions import AnswerError
from benchsuite.core.samples import ABNORMAL, CONNECTION, MESSAGE, STRAY, UNSOLICITED, Kind
from benchsuite.load.client.failures import SOCKET
from benchsuite.load.client.http.client import HttpClient
from benchsuite.load.client.target import Begun, Failed, RequestFailed, Times
from benchsuite.load.client.websocket import accounts
from benchsuite.load.client.websocket.sockets import Sockets

NORMAL = 1000
POLICY = 1008


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
    """How a connection ends, if it does; `how` its TCP connection ends: closed or reset."""
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
        words = f"the server closed the connection with {received}"
        return Ending(Kind.WEBSOCKET_CLOSED, received.code, words)
    if isinstance(protocol.parser_exc, EOFError):
        words = f"the connection was {how} without a closing handshake"
        return Ending(Kind.RESET, ABNORMAL, words)
    if protocol.parser_exc is not None:
        sent = protocol.close_sent
        words = f"the server broke the protocol: {protocol.parser_exc}"
        return Ending(Kind.PROTOCOL, sent.code if sent else ABNORMAL, words)
    return None


class Records:
    """Writes samples of one connection down for its user."""

    def __init__(self, owner: HttpClient, path: str, name: str = "") -> None:
        self.name = name or path.partition("?")[0]
        self._owner = owner
        self._path = path

    def index(self, what: str, scope: str) -> int:
        """The number of a name, such as "message /ws/"."""
        return self._owner.recorder.index(f"{what} {self.name}", scope)

    def right(self, begun: Begun, finish: float, length: int) -> None:
        index, intended, start = begun
        self._owner.recorder.add(index, Kind.OK, self._owner.user, length, intended, start, finish)

    def lost(
        self, begun: Begun, failure: Failed, sent_bytes: int = 0, status: int | None = None
    ) -> None:
        """A failure, now; `sent_bytes` is 0 when nothing was sent, and nothing can be lost."""
        index, intended, start = begun
        recorder, user, finish = self._owner.recorder, self._owner.user, monotonic()
        recorder.add(index, failure[0], user, sent_bytes, intended, start, finish)
        recorder.example(index, *failure, status, f"{SOCKET} {self._path}")

    def fail(self, begun: Begun, failure: Failed, sent_bytes: int = 0) -> NoReturn:
        """The same, and the end of the journey, as in `blame`."""
        self.lost(begun, failure, sent_bytes)
        self.blame(failure)

    def blame(self, failure: Failed, status: int | None = None) -> NoReturn:
        """Ends the journey: with AnswerError when an answer came, else RequestFailed."""
        self._owner.note_failure((SOCKET, self._path), failure, status)
        kind, words = failure
        raise AnswerError(f"the message {words}") if kind is Kind.CORRUPT else RequestFailed(words)

    def unsolicited(self, message: Message) -> None:
        """A message that the server sent unasked: neither a failure nor a stray."""
        moment = message.moment
        self._aside(UNSOLICITED, Kind.OK, len(message.data), (moment, moment, moment))

    def connection(self, kind: Kind, code: int, opened: float, moment: float) -> None:
        """A connection is over."""
        self._aside(CONNECTION, kind, code, (opened, opened, moment))

    def stray(
        self, kind: Kind, words: str, number: int, moment: float, meant: float | None = None
    ) -> None:
        """`number`: a message's length or a close code; `meant`: when its original was due."""
        begin = moment if meant is None else meant
        index = self._aside(STRAY, kind, number, (begin, moment, moment))
        self._owner.aside.example(index, kind, words)

    def _aside(self, scope: str, kind: Kind, number: int, times: Times) -> int:
        """Something that was not begun here; the number of its name."""
        recorder = self._owner.aside
        index = recorder.index(f"{scope} {self.name}", scope)
        recorder.add(index, kind, self._owner.user, number, *times)
        return index


FARTHEST = 100_000  #: A number this far ahead of the last one is not from our publisher.
MOST_KNOWN = 20_000  #: Messages whose intended start is remembered.


class Echoes:
    """One is awaited at a time; everything else that arrives is classified and counted."""

    def __init__(
        self, connection: int, records: Records, meant: dict[accounts.Numbered, float]
    ) -> None:
        """`connection` is the load's only one; `meant` the intended start of the last messages."""
        self.is_over = True  #: Whether nothing is awaited (any more).
        self.failure: Failed | None = None  #: What was wrong with the awaited echo.
        self.moment = 0.0  #: When it was back.
        self._connection = connection
        self._records = records
        self._meant = meant
        self._number = 0  #: That of the last message.
        self._sent = b""
        self._is_text = True
        self._start = 0.0

    def count(self) -> int:
        """The next number."""
        self._number += 1
        return self._number

    def message(self, size: int) -> bytes:
        """The next message, of `size` bytes."""
        return accounts.message(self._connection, self.count(), size)

    def expect(self, sent: bytes, *, is_text: bool, begun: Begun) -> None:
        """Awaits the echo of that message, the last one, from now on."""
        _, intended, start = begun
        self._sent, self._is_text, self._start = sent, is_text, start
        if len(self._meant) >= MOST_KNOWN:
            del self._meant[next(iter(self._meant))]
        self._meant[accounts.Numbered(self._connection, self._number)] = intended
        self.is_over, self.failure = False, None

    def judge(self, message: Message) -> None:
        """Takes the awaited echo, intact or damaged; counts anything else by what it is."""
        awaited = not self.is_over and message.moment >= self._start
        if awaited and message.data == self._sent and message.is_text is self._is_text:
            self.is_over, self.moment = True, message.moment
            return
        last = accounts.Numbered(self._connection, self._number)
        numbered = accounts.numbered(message.data) if self._sent else None
        if numbered is not None:
            is_last, form = numbered == last, "text" if message.is_text else "binary"
            words = f"came back as {len(message.data)} bytes of {form}"
        else:
            is_last = bool(self._sent) and accounts.resembles(message.data, self._sent)
            words = f"came back as {message.data[:60]!r}"
        if awaited and is_last:
            self.is_over, self.failure = True, (Kind.CORRUPT, words)
            return
        if numbered is None and not is_last:
            self._records.unsolicited(message)
            return
        kind = Kind.CORRUPT
        if numbered is not None and numbered.connection != self._connection:
            kind, words = Kind.MISDIRECTED, "a message of another connection"
        elif numbered is not None and numbered.number <= self._number:
            kind, words = Kind.DUPLICATED, f"message {numbered.number} once more"
        meant = self._meant.get(numbered or last)
        self._records.stray(kind, words, len(message.data), message.moment, meant)


class Subscription:
    """One subscriber of a broadcast, whose members wait for each other; called in the hub."""

    def __init__(self, records: Records, sockets: Sockets, *, binary: bool) -> None:
        self.group = sockets.groups[records.name]
        self.group.members.add(self)
        self._records = records
        self._sockets = sockets
        self._binary = binary
        self._messages = records.index("message", MESSAGE)
        self._next: dict[int, int] = {}  #: By publisher, the number after the highest.
        self._missing: set[tuple[int, int]] = set()  #: Lower ones that have not come.

    def take(self, message: Message) -> None:
        """Counts a delivery or, when it is not from this load or a duplicate, a stray."""
        published = accounts.published(message.data)
        length, moment = len(message.data), message.moment
        if published is None and not accounts.resembles_publication(message.data):
            self._records.unsolicited(message)
            return
        if published is None or message.is_text is self._binary or moment < published.start:
            self._records.stray(Kind.CORRUPT, f"came as {message.data[:60]!r}", length, moment)
            return
        connection, number, intended, start = published
        kind = self._judged(connection, number)
        if kind is not Kind.OK:
            words = f"publication {number} of connection {connection}"
            self._records.stray(kind, words, length, moment, intended)
        else:
            self._records.right((self._messages, intended, start), moment, length)
            self._sockets.last_delivery = monotonic()
            self.group.delivered((connection, number), self)

    def _judged(self, connection: int, number: int) -> Kind:
        """OK, DUPLICATED, or CORRUPT for an impossible number; the parent judges the order."""
        expected = self._next.get(connection, number)
        if number - expected > FARTHEST:
            return Kind.CORRUPT
        if number >= expected:
            if number > expected:
                self._missing.update((connection, missed) for missed in range(expected, number))
            self._next[connection] = number + 1
        elif (connection, number) in self._missing:
            self._missing.discard((connection, number))
        else:
            return Kind.DUPLICATED
        return Kind.OK
