"""All WebSockets of this process that are open, and the subscribers of its broadcasts.

Only the parent can tell across load processes who received what, and in which order
(`benchsuite.stats.messages`); what is kept here lets a publisher, or the end of the load, wait
for the subscribers.
"""

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field
from math import inf
from time import monotonic
from typing import Any

import gevent
from gevent.event import Event

from benchsuite.core.results import Traffic
from benchsuite.load.client.websocket.accounts import Numbered

STEP_S = 0.01
QUIET_S = 2.0  #: How long publications of other load processes may still arrive after the last one.


@dataclass(slots=True)
class Pending:
    """A publication on its way."""

    waiting: set[Hashable]  #: Subscribers that don't have it yet.
    until: float  #: When waiting for it ends.
    done: Event = field(default_factory=Event)


class Group:
    """The subscribers of one path in this process; a publication is (connection, number)."""

    def __init__(self) -> None:
        self.members: set[Hashable] = set()
        self.pending: dict[tuple[int, int], Pending] = {}

    def delivered(self, publication: tuple[int, int], member: Hashable) -> None:
        if (pending := self.pending.get(publication)) is not None:
            pending.waiting.discard(member)
            if not pending.waiting:
                del self.pending[publication]
                pending.done.set()

    def leave(self, member: Hashable) -> None:
        """A subscriber is gone; nobody waits for it any more."""
        self.members.discard(member)
        for publication in list(self.pending):
            self.delivered(publication, member)

    @property
    def busy(self) -> bool:
        """Whether somebody still waits for a publication."""
        now = monotonic()
        while self.pending:
            publication, pending = next(iter(self.pending.items()))
            if pending.waiting and pending.until > now:
                return True
            del self.pending[publication]
        return False


class Sockets:
    """Knows which connections are open, and closes them at the end."""

    def __init__(self, *, alone: bool = True) -> None:
        """`alone`: whether this is the only load process."""
        self.used = False  #: Whether there ever was one.
        self.over = False  #: Whether the load has ended: what ends later is no failure.
        self.origin = inf  #: When the load began.
        self.last_delivery = 0.0
        self.traffic = Traffic()  #: Of those that offer to compress.
        self.meant: dict[Numbered, float] = {}
        """The intended start of the last numbered messages of this process: copies of a message
        belong to the window of the message itself."""
        self.groups: defaultdict[str, Group] = defaultdict(Group)  #: By path.
        self.open: set[Any] = set()  #: WebSockets and streams of events.
        self.most = 0  #: How many were open at once since the last look.
        self.leaving: set[Any] = set()  #: Closed for the load; messages may still arrive.
        self._alone = alone

    def add(self, socket: Any) -> None:
        self.used = True
        self.open.add(socket)
        self.most = max(self.most, len(self.open))

    def discard(self, socket: Any) -> None:
        """It is no longer open; messages may still arrive until it is gone."""
        if socket in self.open:
            self.open.discard(socket)
            if not socket.is_gone:
                self.leaving.add(socket)

    @property
    def busy(self) -> bool:
        """Whether a broadcast may still be under way."""
        if any(group.busy for group in self.groups.values()):
            return True
        return not self._alone and monotonic() - self.last_delivery < QUIET_S

    def quit(self, limit_s: float) -> None:
        """Closes all connections; waits so long for servers' answers, also to earlier closes."""
        self.over = True
        limit = monotonic() + limit_s
        for socket in list(self.open):
            socket.leave()
        while self.leaving and monotonic() < limit:
            gevent.sleep(STEP_S)
        for socket in list(self.leaving):
            socket.drop()
