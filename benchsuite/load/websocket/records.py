"""What happens on one connection, on its way to the samples and into the journey's fate."""

from typing import TYPE_CHECKING, NoReturn

from benchsuite.exceptions import AnswerError
from benchsuite.load.refusal import SOCKET
from benchsuite.load.websocket.endings import Ending, Message
from benchsuite.stats.samples import STRAY, Kind

if TYPE_CHECKING:
    from benchsuite.load.clients import HttpClient

Failed = tuple[Kind, str]
"""The kind of a failure, and what happened in words."""

Times = tuple[float, float, float]
"""Intended start, start and finish."""


class Records:
    """Writes samples of one connection down for its user."""

    def __init__(self, owner: "HttpClient", path: str, name: str) -> None:
        self.name = name or path.partition("?")[0]
        self._owner = owner
        self._path = path
        self._strays = owner.recorder.index(f"stray {self.name}", STRAY)

    def index(self, what: str, scope: str) -> int:
        """The number of a name, such as "message /ws/"."""
        return self._owner.recorder.index(f"{what} {self.name}", scope)

    def right(self, index: int, times: Times, length: int) -> None:
        self._owner.recorder.add(index, Kind.OK, self._owner.user, length, *times)

    def lost(self, index: int, failure: Failed, times: Times, sent_bytes: int) -> None:
        """A failure; `sent_bytes` is 0 when nothing was sent, so that nothing can be lost."""
        self._owner.recorder.add(index, failure[0], self._owner.user, sent_bytes, *times)
        self._owner.recorder.example(index, *failure)

    def fail(
        self,
        index: int,
        failure: Failed,
        times: Times,
        sent_bytes: int = 0,
        status: int | None = None,
    ) -> NoReturn:
        """The same, and the end of the journey: AnswerError when an answer came, else
        RequestFailed.
        """
        self.lost(index, failure, times, sent_bytes)
        self.blame(failure, status)

    def blame(self, failure: Failed, status: int | None = None) -> NoReturn:
        """Ends the journey for what is no sample of its own."""
        kind, words = failure
        self._owner.note_failure((SOCKET, self._path), kind, words, status)
        if kind is Kind.CORRUPT:
            raise AnswerError(f"the message {words}")
        self._owner.break_off(words)

    def stray(self, kind: Kind, message: Message, words: str) -> None:
        self._aside(kind, message.moment, len(message.data), words)

    def ended(self, ending: Ending, moment: float) -> None:
        """The connection ended, and we had not ended it."""
        self._aside(ending.kind, moment, ending.code, ending.words)

    def _aside(self, kind: Kind, moment: float, number: int, words: str) -> None:
        recorder = self._owner.recorder
        recorder.add(self._strays, kind, self._owner.user, number, moment, moment, moment)
        recorder.example(self._strays, kind, words)
