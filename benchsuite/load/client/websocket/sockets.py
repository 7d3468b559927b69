"""All WebSockets of this process that are open."""

from math import inf
from time import monotonic
from typing import Protocol

import gevent

from benchsuite.core.results import Traffic
from benchsuite.load.client.websocket.accounts import Meant
from benchsuite.load.client.websocket.group import Group

STEP_S = 0.01
QUIET_S = 2.0  #: How long publications of other load processes may still arrive after the last one.


class Leaving(Protocol):
    """A connection that can be told to close."""

    @property
    def is_gone(self) -> bool:
        """Whether even its TCP connection is gone."""

    def leave(self) -> None: ...

    def drop(self) -> None: ...


class Sockets:
    """Knows which connections are open, and closes them at the end."""

    def __init__(self, *, alone: bool = True) -> None:
        """`alone`: whether this is the only load process."""
        self.used = False  #: Whether there ever was one.
        self.over = False
        """Whether the load has ended: connections that end later are no failures."""
        self.origin = inf  #: When the load began.
        self.last_delivery = 0.0
        self.traffic = Traffic()  #: Of those that may compress.
        self.meant = Meant()
        self._open: set[Leaving] = set()
        self._leaving: set[Leaving] = set()  #: Closed for the load; messages may still arrive.
        self._groups: dict[str, Group] = {}
        self._alone = alone

    def __contains__(self, socket: Leaving) -> bool:
        return socket in self._open

    def __len__(self) -> int:
        return len(self._open)

    def add(self, socket: Leaving) -> None:
        self.used = True
        self._open.add(socket)

    def discard(self, socket: Leaving) -> None:
        """It is no longer open; messages may still arrive until it is gone."""
        if socket in self._open:
            self._open.discard(socket)
            if not socket.is_gone:
                self._leaving.add(socket)

    def gone(self, socket: Leaving) -> None:
        """Nothing is left of it."""
        self._leaving.discard(socket)

    def group(self, path: str) -> Group:
        """The subscribers of that path."""
        return self._groups.setdefault(path, Group())

    @property
    def busy(self) -> bool:
        """Whether a broadcast may still be under way."""
        if any(group.busy for group in self._groups.values()):
            return True
        return not self._alone and monotonic() - self.last_delivery < QUIET_S

    def quit(self, limit_s: float) -> None:
        """Closes all connections and waits up to `limit_s` for the servers' answers, also on those
        closed before: messages may still arrive there.
        """
        self.over = True
        limit = monotonic() + limit_s
        for socket in list(self._open):
            socket.leave()
        while self._leaving and monotonic() < limit:
            gevent.sleep(STEP_S)
        for socket in list(self._leaving):
            socket.drop()
