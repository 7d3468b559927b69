"""One says it, and all shall hear it."""

from benchsuite.exceptions import UsageError
from benchsuite.specs import LoadProfile, Option
from benchsuite.workloads.base import Client
from benchsuite.workloads.websocket import COMMON, WebSocketWorkload, speaking

LEAST_BYTES = 56
"""Numbers, checksum and two times."""


class WsBroadcast(WebSocketWorkload):
    """Every connection subscribes; what one publishes must reach all, itself included.

    At a rate, the subscribers publish in turn. In the closed model the first `publishers` do, each
    as soon as its last publication has reached everybody, and the others listen.
    """

    name = "ws_broadcast"
    summary = "WebSocket: publish to all subscribers: when has the last one got it?"
    options = {**COMMON, "size": 64, "binary": False, "publishers": 1}
    consumer = "broadcast"
    by_layer = True
    alike = False
    least_bytes = LEAST_BYTES

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self._size = int(self.settings["size"])
        self._binary = bool(self.settings["binary"])
        self._publishers = int(self.settings["publishers"])
        if self._publishers < 1:
            raise UsageError(
                f"ws_broadcast's option publishers is 1 or more, and is {self._publishers}."
            )
        self._by_rate = False

    def fit(self, load: LoadProfile) -> LoadProfile:
        if not load.keep_alive:
            raise UsageError("Subscribers keep their connection: leave --no-keep-alive out.")
        self._by_rate = load.is_open
        return load

    def enter(self, client: Client) -> None:
        speaking(client).websocket(self.path, keep=True).subscribe(binary=self._binary)

    def journey(self, client: Client) -> None:
        user = speaking(client).user
        socket = speaking(client).websocket(self.path, keep=True)
        if self._by_rate or user < self._publishers:
            socket.publish(self._size, binary=self._binary)
        else:
            socket.subscribe(binary=self._binary)
            socket.rest()
