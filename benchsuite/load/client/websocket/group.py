"""A broadcast and its subscribers: which of this process already have a publication.

Only the parent can tell across load processes who received what, and in which order
(`benchsuite.stats.broadcasts`); what is kept here lets a publisher, or the end of the load,
wait for the subscribers, and detects duplicates.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from time import monotonic

from gevent.event import Event

from benchsuite.core.samples import Kind
from benchsuite.load.client.websocket.accounts import Published

FARTHEST = 100_000  #: A number this far ahead of the last one is not from our publisher.


@dataclass(slots=True)
class Pending:
    """A publication on its way."""

    waiting: set[Hashable]  #: Subscribers that don't have it yet.
    until: float  #: When waiting for it ends.
    done: Event = field(default_factory=Event)


class Group:
    """The subscribers of one path in this process."""

    def __init__(self) -> None:
        self.members: set[Hashable] = set()
        self._pending: dict[tuple[int, int], Pending] = {}

    def expect(self, connection: int, number: int, until: float) -> Pending:
        """All current subscribers are to receive it."""
        pending = self._pending[connection, number] = Pending(set(self.members), until)
        return pending

    def forget(self, connection: int, number: int) -> None:
        """Stops waiting for it."""
        self._pending.pop((connection, number), None)

    def delivered(self, publication: Published, member: Hashable) -> None:
        self._got((publication.connection, publication.number), member)

    def leave(self, member: Hashable) -> None:
        """A subscriber is gone; nobody waits for it any more."""
        self.members.discard(member)
        for key in list(self._pending):
            self._got(key, member)

    def _got(self, key: tuple[int, int], member: Hashable) -> None:
        pending = self._pending.get(key)
        if pending is not None:
            pending.waiting.discard(member)
            if not pending.waiting:
                del self._pending[key]
                pending.done.set()

    @property
    def busy(self) -> bool:
        """Whether somebody still waits for a publication."""
        now = monotonic()
        while self._pending:
            key, pending = next(iter(self._pending.items()))
            if pending.waiting and pending.until > now:
                return True
            del self._pending[key]
        return False


class Sequence:
    """What one subscriber has seen of one publisher; the parent judges the order."""

    def __init__(self) -> None:
        self._next: int | None = None
        self._missing: set[int] = set()

    def judge(self, number: int) -> Kind:
        """OK, DUPLICATED, or CORRUPT for an impossible number."""
        if self._next is None or number == self._next:
            self._next = number + 1
            return Kind.OK
        if number - self._next > FARTHEST:
            return Kind.CORRUPT
        if number > self._next:
            self._missing.update(range(self._next, number))
            self._next = number + 1
            return Kind.OK
        if number in self._missing:
            self._missing.discard(number)
            return Kind.OK
        return Kind.DUPLICATED
