"""One subscriber of a broadcast: every publication that arrives is a message; anything else is
unsolicited.
"""

from time import monotonic

from benchsuite.core.samples import MESSAGE, Kind
from benchsuite.load.client.websocket import accounts
from benchsuite.load.client.websocket.endings import Message
from benchsuite.load.client.websocket.group import Group, Sequence
from benchsuite.load.client.websocket.records import Records
from benchsuite.load.client.websocket.sockets import Sockets


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
        said = accounts.published(message.data)
        if said is None and not accounts.resembles_publication(message.data):
            self._records.unsolicited(message)
            return
        if said is None or message.is_text is self._binary or message.moment < said.start:
            self._records.stray(Kind.CORRUPT, message, f"came as {message.data[:60]!r}")
            return
        kind = self._seen.setdefault(said.connection, Sequence()).judge(said.number)
        if kind is not Kind.OK:
            words = f"publication {said.number} of connection {said.connection}"
            self._records.stray(kind, message, words, said.intended)
        else:
            begun = (self._messages, said.intended, said.start)
            self._records.right(begun, message.moment, len(message.data))
            self._sockets.last_delivery = monotonic()
            self.group.delivered(said, self)

    def leave(self) -> None:
        self.group.leave(self)
