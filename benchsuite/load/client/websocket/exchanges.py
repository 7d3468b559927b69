"""Messages that await an answer, and which of them an answer belongs to.

Nothing is paired by chance: the journey says which message is an answer, and an answer arrives
after its message was sent. So no time can be negative.
"""

from dataclasses import dataclass

from benchsuite.core.exceptions import UsageError
from benchsuite.load.client.recorder import Begun
from benchsuite.load.client.websocket.endings import Content
from benchsuite.load.client.websocket.matching import Matching, identifies, predicate


@dataclass(frozen=True, slots=True, eq=False)
class Exchange:
    """A message that was sent and awaits its answer."""

    begun: Begun
    content: Content
    length: int  #: In bytes, as sent.
    sent: float  #: When it had been handed to the kernel or our queue.


class Exchanges:
    """Those of one connection, in the order of sending."""

    def __init__(self) -> None:
        self._waiting: list[Exchange] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, exchange: Exchange) -> None:
        self._waiting.append(exchange)

    def remove(self, exchange: Exchange) -> None:
        self._waiting.remove(exchange)

    def take_all(self) -> list[Exchange]:
        taken, self._waiting = self._waiting, []
        return taken

    def answered_by(self, matching: Matching, to: Exchange | None = None) -> Exchange | None:
        """The message that such an answer belongs to; None when none awaits an answer.

        Raises UsageError when it may belong to several.
        """
        if to is not None:
            if to not in self._waiting:
                raise UsageError("The message that is to be answered has its answer already.")
            return to
        found = self._waiting
        if len(found) > 1 and identifies(matching):
            is_meant = predicate(matching)
            found = [one for one in found if is_meant(one.content)]
        if len(found) == 1 or not self._waiting:
            return found[0] if found else None
        raise UsageError(
            f"{len(self._waiting)} messages wait for an answer, and {matching!r} may belong to any "
            "of them: say which, with to= and what send() returned."
        )
