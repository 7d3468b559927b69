"""The cost of idle connections."""

import math
from dataclasses import replace

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import LoadProfile, Option, Within
from benchsuite.workloads.base import Client
from benchsuite.workloads.websocket import COMMON, WebSocketWorkload


class WsIdle(WebSocketWorkload):
    """Opens connections in steps and keeps them open; the target's memory is read at each step.

    Memory per connection is the slope over the steps, which excludes the server's memory before the
    first connection and what the first one made it load.
    """

    name = "ws_idle"
    summary = "WebSocket: open connections that say nothing: what memory does each take?"
    options = {**COMMON, "steps": 8, "ping_s": 0.0}
    limits = {"steps": Within(1), "ping_s": Within(0)}
    consumer = "idle"
    alike = False
    endless = True
    reads_memory = True
    warmup_s = 2.0
    duration_s = 3.0
    spawn_rate = 200.0

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self._ping_s = float(self.settings["ping_s"])
        self._steps = int(self.settings["steps"])

    def fit(self, load: LoadProfile) -> LoadProfile:
        """Opens the connections in steps, unless stages are given."""
        if load.is_open:
            raise UsageError(
                "Idle connections have no rate; give their number with --connections, and remove "
                "--rate."
            )
        if not load.keep_alive:
            raise UsageError("Idle connections are kept; remove --no-keep-alive.")
        if load.stages:
            return load
        levels = (math.ceil(load.users * step / self._steps) for step in range(1, self._steps + 1))
        return replace(load, stages=tuple(dict.fromkeys(map(float, levels))))

    def journey(self, client: Client) -> None:
        with self.connect(client, keep=True) as socket:
            socket.rest(self._ping_s or math.inf)
            if self._ping_s:
                socket.ping()
