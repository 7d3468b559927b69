"""Messages that have arrived on a connection and not been taken yet."""

from collections import deque
from collections.abc import Callable
from math import inf

from benchsuite.load.client.websocket.accounts import MOST_BYTES
from benchsuite.load.client.websocket.endings import Message

MOST_WAITING = 1_000
MOST_WAITING_BYTES = MOST_BYTES
"""How many untaken messages each connection keeps: a server may send them endlessly."""


class Inbox:
    """Keeps messages in order of arrival; when it is full, the oldest are dropped."""

    def __init__(self, overflow: Callable[[Message], None]) -> None:
        """`overflow` is given the messages that are dropped."""
        self._messages: deque[Message] = deque()
        self._overflow = overflow
        self._bytes = 0
        self.held = False
        """Whether somebody is about to look at all of them: until then none is dropped."""
        self._looked = 0  #: How many `find()` has already rejected.

    def __len__(self) -> int:
        return len(self._messages)

    def add(self, message: Message) -> None:
        self._messages.append(message)
        self._bytes += len(message.data)
        while self._is_too_full and not self.held:
            self._overflow(self.take())

    def take(self) -> Message:
        """The oldest."""
        message = self._messages.popleft()
        self._bytes -= len(message.data)
        self._looked = max(0, self._looked - 1)
        return message

    def look_again(self) -> None:
        """Makes `find()` begin with the oldest again."""
        self._looked = 0

    def find(self, wanted: Callable[[Message], bool], since: float = -inf) -> Message | None:
        """Takes the oldest wanted message that arrived since then, leaving out those it has
        already rejected.
        """
        while self._looked < len(self._messages):
            message = self._messages[self._looked]
            if message.moment >= since and wanted(message):
                del self._messages[self._looked]
                self._bytes -= len(message.data)
                return message
            self._looked += 1
        while self._is_too_full:
            self._overflow(self.take())
        return None

    @property
    def _is_too_full(self) -> bool:
        return len(self._messages) > MOST_WAITING or (
            self._bytes > MOST_WAITING_BYTES and len(self._messages) > 1
        )
