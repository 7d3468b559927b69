"""What a connection that counts is sent: its echoes, or the publications of a broadcast.

One subscriber of a broadcast: every publication that arrives is a message; anything else is
unsolicited.
"""

from time import monotonic

from benchsuite.core.samples import MESSAGE, Kind
from benchsuite.load.client.target import Begun
from benchsuite.load.client.websocket import accounts
from benchsuite.load.client.websocket.group import Group, Sequence
from benchsuite.load.client.websocket.records import Failed, Message, Records
from benchsuite.load.client.websocket.sockets import Sockets


class Echoes:
    """One is awaited at a time; everything else that arrives is classified and counted."""

    def __init__(self, connection: int, records: Records, meant: accounts.Meant) -> None:
        """`connection` stands in every message; it must be the load's only one."""
        self._meant = meant
        self.is_over = True  #: Whether nothing is awaited (any more).
        self.failure: Failed | None = None  #: What was wrong with the awaited echo.
        self.moment = 0.0  #: When it was back.
        self._connection = connection
        self._records = records
        self._number = 0  #: That of the last message.
        self._said = b""
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
        self._said, self._is_text, self._start = sent, is_text, start
        self._meant.add(accounts.Numbered(self._connection, self._number), intended)
        self.is_over, self.failure = False, None

    def give_up(self) -> None:
        """Nothing is awaited any more."""
        self.is_over = True

    def judge(self, message: Message) -> None:
        """Takes the awaited echo, intact or damaged; counts anything else by what it is."""
        awaited = not self.is_over and message.moment >= self._start
        if awaited and message.data == self._said and message.is_text is self._is_text:
            self.is_over, self.moment = True, message.moment
            return
        numbered = accounts.numbered(message.data) if self._said else None
        if numbered is not None:
            last = numbered.connection == self._connection and numbered.number == self._number
        else:
            last = bool(self._said) and accounts.resembles(message.data, self._said)
        if awaited and last:
            self.is_over, self.failure = True, (Kind.CORRUPT, _as_it_came(message))
        elif numbered is not None:
            self._count(message, numbered)
        elif last:
            meant = self._meant.of(accounts.Numbered(self._connection, self._number))
            self._records.stray(Kind.CORRUPT, message, _as_it_came(message), meant)
        else:
            self._records.unsolicited(message)

    def _count(self, message: Message, numbered: accounts.Numbered) -> None:
        """Counts an intact message of this load that is not the awaited one."""
        meant = self._meant.of(numbered)
        if numbered.connection != self._connection:
            words = "a message of another connection"
            self._records.stray(Kind.MISDIRECTED, message, words, meant)
        elif numbered.number <= self._number:
            words = f"message {numbered.number} once more"
            self._records.stray(Kind.DUPLICATED, message, words, meant)
        else:
            self._records.stray(Kind.CORRUPT, message, _as_it_came(message))


def _as_it_came(message: Message) -> str:
    if accounts.numbered(message.data) is None:
        return f"came back as {message.data[:60]!r}"
    return f"came back as {len(message.data)} bytes of {'text' if message.is_text else 'binary'}"


class Subscription:
    """Takes what arrives; called in the hub."""

    def __init__(self, records: Records, sockets: Sockets, *, path: str, binary: bool) -> None:
        self.group: Group = sockets.group(path)
        self.group.members.add(self)
        self._records = records
        self._sockets = sockets
        self._binary = binary
        self._messages = records.index("message", MESSAGE)
        self._seen: dict[int, Sequence] = {}

    def take(self, message: Message) -> None:
        """Counts a delivery or, when it is not from this load or a duplicate, a stray."""
        published = accounts.published(message.data)
        if published is None and not accounts.resembles_publication(message.data):
            self._records.unsolicited(message)
            return
        if published is None or message.is_text is self._binary or message.moment < published.start:
            self._records.stray(Kind.CORRUPT, message, f"came as {message.data[:60]!r}")
            return
        kind = self._seen.setdefault(published.connection, Sequence()).judge(published.number)
        if kind is not Kind.OK:
            words = f"publication {published.number} of connection {published.connection}"
            self._records.stray(kind, message, words, published.intended)
        else:
            begun = (self._messages, published.intended, published.start)
            self._records.right(begun, message.moment, len(message.data))
            self._sockets.last_delivery = monotonic()
            self.group.delivered(published, self)

    def leave(self) -> None:
        self.group.leave(self)
