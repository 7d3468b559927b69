"""A storm of connections."""

from typing import ClassVar

from benchsuite.core.samples import HANDSHAKE
from benchsuite.workloads.base import Client, Unit
from benchsuite.workloads.websocket import COMMON, WebSocketWorkload


class WsConnect(WebSocketWorkload):
    """Each user opens and closes connections repeatedly."""

    name = "ws_connect"
    summary = "WebSocket: connect, close, and again: how many handshakes a second?"
    options = {**COMMON, "close": True}
    unit: ClassVar[Unit] = HANDSHAKE
    due = HANDSHAKE
    in_turn = False
    consumer = "idle"

    def journey(self, client: Client) -> None:
        socket = self.connect(client)
        if self.settings["close"]:
            socket.close()
        else:
            socket.drop()
