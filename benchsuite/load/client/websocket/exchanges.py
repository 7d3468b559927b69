"""What a journey has sent and waits for, and which of it an answer belongs to.

Nothing is paired by chance: an answer is what the journey says it is, and it came after what it
answers was sent. So no time can be negative.
"""

from dataclasses import dataclass

from benchsuite.core.exceptions import UsageError
from benchsuite.load.client.recorder import Begun
from benchsuite.load.client.websocket.endings import Content
from benchsuite.load.client.websocket.matching import Matching, identifies, predicate


@dataclass(frozen=True, slots=True, eq=False)
class Exchange:
    """A message that was sent, and whose answer is still to be told."""

    begun: Begun
    content: Content
    length: int  #: In bytes, as sent.
    sent: float  #: When the kernel, or its queue, had it.


class Exchanges:
    """Those of one connection, in the order in which they were sent."""

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
        """The message that such an answer belongs to; None when nothing waits for one.

        Raises UsageError when there are several that it may belong to.
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
