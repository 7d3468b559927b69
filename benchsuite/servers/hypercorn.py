"""Hypercorn; see hypercorn.readthedocs.io."""

import secrets
from dataclasses import replace
from functools import cached_property

from benchsuite.servers.base import KEPT, ServerAdapter
from benchsuite.servers.deploying import Deployed


class Hypercorn(ServerAdapter):
    """One event loop in each process; sync views run in asgiref's threads."""

    name = distribution = "hypercorn"
    interface = "asgi"
    program = "benchsuite.servers.launchers.hypercorn"
    websocket = True
    finishes_in_flight = True
    managers = 2  # a parent, and multiprocessing's resource tracker
    inherits = "--bind fd://{descriptor}"
    flags = {
        "--workers": "processes",
        "--worker-class": "loop",
        "--backlog": "backlog",
        "--keep-alive": "keep_alive_s",
        "--max-requests": "max_requests",
    }
    limits = {"loop": ("asyncio", "uvloop")}
    options = {**KEPT, "loop": "asyncio", "max_requests": 0}

    @cached_property
    def _prefix(self) -> str:
        return f"benchsuite-{secrets.token_hex(8)}"

    def env(self) -> dict[str, str]:
        return {**super().env(), "BENCHSUITE_SEMAPHORES": self._prefix}

    def shared_memory(self) -> str:
        return self._prefix

    def deployed(self, host: str, port: int) -> Deployed:
        measured = super().deployed(host, port)
        _, _, _, *arguments = measured.argv  # the launcher only names semaphores after the run
        return replace(measured, argv=[*self.python.module("hypercorn"), *arguments])
