"""Hypercorn; see hypercorn.readthedocs.io."""

import secrets
from dataclasses import replace

from benchsuite.core.specs import ServerSpec
from benchsuite.servers.base import (
    BACKLOG,
    KEEP_ALIVE_S,
    TAKE_THREADS_ASGI,
    Application,
    Place,
    ServerAdapter,
)
from benchsuite.servers.deploying import Deployed


class Hypercorn(ServerAdapter):
    """One event loop in each process; sync views run in asgiref's threads."""

    name = "hypercorn"
    interface = "asgi"
    distribution = "hypercorn"
    websocket = True
    finishes_in_flight = True
    takes_socket = True
    for_threads = TAKE_THREADS_ASGI
    limits = {"loop": ("asyncio", "uvloop")}
    options = {
        "backlog": BACKLOG,
        "keep_alive_s": KEEP_ALIVE_S,
        "loop": "asyncio",
        "max_requests": 0,
    }

    def __init__(
        self, spec: ServerSpec, application: Application, place: Place | None = None
    ) -> None:
        super().__init__(spec, application, place)
        self._prefix = f"benchsuite-{secrets.token_hex(8)}"

    def env(self) -> dict[str, str]:
        return {**super().env(), "BENCHSUITE_SEMAPHORES": self._prefix}

    def shared_memory(self) -> str:
        return self._prefix

    def argv(self, host: str, port: int) -> list[str]:
        return self._bound_to(f"{host}:{port}")

    def argv_on_socket(self, descriptor: str) -> list[str]:
        return self._bound_to(f"fd://{descriptor}")

    def _bound_to(self, address: str) -> list[str]:
        command = [*self.python.module("benchsuite.servers.launchers.hypercorn")]
        command += [self.application.asgi, "--bind", address]
        command += ["--workers", str(self.processes), "--worker-class", str(self.settings["loop"])]
        command += ["--backlog", str(self.settings["backlog"])]
        command += ["--keep-alive", str(self.settings["keep_alive_s"])]
        if self.settings["max_requests"]:
            command += ["--max-requests", str(self.settings["max_requests"])]
        return command

    def deployed(self, host: str, port: int) -> Deployed:
        measured = super().deployed(host, port)
        _, _, _, *arguments = measured.argv  # the launcher only names semaphores after the run
        return replace(measured, argv=[*self.python.module("hypercorn"), *arguments])

    def expected_processes(self) -> int:
        # The one that starts the others, and multiprocessing's resource tracker.
        return self.processes + 2
