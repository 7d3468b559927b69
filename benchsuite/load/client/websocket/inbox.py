"""What has arrived on a connection and nobody has taken yet."""

from collections import deque
from collections.abc import Callable
from math import inf

from benchsuite.load.client.websocket.accounts import MOST_BYTES
from benchsuite.load.client.websocket.endings import Message

MOST_WAITING = 1_000
MOST_WAITING_BYTES = MOST_BYTES
"""Messages that nobody takes: a server may send them for ever, and each connection keeps so many.
"""


class Inbox:
    """Keeps messages in the order of their arrival; the oldest make room for what comes."""

    def __init__(self, overflow: Callable[[Message], None]) -> None:
        """`overflow` gets the messages that had to make room."""
        self._messages: deque[Message] = deque()
        self._overflow = overflow
        self._bytes = 0
        self.held = False
        """Whether somebody is about to look at all of them: then none makes room before."""
        self._looked = 0  #: How many were looked at by `find()`, and are not what is looked for.

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
        """`find()` begins with the oldest."""
        self._looked = 0

    def find(self, wanted: Callable[[Message], bool], since: float = -inf) -> Message | None:
        """Takes the oldest that is wanted and arrived since then, but for those that were looked at
        before.
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
