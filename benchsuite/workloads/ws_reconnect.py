"""A reconnect storm: all connections end at once, cut or by a restart, and reconnect."""

import math
from typing import ClassVar

from benchsuite.core.exceptions import UsageError
from benchsuite.core.samples import HANDSHAKE
from benchsuite.core.specs import LoadProfile, Option
from benchsuite.workloads.base import Client, Unit
from benchsuite.workloads.websocket import COMMON, WebSocketWorkload, speaking


class WsReconnect(WebSocketWorkload):
    """Each user keeps an idle connection. A quarter into the window all drop theirs at the same
    moment, as when a front is restarted, and reconnect at once; refused ones try again. With
    `restart` the run restarts the server instead, and each user reconnects as soon as its
    connection has ended.
    """

    name = "ws_reconnect"
    summary = "WebSocket: all connections are cut at once: how long until all are back?"
    options = {**COMMON, "restart": False}
    unit: ClassVar[Unit] = HANDSHAKE
    consumer = "idle"
    alike = False
    endless = True
    warmup_s = 2.0
    duration_s = 8.0
    spawn_rate = 200.0

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self._at_s = math.inf
        self.restarts = bool(self.settings["restart"])

    def fit(self, load: LoadProfile) -> LoadProfile:
        if load.is_open or load.stages:
            raise UsageError(
                "A reconnect storm needs a number of connections; give it with --connections, and "
                "remove --rate and --stages."
            )
        if not load.keep_alive:
            raise UsageError("Connections are kept until they are cut; remove --no-keep-alive.")
        self.storm_s = self._at_s = load.window_start_s + load.duration_s / 4
        return load

    def journey(self, client: Client) -> None:
        socket = self.connect(client, keep=True)
        left_s = self._at_s - speaking(client).elapsed_s
        if left_s > 0 and not self.restarts:
            socket.rest(left_s)
            socket.drop()
            socket = self.connect(client, keep=True)
        socket.rest()
