"""A user's client: over HTTP, and over connections that stay open from journey to journey."""

from collections.abc import Mapping
from random import getrandbits
from typing import Any

from benchsuite.load.client.http.client import HttpClient
from benchsuite.load.client.http.streams import EventStream
from benchsuite.load.client.websocket.accounts import REHEARSING_USER, connection_number
from benchsuite.load.client.websocket.socket import WebSocket


class UserClient(HttpClient):
    """What journeys are given."""

    _connections = 0  #: WebSockets that were begun.
    _websockets: Mapping[str, WebSocket] = {}  #: Those that are kept, by path.
    _streams: Mapping[str, EventStream] = {}

    def begin(self, intended: float | None = None) -> None:
        for kept in self._websockets.values():
            kept.settle()
        super().begin(intended)

    def close(self) -> None:
        super().close()
        for kept in self._websockets.values():
            kept.leave()
        for stream in self._streams.values():
            stream.leave()

    def websocket(self, path: str, *, keep: bool = False, **options: Any) -> WebSocket:
        """An open WebSocket, with `keep` that of an earlier journey if it is still open. Raises
        RequestFailed when the server does not take it. The options are those of `WebSocket`.
        """
        known = self._websockets.get(path) if keep else None
        if known is not None and known.is_open:
            return known
        self._connections += 1
        made = WebSocket(
            self,
            path,
            # the load's own users may be listening already to what is rehearsed
            number=connection_number(REHEARSING_USER, getrandbits(32))
            if self.rehearsal
            else connection_number(self.user, self._connections),
            keep=keep,
            **options,
        )
        made.open()
        if keep:
            self._websockets = {**self._websockets, path: made}
        return made

    def events(
        self, path: str, *, after: str = "", numbered: bool = False, endless: bool = False
    ) -> EventStream:
        """The user's stream of events of that path, after that id; journeys keep it open."""
        if path not in self._streams:
            made = EventStream(self, path, after=after, numbered=numbered, endless=endless)
            self._streams = {**self._streams, path: made}
        return self._streams[path]
