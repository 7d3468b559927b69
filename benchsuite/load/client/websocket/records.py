"""Turns what happens on a connection into samples, and ends the journey where it must."""

from time import monotonic
from typing import NoReturn

from benchsuite.core.exceptions import AnswerError
from benchsuite.core.samples import CONNECTION, STRAY, UNSOLICITED, Kind
from benchsuite.load.client.http.client import HttpClient
from benchsuite.load.client.recorder import Begun
from benchsuite.load.client.refusal import SOCKET
from benchsuite.load.client.websocket.endings import Ending, Message

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
