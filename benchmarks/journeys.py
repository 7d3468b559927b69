"""The journeys that our load process makes in the benchmarks."""

import cProfile
import os
from collections.abc import Mapping
from typing import ClassVar

from benchsuite.core.specs import Option
from benchsuite.workloads.base import Client, Workload, expect_body
from benchsuite.workloads.websocket import speaking

PROFILE_VARIABLE = "BENCHMARK_PROFILE"
"""Where `Profiled` writes."""

PROFILED_JOURNEYS = 20_000


class Get(Workload):
    """One GET whose body must be OK."""

    name = "get"

    def journey(self, client: Client) -> None:
        expect_body(client.get("/"), b"OK")


class Say(Workload):
    """Says so many things over a WebSocket, each as soon as it has heard the last one."""

    name = "say"
    options: ClassVar[Mapping[str, Option]] = {"path": "/", "messages": 1}

    def journey(self, client: Client) -> None:
        with speaking(client).websocket(str(self.settings["path"])) as socket:
            for _ in range(int(self.settings["messages"])):
                text = socket.numbered(32)
                socket.send(text)
                socket.receive(matching=text)


class Profiled(Get):
    """The same under cProfile, which is written down after some thousand journeys.

    The load process ends without any exit hook, and greenlets mix up the cumulated times: only the
    times spent in the functions themselves say something.
    """

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self._left = PROFILED_JOURNEYS
        self._profile = cProfile.Profile()

    def journey(self, client: Client) -> None:
        if self._left == PROFILED_JOURNEYS - 1:  # the first is the check
            self._profile.enable()
        self._left -= 1
        super().journey(client)
        if self._left == 0:
            self._profile.disable()
            self._profile.dump_stats(os.environ[PROFILE_VARIABLE])
